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
arguments=()
if [ -n "$revision" ]; then
    # The other kernels get their own namespace.
    git -C "$TOP" archive "$revision" src/core | tar -x -C "$build"
    for source in "$build"/src/core/kernels/*.cpp; do
        arguments+=("${source%.cpp}.o")
        g++ -std=c++20 -O2 -Wall -Dsimhash=simhash_before -I"$build/src" -c -o "${arguments[-1]}" "$source"
    done
    arguments+=(-DBEFORE="\"$revision\"")
fi
for program in kernels pairs signatures; do
    "$TOP/bench/link.sh" "$build/$program" "$TOP/bench/kernels/$program.cpp" "${arguments[@]}"
done
sed -n 's/^model name[^:]*: */CPU: /p' /proc/cpuinfo | head -n 1
"$build/kernels" "${ROUNDS:-31}"
"$build/pairs" "${ROUNDS:-31}"
"$build/signatures" "${ROUNDS:-31}"
