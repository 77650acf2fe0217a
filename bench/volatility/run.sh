#!/usr/bin/env bash
# Usage: run.sh TEXTS.tsv.gz PAIRS.tsv.gz [PART...]. Builds measure.cpp with the extension's core and prints its
# tables; the parts are in README.md.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sources=("$TOP/bench/volatility/measure.cpp")
for noun in feature_counts feature_hash guided_plan key_ball key_order normal_text table_design term_frequency \
    text_features unicode volatility vosh weights; do
    sources+=("$TOP"/src/core/*/"$noun.cpp")
done
g++ -std=c++20 -O2 -fno-math-errno -ffp-contract=off -Wall -Wextra -Wshadow -I"$TOP/src" -o "$scratch/measure" \
    "${sources[@]}"
texts=$1 pairs=$2
shift 2
"$scratch/measure" <(zcat "$texts") <(zcat "$pairs") "$@"
