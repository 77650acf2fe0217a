#!/usr/bin/env bash
# The processor time of planning a search by weights. Needs no server.
#
#   bench/guided/run.sh                    random weights
#   bench/guided/run.sh WEIGHTS            weights of a file, see README.md
#   AGAINST=HEAD~3 bench/guided/run.sh     also that of a revision with the same interface, alternating
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
compile() { # src program
    local sources=("$TOP/bench/guided/measure.cpp")
    for noun in guided_plan key_ball key_order table_design volatility vosh weights; do
        sources+=("$1"/core/*/"$noun.cpp")
    done
    g++ -std=c++20 -O2 -fno-exceptions -fno-rtti -fno-math-errno -ffp-contract=off -fstack-protector-strong -Wall -Wextra \
        -I"$1" -o "$2" "${sources[@]}"
}
sed -n 's/^model name[^:]*: */CPU: /p' /proc/cpuinfo | head -n 1
compile "$TOP/src" "$build/now"
if [ -z "${AGAINST:-}" ]; then
    "$build/now" "$@"
    exit
fi
git -C "$TOP" archive "$AGAINST" src/core | tar -x -C "$build"
compile "$build/src" "$build/before"
for _ in 1 2; do
    printf '\n%s: ' "$AGAINST"
    "$build/before" "$@"
    printf '\nNow: '
    "$build/now" "$@"
done
