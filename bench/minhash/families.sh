#!/usr/bin/env bash
# Usage: families.sh [TEXTS.tsv.gz PAIRS.tsv.gz]. Builds families.cpp with the extension's core and prints its table.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
g++ -std=c++20 -O2 -Wall -Wextra -I"$TOP/src" -o "$scratch/families" "$TOP/bench/minhash/families.cpp" \
    "$TOP"/src/core/minhash/minhash_sketch.cpp "$TOP"/src/core/text/*.cpp "$TOP"/src/core/hash/feature_hash.cpp
lscpu | sed -n 's/^Model name: *//p'
if [ $# -eq 2 ]; then
    zcat "$1" >"$scratch/texts"
    zcat "$2" >"$scratch/pairs"
    "$scratch/families" real "$scratch/texts" "$scratch/pairs"
else
    "$scratch/families" constructed
fi
