# shellcheck shell=bash
# Sourced by run.sh and server.sh: installs the cross compilers and makes the directory `build`, which is CROSS_BUILD or
# else goes at the end.
#
#   TOP   the checkout (set by the caller)

"$TOP/tools/setup.sh" cross
build=${CROSS_BUILD:-}
if [ -z "$build" ]; then
    build=$(mktemp -d "${TMPDIR:-/tmp}/simhash_cross.XXXXXX")
    trap 'rm -rf "$build"' EXIT
    trap 'exit 130' INT TERM
    chmod 755 "$build" # a server has another user
fi

# A cross compiler cannot use the system's headers, but these are independent of the processor.
mkdir -p "$build/include"
build=$(cd "$build" && pwd)
ln -sf /usr/include/xxhash.h /usr/include/xxh3.h "$build/include"
