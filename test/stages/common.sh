# shellcheck shell=bash
# Sourced by the stages: the cluster and the scratch directory of test/run.sh, and checks that print TAP.
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$TOP/tools/cluster.sh"
cd "$TOP" || exit

PGXS_TEST=$(cd "$(dirname "$("$PG_CONFIG" --pgxs)")/../test" && pwd)
number=0
bad=0

# check name command ...: a test, which passes if the command succeeds; its output is shown if not.
check() {
    local name=$1 log
    log=$(mktemp "$SCRATCH/check.XXXXXX")
    number=$((number + 1))
    shift
    if "$@" >"$log" 2>&1; then
        echo "ok $number - $name"
    else
        bad=$((bad + 1))
        echo "not ok $number - $name"
        head -n 200 "$log" | sed 's/^/# /' >&2
    fi
}

# skip name reason: a test that cannot be run here.
skip() {
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

# check_by_clang name program command ...: a check whose findings depend on the version of LLVM: the one that Debian 12 has.
check_by_clang() {
    local name=$1 program=$2 version
    shift 2
    version=$("$program" --version)
    if [[ $version == *"version 14."* ]]; then
        check "$name" "$@"
    else
        skip "$name" "$program is not of version 14"
    fi
}

# The plan.
finish() { echo "1..$number"; }

# skip_all reason: nothing of this stage can be run here.
skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

# A copy of the checkout without what an earlier build left in it.
copy_sources() {
    mkdir -p "$1"
    cp -R Makefile ./*.control compat doc sql src "$1"
    rm -f "$1"/sql/simhash*--"$(sed -n "s/^default_version = '\(.*\)'/\1/p" simhash.control)".sql
    find "$1" \( -name '*.o' -o -name '*.d' \) -delete
}

# regress_case program input name file: one test of pg_regress or pg_isolation_regress, which are called alike. Each has
# a database of its own, so that tests can run at once.
regress_case() {
    local program=$1 input=$2 name=$3 out=$SCRATCH/results/$3
    as_server mkdir -p "$out"
    # Without an expected output the program would give up; an empty one shows the output as a difference.
    [ -e "$input/expected/$name.out" ] || : >"$input/expected/$name.out"
    echo 1..1
    if as_server env PGISOLATIONTIMEOUT=60 PG_ABS_SRCDIR="$input" "$program" --host="$PGHOST" --port="$PGPORT" --user="$PGUSER" \
        --dbname="regress_$name" --load-extension=simhash --inputdir="$input" --outputdir="$out" --bindir="$PGBIN" \
        "$name" >"$out.log" 2>&1 && [ -e "$out/results/$name.out" ]; then
        echo "ok 1 - $name"
        return
    fi
    echo "not ok 1 - $name"
    if [ -s "$out/regression.diffs" ]; then
        cat "$out/regression.diffs" >&2
        mkdir -p results
        cp -r "$out/results/." results/
        echo "The output is in results/; if it is right, it becomes the expected one." >&2
    else
        cat "$out.log" >&2
    fi
}

# server_case file: a test in Perl, which starts servers of its own.
server_case() {
    local work name status=0
    name=$(basename "$1" .pl)
    work=$SCRATCH/$(dirname "${1#test/}")
    as_server mkdir -p "$work/ports"
    # What PostgreSQL::Test::Cluster appends to the configuration of every node.
    staged_settings >"$work/$name.conf"
    chmod a+r "$work/$name.conf"
    as_server env -C source -u PGDATA -u PGHOST -u PGPORT -u PGDATABASE -u PGUSER -u CLUSTER_SCRATCH TMPDIR="$work" \
        PATH="$(server_programs):$PATH" PG_CONFIG="$PG_CONFIG" STAGED="$INSTALL_ROOT" \
        PERL5LIB="$PGXS_TEST/perl:$SCRATCH/source/test/t" PG_REGRESS="$PGXS_TEST/regress/pg_regress" \
        PG_ISOLATION="$PGXS_TEST/isolation/pg_isolation_regress" SEED="${SEED:-}" JOINS="${JOINS:-}" SPEC="${SPEC:-}" \
        TEMP_CONFIG="$work/$name.conf" TESTDIR="$work" TESTDATADIR="$work/tmp_check" TESTLOGDIR="$work/tmp_check/log" \
        PG_TEST_PORT_DIR="$SCRATCH/ports" PG_TEST_TIMEOUT_DEFAULT=180 TEST_SECONDS="${TEST_SECONDS:-15}" \
        perl "$1" || status=$?
    [ "$status" = 0 ] || show_server_logs "$work/tmp_check/log" "$name" >&2
    exit "$status"
}

show_server_logs() {
    local log
    [ ! -e "$1/regress_log_$2" ] || { echo "---- the end of the log of $2"; tail -n 60 "$1/regress_log_$2"; }
    for log in "$1/$2"_*.log; do
        [ -e "$log" ] || continue
        echo "---- errors in $(basename "$log")"
        grep -E 'ERROR|FATAL|PANIC|TRAP|terminated' "$log" | tail -n 20 || true
    done
}
