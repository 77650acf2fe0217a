#!/usr/bin/env bash
# clang-format has nothing to change, and documents keep to lines and sentences that can be read.
set -euo pipefail
. "$(dirname "$0")/common.sh"

check_format() {
    local log=$SCRATCH/format.log
    make -s check-format >"$log" 2>&1 && return 0
    # One line per place, then the way out.
    grep -E 'error: ' "$log" | cut -d: -f1,2 | sort -u -t: -k1,1 -k2,2n || cat "$log"
    echo "make format would repair it"
    return 1
}

# doc/objects.md is a list that a program writes.
check_prose() {
    local page pages=()
    for page in *.md doc/*.md compat/*.md src/am/*.md clients/*/*.md bench/*.md bench/*/*.md; do
        [ "$page" = doc/objects.md ] || pages+=("$page")
    done
    tools/prose.pl "${pages[@]}"
}

check_by_clang "clang-format" clang-format check_format
check "prose" check_prose
finish
