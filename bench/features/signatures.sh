#!/usr/bin/env bash
# Usage: signatures.sh TEXTS.tsv.gz. Builds signatures.cpp with the extension's core and prints its table.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sources=("$TOP/bench/features/signatures.cpp")
for noun in feature_counts feature_hash normal_text random_projection signature_sums term_frequency text_features unicode weights; do
    sources+=("$TOP"/src/core/*/"$noun.cpp")
done
g++ -std=c++20 -O2 -fno-math-errno -ffp-contract=off -Wall -Wextra -I"$TOP/src" -o "$scratch/signatures" "${sources[@]}"
lscpu | sed -n 's/^Model name: *//p'
"$scratch/signatures" <(zcat "$1")
