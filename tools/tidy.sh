#!/usr/bin/env bash
# clang-tidy over source files, as .clang-tidy says; `make tidy` calls this.
#
#   tools/tidy.sh flags file ...    the compiler's flags in one argument
#
# Most of its time goes into the system's headers. So it reads several files as one, as far as they have no names of
# their own in common.
set -euo pipefail

export FLAGS=$1
shift

# check_group file ...
check_group() {
    local unit half=$(($# / 2)) status=0
    if [ $# = 1 ]; then
        # shellcheck disable=SC2086
        clang-tidy --quiet "$1" -- $FLAGS 2>/dev/null
        return
    fi
    unit=$(mktemp --suffix=.cpp)
    printf '#include "%s"\n' "$@" >"$unit"
    # shellcheck disable=SC2086
    if clang++ -fsyntax-only -w $FLAGS "$unit" 2>/dev/null; then
        # Standard error counts warnings in system headers.
        clang-tidy --quiet --config-file="$CONFIG" --header-filter=/src/ --checks=-bugprone-suspicious-include "$unit" -- $FLAGS 2>/dev/null || status=1
    else
        check_group "${@:1:half}" || status=1
        check_group "${@:half+1}" || status=1
    fi
    rm -f "$unit"
    return "$status"
}
export -f check_group
CONFIG=$(cd "$(dirname "$0")/.." && pwd)/.clang-tidy
export CONFIG
# Neighbors in a folder often share names: they go to different groups.
size=10 groups=$((($# + 9) / 10))
for ((first = 0; first < groups; first++)); do
    for ((i = first; i < groups * size; i += groups)); do
        [ "$i" -ge $# ] || echo "${@:i+1:1}"
    done | xargs
done | xargs -P "$(nproc)" -L 1 bash -c 'check_group "$@"' _
