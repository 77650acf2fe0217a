#!/usr/bin/env bash
# Builds and runs the unit tests of src/core. Arguments go to GoogleTest:
#
#   test/unit/run.sh --gtest_filter='Fingerprint*'
#
# UNIT_BUILD names a persistent build directory, so that the next run compiles only what changed. UNIT_TEST names one
# program, such as unit/page/page_test, to build and run alone.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

build=${UNIT_BUILD:-}
if [ -z "$build" ]; then
    build=$(mktemp -d "${TMPDIR:-/tmp}/simhash_unit.XXXXXX")
    trap 'rm -rf "$build"' EXIT
    trap 'exit 130' INT TERM
fi
program=${UNIT_TEST:-unit_tests}
mkdir -p "$build"
make -s -j"$(nproc)" -C "$build" -f "$here/Makefile" "$program"

# A test that leaks, overruns or overflows ends the run.
export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
"$build/$program" "$@"
