#!/usr/bin/env bash
# The time to compare a leaf's fingerprints, to find the pairs of a join, and to compare wide signatures, for each
# instruction set that this CPU has. Needs no server.
#
#   bench/kernels/run.sh              the current kernels
#   bench/kernels/run.sh HEAD~3       the current kernels and those of a revision, alternating; not for wide signatures
#   ROUNDS=101 bench/kernels/run.sh   more rounds (default 31), if others use the machine
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
revision=${1:-}

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
flags=(-std=c++20 -O2 -Wall)
compile() { # src object-prefix flags...
    local prefix=$2
    for source in "$1"/core/kernels/*.cpp; do
        objects+=("$prefix$(basename "$source" .cpp).o")
        g++ "${flags[@]}" "${@:3}" -I"$1" -c -o "${objects[-1]}" "$source"
    done
}
objects=()
compile "$TOP/src" "$build/now_"
if [ -n "$revision" ]; then
    # The other kernels get their own namespace.
    git -C "$TOP" archive "$revision" src/core | tar -x -C "$build"
    compile "$build/src" "$build/before_" -Dsimhash=simhash_before
    flags+=(-DBEFORE="\"$revision\"")
fi
for program in kernels pairs signatures; do
    g++ "${flags[@]}" -I"$TOP/src" -o "$build/$program" "$TOP/bench/kernels/$program.cpp" "${objects[@]}"
done
sed -n 's/^model name[^:]*: */CPU: /p' /proc/cpuinfo | head -n 1
"$build/kernels" "${ROUNDS:-31}"
"$build/pairs" "${ROUNDS:-31}"
"$build/signatures" "${ROUNDS:-31}"
