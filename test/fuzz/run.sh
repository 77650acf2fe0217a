#!/usr/bin/env bash
# Fuzzing with hostile input and damaged pages; `make fuzz` calls this.
#
#   make fuzz                  five minutes
#   make fuzz SECONDS=3600     an hour
#   make fuzz SEED=17          repeat the choices of the run that printed that seed
#   make fuzz ONLY="core sql"  one or some of the parts
#
#   core    test/fuzz/*_fuzz.cpp and those of compat/test/fuzz, the core's readers of pages, text and binary input, under
#           libFuzzer, half of the time with AddressSanitizer and UndefinedBehaviorSanitizer, and half without, which
#           tries many times as many inputs; clang is installed for it
#   damage  test/t/020_damaged_pages.pl: an index file is damaged at random and used
#   sql     test/t/022_random_calls.pl: every function and operator with unusual arguments
#
# Half of the time goes to the first part, a quarter to each of the others. A failing input is kept in fuzz-failures/;
# fuzz-failures/<target> <input> repeats it.

# bash initialises SECONDS from the environment and counts on.
duration=$SECONDS
set -euo pipefail
[ "$duration" -ge 8 ] || duration=300

TOP=$(cd "$(dirname "$0")/../.." && pwd)
ONLY=${ONLY:-core damage sql}
SEED=${SEED:-$((RANDOM * 32768 + RANDOM + 1))}
failures=$PWD/fuzz-failures
echo "SEED=$SEED"
failed=()

fuzz_core() {
    "$TOP/tools/setup.sh" fuzz
    local build targets target each
    build=$(mktemp -d "${TMPDIR:-/tmp}/simhash_fuzz.XXXXXX")
    trap 'rm -rf "$build"' RETURN
    mkdir "$build/sanitized" "$build/fast"
    make -s -j"$(nproc)" -C "$build/sanitized" -f "$TOP/test/fuzz/Makefile"
    make -s -j"$(nproc)" -C "$build/fast" -f "$TOP/test/fuzz/Makefile" SANITIZE=
    targets=$(cd "$build/fast" && printf '%s\n' fuzz_*)
    each=$((duration / 4 / $(wc -w <<<"$targets")))
    [ "$each" -gt 0 ] || each=1 # 0 would be for ever
    for target in $targets; do
        target=${target#fuzz_}
        mkdir -p "$build/corpus/$target"
        printf '0x0123456789abcdef' >"$build/corpus/$target/fingerprint"
        printf '[%s1.5e-3]' "$(printf -- '-12.25,%.0s' {1..63})" >"$build/corpus/$target/weights"
        printf '\001\003\002\000%0128d' 7 >"$build/corpus/$target/stored"
        head -c 513 <(printf '\001'; yes) >"$build/corpus/$target/sent"
        printf 'ab\303\244\314\201 it'"'"'s \346\235\261\344\272\254\351\203\275 \357\254\201' >"$build/corpus/$target/text"
        # What the fast program collects, the one with sanitizers begins with.
        fuzz_target fast
        fuzz_target sanitized
    done
}

# fuzz_target fast|sanitized: with the variables of fuzz_core.
fuzz_target() {
    local program=$build/$1/fuzz_$target log=$build/$target.log
    if ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 timeout -k 10 $((each + 120)) \
        "$program" -seed="$SEED" -max_total_time="$each" -max_len=9000 -rss_limit_mb=1024 -timeout=10 \
        -artifact_prefix="$build/$target-" -print_final_stats=1 "$build/corpus/$target" >"$log" 2>&1; then
        echo "ok      $target, $1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $each s"
    else
        echo "FAILED  $target, $1"
        grep -v '^#' "$log" | tail -n 60
        mkdir -p "$failures"
        cp "$program" "$failures/$target"
        cp "$build/$target-"* "$failures/" 2>/dev/null || true
        failed+=("$target")
    fi
}

# The server tests are those of make test, run for longer.
fuzz_server() {
    local test=$1 log
    log=$(mktemp)
    if SEED=$SEED TEST_SECONDS=$((duration / 4)) STAGE_LIMIT=$((duration + 600)) ONLY=tap TESTS=$test \
        "$TOP/test/run.sh" >"$log" 2>&1; then
        echo "ok      $test: $(tail -n 1 "$log") in $((duration / 4)) s"
    else
        echo "FAILED  $test"
        tail -n 100 "$log"
        failed+=("$test")
    fi
    rm -f "$log"
}

for part in $ONLY; do
    case $part in
    core) fuzz_core ;;
    damage) fuzz_server 020_damaged_pages ;;
    sql) fuzz_server 022_random_calls ;;
    *) echo "No part is called '$part'. There are: core damage sql" >&2; exit 2 ;;
    esac
done
if [ "${#failed[@]}" != 0 ]; then
    echo "Failed: ${failed[*]} (SEED=$SEED)"
    exit 1
fi
