#!/usr/bin/env bash
# The time to compare a leaf's fingerprints, to find the pairs of a join, and to compare wide signatures, for each
# instruction set that this CPU has. Needs no server.
#
#   bench/kernels/run.sh
#   ROUNDS=101 bench/kernels/run.sh   more rounds (default 31), if others use the machine
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
for program in kernels pairs signatures; do
    "$TOP/bench/link.sh" "$build/$program" "$TOP/bench/kernels/$program.cpp"
done
sed -n 's/^model name[^:]*: */CPU: /p' /proc/cpuinfo | head -n 1
"$build/kernels" "${ROUNDS:-31}"
"$build/pairs" "${ROUNDS:-31}"
"$build/signatures" "${ROUNDS:-31}"
