#!/usr/bin/env bash
# Prints the estimates of doc/search.md and README.md. Needs no server.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
program=$(mktemp)
trap 'rm -f "$program"' EXIT
"$TOP/bench/link.sh" "$program" "$TOP/bench/plans/plans.cpp"
"$program"
