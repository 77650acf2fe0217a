#!/usr/bin/env bash
# Usage: run.sh TEXTS.tsv.gz PAIRS.tsv.gz [PART...], or run.sh TEXTS.tsv.gz PAIRS.tsv.gz kinds [TABLES]. Builds
# measure.cpp, or kinds.cpp, with the extension's core and prints its tables; the parts are in README.md.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
texts=$1 pairs=$2
shift 2
program=measure nouns="guided_plan" # kinds.cpp includes guided_plan.cpp
if [ "${1:-}" = kinds ]; then
    program=kinds nouns=
    shift
fi
sources=("$TOP/bench/volatility/$program.cpp")
for noun in $nouns feature_counts feature_hash key_ball key_order normal_text table_design term_frequency \
    text_features unicode volatility vosh weights; do
    sources+=("$TOP"/src/core/*/"$noun.cpp")
done
g++ -std=c++20 -O2 -fno-math-errno -ffp-contract=off -Wall -Wextra -Wshadow -I"$TOP/src" -o "$scratch/$program" \
    "${sources[@]}"
"$scratch/$program" <(zcat "$texts") <(zcat "$pairs") "$@"
