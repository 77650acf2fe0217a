#!/usr/bin/env bash
# The long tests of reliability; `make torture` calls this. In turn:
#
#   crash        kill -9, immediate stops, torn pages and crashes at chosen points, hundreds of rounds
#   standby      a standby through crashes of both servers, every replayed page compared
#   concurrency  test/t/005: writers, readers, VACUUM, builds and rebuilds at once
#   exclusion    test/t/011: exclusion constraints under concurrent inserters
#   life         test/t/012: churn, and the memory of long sessions
#   queries      test/t/031: queries made at random, compared with integer arithmetic
#
# make torture SECONDS=3600            total duration (default 600)
# make torture ROUNDS=50 ONLY=crash    number of rounds of the first two parts; only some parts
# make torture SEED=4711               repeat the choices of the run that printed this seed
# make torture KINDS="torn tall"       kinds of crash rounds: failpoint kill stop torn tall
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
total=${TORTURE_SECONDS:-600}
SEED=${SEED:-$((RANDOM * 32768 + RANDOM + 1))}
echo "SEED=$SEED"
ONLY=${ONLY:-crash standby concurrency exclusion life queries}

"$TOP/tools/setup.sh" test
. "$TOP/tools/cluster.sh"
cd "$TOP"
started=$(date +%s)
BUILD_FLAGS=(FAILPOINTS=1)
build_and_stage
for_server test/t test/torture
work=$SCRATCH/torture
as_server mkdir -p "$work/ports"
staged_settings >"$work.conf"
chmod a+r "$work.conf"
test_programs=$(cd "$(dirname "$("$PG_CONFIG" --pgxs)")/../test" && pwd)

failed=()
# part name share file: runs a test for that share of the time, in percent.
part() {
    local name=$1 seconds=$((total * $2 / 100)) file=$3 log=$SCRATCH/$1.log
    [[ " $ONLY " == *" $name "* ]] || return 0
    echo
    echo "== $name ($seconds s)"
    if ! interruptible as_server env -C source -u PGDATA -u PGHOST -u PGPORT -u PGDATABASE -u PGUSER TMPDIR="$work" \
        PATH="$(server_programs):$PATH" PERL5LIB="$test_programs/perl:$SCRATCH/source/test/t" PG_REGRESS="$test_programs/regress/pg_regress" \
        TEMP_CONFIG="$work.conf" TESTDIR="$work" TESTDATADIR="$work/$name" TESTLOGDIR="$work/$name/log" \
        PG_TEST_PORT_DIR="$work/ports" PG_TEST_TIMEOUT_DEFAULT=120 TEST_SECONDS="$seconds" \
        TORTURE_SECONDS="$seconds" SEED="$SEED" ROUNDS="${ROUNDS:-}" KINDS="${KINDS:-}" \
        timeout -k 10 $((seconds * 3 + 300)) prove --norc --timer -v "$file" >"$log" 2>&1; then
        failed+=("$name")
        grep -v '^ok' "$log" | tail -n 60
    fi
    # The summary of the part, or the notes of tests without one.
    grep -E "^# ($name:|[0-9]+ transactions|[a-z]+: [0-9]+ rows|[0-9.]+ times|.* bytes)|^Result|^not ok" "$log" || true
    rm -rf "${work:?}/$name"
}

part crash 45 test/torture/crash.pl
part standby 18 test/torture/standby.pl
part concurrency 12 test/t/005_concurrent.pl
part exclusion 8 test/t/011_exclude.pl
part life 7 test/t/012_long_life.pl
part queries 10 test/t/031_generated_queries.pl

echo
echo "$(($(date +%s) - started)) s; ${#failed[@]} parts failed${failed[*]:+: ${failed[*]}}"
[ "${#failed[@]}" = 0 ]
