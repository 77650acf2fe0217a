#!/usr/bin/env bash
# The scripts by shellcheck, src/ by clang-tidy.
set -euo pipefail
. "$(dirname "$0")/common.sh"

# Scripts are known by their first line: also .ci/run.
check_shell() {
    local scripts
    scripts=$(grep -r -l -E -m 1 '^#(!/usr/bin/env bash| shellcheck shell=bash)' .ci bench demo test tools)
    # shellcheck disable=SC2086
    shellcheck -x -P SCRIPTDIR -P . $scripts
}

check_tidy() { make -s PG_CONFIG="$PG_CONFIG" tidy && make -s -C compat PG_CONFIG="$PG_CONFIG" tidy; }

check "shellcheck" check_shell
check_by_clang "clang-tidy" clang-tidy check_tidy
finish
