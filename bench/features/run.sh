#!/usr/bin/env bash
# Usage: run.sh TEXTS.tsv[.gz]... Builds measure.cpp with the extension's core and prints its tables for each file.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$TOP/bench/link.sh" "$scratch/measure" "$TOP/bench/features/measure.cpp" -mpopcnt
lscpu | sed -n 's/^Model name: *//p'
for texts; do
    name=$scratch/$(basename "${texts%.gz}" .tsv)
    zcat -f "$texts" >"$name"
    (cd "$scratch" && ./measure "$(basename "$name")")
    rm "$name"
done
