#!/usr/bin/env bash
# The unit tests of src/core on other processors: compiled by Debian's cross compilers, run by qemu. `make cross`
# calls this; `make test` does not, since it takes minutes.
#
#   test/cross/run.sh                       all targets
#   test/cross/run.sh aarch64               some
#   test/cross/run.sh s390x -- --gtest_filter='Fingerprint*'
#
#   aarch64   the NEON kernels; unsigned char
#   s390x     big-endian: fingerprints, features and stored weights have to be the same
#
# CROSS_BUILD=directory keeps the objects, so that the next run compiles only what changed.
# SANITIZERS=address,undefined takes many times as long, and works only on aarch64: programs of GCC 12 for s390x do not
# link with the address sanitizer.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)

targets=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    case $1 in
    aarch64 | s390x) targets+=("$1") ;;
    *) echo "No target is called '$1'. There are: aarch64 s390x" >&2; exit 2 ;;
    esac
    shift
done
[ $# = 0 ] || shift
[ "${#targets[@]}" -gt 0 ] || targets=(aarch64 s390x)

. "$TOP/test/cross/common.sh"
googletest=/usr/src/googletest/googletest
sanitizers=${SANITIZERS:-undefined}
# Leak detection needs ptrace, which qemu does not support.
export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1

failed=()
for target in "${targets[@]}"; do
    echo "== $target"
    compiler="$target-linux-gnu-g++"
    mkdir -p "$build/$target"
    library=$build/$target/libgtest.a
    if [ ! -e "$library" ]; then
        "$compiler" -std=c++20 -O1 -I"$googletest/include" -I"$googletest" -c -o "$library.o" \
            "$googletest/src/gtest-all.cc"
        "$target-linux-gnu-ar" rc "$library" "$library.o"
    fi
    # Optimised like the extension. With sanitizers, GCC takes what std::fill_n has set for uninitialized.
    make -s -j"$(nproc)" -C "$build/$target" -f "$TOP/test/unit/Makefile" OPTIMIZE=-O2 EMULATE= \
        SANITIZE="-fsanitize=$sanitizers -fno-sanitize-recover=all" CXXFLAGS=-Wno-maybe-uninitialized \
        CXX="$compiler -L$build/$target -isystem $googletest/include -isystem $build/include"
    "qemu-$target" -L "/usr/$target-linux-gnu" "$build/$target/unit_tests" --gtest_brief=1 "$@" ||
        failed+=("$target")
done
[ "${#failed[@]}" = 0 ] || { echo "failed on: ${failed[*]}" >&2; exit 1; }
