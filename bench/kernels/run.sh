#!/usr/bin/env bash
# The time to test a leaf's fingerprints, for each level that this CPU has. Needs no server.
#
#   bench/kernels/run.sh              the kernels as they are
#   bench/kernels/run.sh HEAD~3       these and those of a revision, by turns
#   ROUNDS=101 bench/kernels/run.sh   more rounds (default 31), where others use the machine
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
revision=${1:-}

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
flags=(-std=c++20 -O2 -Wall)
objects=("$build/leaf_match.o")
g++ "${flags[@]}" -I"$TOP/src" -c -o "$build/leaf_match.o" "$TOP/src/core/kernels/leaf_match.cpp"
if [ -n "$revision" ]; then
    # The other kernels get a namespace of their own.
    git -C "$TOP" archive "$revision" src/core | tar -x -C "$build"
    g++ "${flags[@]}" -Dsimhash=simhash_before -I"$build/src" -c -o "$build/before.o" \
        "$build/src/core/kernels/leaf_match.cpp"
    objects+=("$build/before.o")
    flags+=(-DBEFORE="\"$revision\"")
fi
g++ "${flags[@]}" -I"$TOP/src" -o "$build/kernels" "$TOP/bench/kernels/kernels.cpp" "${objects[@]}"
sed -n 's/^model name[^:]*: */CPU: /p' /proc/cpuinfo | head -n 1
"$build/kernels" "${ROUNDS:-31}"
