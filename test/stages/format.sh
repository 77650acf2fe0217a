#!/usr/bin/env bash
# clang-format has nothing to change.
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

check "clang-format" check_format
finish
