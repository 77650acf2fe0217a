#!/usr/bin/env bash
# Sessions that wait, fail and crash at chosen points: one file of test/failpoints/t. Without an argument: their build.
set -euo pipefail
. "$(dirname "$0")/common.sh"

ordinary=$BUILD BUILD=$BUILD-failpoints INSTALL_ROOT=$SCRATCH/root-failpoints BUILD_FLAGS=(COPT=-Werror FAILPOINTS=1)

# Objects of the ordinary build are the same, except those of files that include failpoint.hpp.
share_objects() {
    local object
    if [ ! -e "$BUILD/compile-flags" ]; then
        mkdir -p "$BUILD"
        make -s -C "$BUILD" -f "$TOP/Makefile" PG_CONFIG="$PG_CONFIG" "${BUILD_FLAGS[@]}" compile-flags
        touch -d '1970-01-02' "$BUILD/compile-flags"
    fi
    (cd "$ordinary" && find src -name '*.d' -print0 | xargs -0 grep -L 'failpoint\.hpp') | while read -r object; do
        object=${object%.d}
        (cd "$ordinary" && cp -pu --parents "$object.o" "$object.d" "$BUILD")
    done
}

if [ $# != 0 ]; then
    server_case "$1"
fi
build_with_failpoints() { share_objects && build_and_stage; }
check "build with failpoints" build_with_failpoints
finish
