#!/usr/bin/env bash
# Usage: run.sh TEXTS.tsv[.gz]... Builds measure.cpp with the extension's core and prints its tables for each file.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sources=("$TOP/bench/features/measure.cpp")
for noun in feature_counts feature_frequencies feature_hash minhash_sketch normal_text signature_sums term_frequency text_features \
    unicode weights; do
    sources+=("$TOP"/src/core/*/"$noun.cpp")
done
g++ -std=c++20 -O2 -mpopcnt -Wall -Wextra -I"$TOP/src" -o "$scratch/measure" "${sources[@]}"
lscpu | sed -n 's/^Model name: *//p'
for texts; do
    name=$scratch/$(basename "${texts%.gz}" .tsv)
    zcat -f "$texts" >"$name"
    (cd "$scratch" && ./measure "$(basename "$name")")
    rm "$name"
done
