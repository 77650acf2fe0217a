#!/usr/bin/env bash
# Usage: run.sh TEXTS.tsv.gz PAIRS.tsv.gz. Builds measure.cpp with the extension's core and prints its table.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sources=("$TOP/bench/features/measure.cpp")
for noun in feature_counts feature_hash normal_text term_frequency text_features unicode weights; do
    sources+=("$TOP"/src/core/*/"$noun.cpp")
done
g++ -std=c++20 -O2 -Wall -Wextra -I"$TOP/src" -o "$scratch/measure" "${sources[@]}"
lscpu | sed -n 's/^Model name: *//p'
"$scratch/measure" <(zcat "$1") <(zcat "$2")
