#!/usr/bin/env bash
# Usage: signatures.sh TEXTS.tsv.gz. Builds signatures.cpp with the extension's core and prints its table.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$TOP/bench/link.sh" "$scratch/signatures" "$TOP/bench/features/signatures.cpp"
lscpu | sed -n 's/^Model name: *//p'
"$scratch/signatures" <(zcat "$1")
