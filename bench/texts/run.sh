#!/usr/bin/env bash
# Usage: run.sh CLONES OUTPUT [KIND...]. Writes KIND.tsv.gz for each kind, and revisions.pairs.tsv.gz; see README.md.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
clones=$1 output=$2
shift 2
[ $# -gt 0 ] || set -- revisions manuals frames mail code cjk titles
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for kind; do
    "$TOP/bench/texts/prepare.pl" "$kind" "$clones" | gzip >"$output/$kind.tsv.gz"
    [ "$kind" = revisions ] || continue
    "$TOP/bench/link.sh" "$scratch/pairs" "$TOP/bench/texts/pairs.cpp" -mpopcnt
    zcat "$output/revisions.tsv.gz" >"$scratch/texts"
    "$scratch/pairs" "$scratch/texts" | gzip >"$output/revisions.pairs.tsv.gz"
done
