#!/usr/bin/env bash
# Usage: families.sh [TEXTS.tsv.gz PAIRS.tsv.gz]. Builds families.cpp with the extension's core and prints its table.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$TOP/bench/link.sh" "$scratch/families" "$TOP/bench/minhash/families.cpp"
lscpu | sed -n 's/^Model name: *//p'
if [ $# -eq 2 ]; then
    zcat "$1" >"$scratch/texts"
    zcat "$2" >"$scratch/pairs"
    "$scratch/families" real "$scratch/texts" "$scratch/pairs"
else
    "$scratch/families" constructed
fi
