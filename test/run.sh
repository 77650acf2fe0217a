#!/usr/bin/env bash
# Runs the tests; `make test` and `make check-one` call this. Each stage is a file of test/stages, which prints TAP; the
# first lines there say what it does, CONTRIBUTING.md has the table. Stages with cases are called once for each of them.
# `prove` runs all of these in the order of this list, one more at once than there are processors, since tests wait:
#
STAGES="build regress isolation pgtap tap drivers failpoints unit compilers lint format versions files symbols layers bench"
STAGES="$STAGES assertions"
#
# and package, if ONLY asks for it.
#
# make test ONLY="unit regress"          some stages
# make test ONLY=tap TESTS="001 002"     some cases of a stage, by what their names contain
# make test KEEP_SCRATCH=1               keep the scratch directory: outputs, logs, data
# make test STAGE_LIMIT=3600             seconds after which a stage, or a case of one, is ended and has failed
# make test BUILD_DIRECTORY=...          keep the objects, for the next run
# make test TEST_SECONDS=60              length of the tests under load (default 15)
# make test PG_CONFIG=...                another server than Debian's (tools/postgresql.sh)
# make test SANITIZERS=undefined         the extension in the server with it; what it finds ends the server
# make test ASSERT_PG_CONFIG=...         the server with assertions
# make test SIMD=scalar                  the servers' kernels, as the setting simhash.simd names them
# make check-one T=distance              one test by its name, or by the path of its file, with objects kept in .check
#
# The last line is "N passed, N failed, N skipped", over all stages; the exit status is 0 if nothing failed.
set -euo pipefail

# Servers of the TAP tests take their encoding from the environment, which may have none.
export LANG=C.UTF-8

TOP=$(cd "$(dirname "$0")/.." && pwd)
export ONLY=${ONLY:-$STAGES} TESTS=${TESTS:-} STAGE_LIMIT=${STAGE_LIMIT:-1800}
cd "$TOP"

# cases stage: the files that the stage is called with; none if it has no cases.
cases() {
    case $1 in
    regress) echo test/sql/*.sql compat/test/sql/*.sql ;;
    isolation) echo test/isolation/specs/*.spec ;;
    pgtap) echo test/pgtap/*.sql ;;
    tap) echo test/t/*.pl compat/test/t/*.pl ;;
    drivers) echo test/drivers/*.pl ;;
    failpoints) echo test/failpoints/t/*.pl ;;
    esac
}

# chosen file ...: those whose names TESTS allows.
chosen() {
    local file word
    for file in "$@"; do
        [ -n "$TESTS" ] || echo "$file"
        for word in $TESTS; do
            [[ $(basename "${file%.*}") != *"$word"* ]] || { echo "$file"; break; }
        done
    done
}

# one name: finds the test that is called so. Sets ONLY and the files to run.
one() {
    local stage file found=()
    for stage in regress isolation pgtap tap drivers failpoints; do
        for file in $(cases "$stage"); do
            case $file in "$1" | */"$1".*) found=("$file"); ONLY=$stage; break 2 ;; esac
            [[ ${file##*/} != *"$1"* ]] || found+=("$file")
            [ "${found[*]: -1}" != "$file" ] || ONLY=$stage
        done
    done
    # The specs with failpoints are run by one of the cases.
    for file in test/failpoints/specs/*.spec; do
        case $file in
        "$1" | */"$1".spec)
            export SPEC
            SPEC=$(basename "$file" .spec)
            found=(test/failpoints/t/001_isolation.pl)
            ONLY=failpoints
            ;;
        esac
    done
    # Unit tests: by a file, with or without its ending, or as GoogleTest calls them.
    if [ "${#found[@]}" = 0 ]; then
        while read -r file; do
            case $file in "$1" | */"${1%_test}"_test.cpp) found=("$file"); break ;; esac
            if sed -n 's/^TEST[_FP]*(\([A-Za-z0-9_]*\), *\([A-Za-z0-9_]*\).*/\1.\2/p' "$file" | grep -q "^$1"; then
                found=("$file")
                export UNIT_FILTER="$1*"
            fi
        done < <(find test/unit compat/test/unit -name '*_test.cpp')
        if [ "${#found[@]}" = 1 ]; then
            ONLY=unit
            export UNIT_TEST=${found[0]%.cpp}
            UNIT_TEST=${UNIT_TEST/test\//}
            found=(test/stages/unit.sh)
        fi
    fi
    [ "${#found[@]}" = 1 ] || { echo "These tests are called '$1': ${found[*]:-none}" >&2; exit 2; }
    files=("${found[@]}")
    [ "$ONLY" != failpoints ] || files=(test/stages/failpoints.sh "${files[@]}")
}

files=()
if [ -n "${T:-}" ]; then
    one "$T"
    export BUILD_DIRECTORY=$TOP/.check/build UNIT_BUILD=$TOP/.check/unit
    mkdir -p "$BUILD_DIRECTORY"
else
    for stage in $ONLY; do
        [[ " $STAGES package " == *" $stage "* ]] ||
            { echo "No stage is called '$stage'. There are: $STAGES package" >&2; exit 2; }
    done
    for stage in $STAGES package; do
        if [[ " $ONLY " != *" $stage "* || $stage == build ]]; then continue; fi
        all=$(cases "$stage")
        if [ -z "$all" ]; then
            files+=("test/stages/$stage.sh")
        else
            [ "$stage" != failpoints ] || files+=(test/stages/failpoints.sh)
            # shellcheck disable=SC2086
            mapfile -t -O "${#files[@]}" files < <(chosen $all)
        fi
    done
fi
# What is built first, and looked at last.
[[ ! " $ONLY " =~ " "(build|regress|isolation|pgtap|tap|drivers|failpoints|symbols|layers|bench|package)" " ]] ||
    files=(test/stages/build.sh "${files[@]}")
[[ ! " $ONLY " =~ " "(regress|isolation|pgtap)" " ]] || files+=(test/stages/server.sh)
if [ -n "$TESTS" ] && ! printf '%s\n' "${files[@]}" | grep -q -v '^test/stages/'; then
    echo "No test of '$ONLY' has a name with '$TESTS'." >&2
    exit 2
fi

"$TOP/tools/setup.sh" test
. "$TOP/tools/cluster.sh"
cd "$TOP"
interruptible env CLUSTER_SCRATCH="$SCRATCH" PERL5LIB="$TOP/test/stages" \
    prove --norc --jobs "$(($(nproc) + 1))" --timer --harness Stages "${files[@]}"
