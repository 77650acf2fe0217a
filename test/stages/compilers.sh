#!/usr/bin/env bash
# GCC with link-time optimization in the source tree, then Clang outside of it; a warning is an error.
set -euo pipefail
. "$(dirname "$0")/common.sh"

# What differs from the ordinary build is seen without optimization.
check_gcc_lto() {
    copy_sources "$SCRATCH/tree"
    make -s -j"$(nproc)" -C "$SCRATCH/tree" PG_CONFIG="$PG_CONFIG" FAILPOINTS=1 COPT="-Werror -O1 -flto=$(nproc)" all
    make -s -j"$(nproc)" -C "$SCRATCH/tree/compat" PG_CONFIG="$PG_CONFIG" COPT="-Werror -O1 -flto=$(nproc)" all
    [ -e "$SCRATCH/tree/simhash.so" ] && [ -e "$SCRATCH/tree/compat/simhash_compat.so" ]
}

# The source tree is now full of the products of another build, with failpoints. None of them may be used.
check_clang() {
    local TOP=$SCRATCH/tree BUILD=$SCRATCH/build-clang INSTALL_ROOT=$SCRATCH/root-clang
    local BUILD_FLAGS=(CXX=clang++ COPT="-Werror -O0") BUILD_ALSO=(compat) library status=0
    build_and_stage 2>&1 || return 1
    library=$INSTALL_ROOT$("$PG_CONFIG" --pkglibdir)/simhash.so
    ! grep -q -F "simhash.failpoint" "$library" || { echo "objects of the build in the source tree were used"; status=1; }
    [ "$(find "$BUILD/src" "$BUILD/compat/src" -name '*.o' | wc -l)" = "$(find "$TOP/src" "$TOP/compat/src" -name '*.cpp' | wc -l)" ] ||
        status=1
    [ -e "$INSTALL_ROOT$("$PG_CONFIG" --sharedir)/extension/simhash.control" ] || status=1
    return "$status"
}

check "GCC with link-time optimization, in the source tree" check_gcc_lto
check "Clang, outside of it" check_clang
finish
