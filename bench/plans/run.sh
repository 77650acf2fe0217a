#!/usr/bin/env bash
# Prints the estimates of doc/search.md and README.md. Needs no server.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
program=$(mktemp)
trap 'rm -f "$program"' EXIT
g++ -std=c++20 -O2 -Wno-format-security -I"$TOP/src" -o "$program" "$TOP/bench/plans/plans.cpp" \
    "$TOP/src/core/tables/search_plan.cpp" "$TOP/src/core/tables/table_design.cpp"
"$program"
