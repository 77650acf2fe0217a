#!/usr/bin/env bash
# Usage: run.sh TEXTS.tsv.gz PAIRS.tsv.gz [PART...], or run.sh TEXTS.tsv.gz PAIRS.tsv.gz kinds [TABLES]. Builds
# measure.cpp, or kinds.cpp, with the extension's core and prints its tables; the parts are in README.md.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
texts=$1 pairs=$2
shift 2
program=measure
if [ "${1:-}" = kinds ]; then
    program=kinds
    shift
fi
"$TOP/bench/link.sh" "$scratch/$program" "$TOP/bench/volatility/$program.cpp"
"$scratch/$program" <(zcat "$texts") <(zcat "$pairs") "$@"
