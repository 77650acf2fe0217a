#!/usr/bin/env bash
# clang-tidy over source files; `make tidy` calls this:
#
#   tools/tidy.sh 'flags of the compiler' file.cpp ...
#
# The files of a folder are one unit, since most of the time goes into headers: a third of what single files take. Files
# that cannot be compiled together, as when two have a function of one name, are divided.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/.." && pwd)
flags=$1
shift
units=$(mktemp -d "${TMPDIR:-/tmp}/simhash_tidy.XXXXXX")
trap 'rm -rf "$units"' EXIT
trap 'exit 130' INT TERM

# check unit file ...: whether clang-tidy has nothing to say. Standard error counts warnings in system headers.
check() {
    local unit=$1 half=$((($# - 1) / 2)) status=0
    shift
    printf '#include "%s"\n' "${@/#/$PWD/}" >"$units/$unit.cpp"
    # shellcheck disable=SC2086
    if [ $# = 1 ] || clang++ -fsyntax-only -w $flags "$units/$unit.cpp" 2>/dev/null; then
        clang-tidy --quiet --config-file="$TOP/.clang-tidy" --checks=-bugprone-suspicious-include "$units/$unit.cpp" \
            -- $flags 2>/dev/null
    else
        check "${unit}a" "${@:1:half}" || status=1
        check "${unit}b" "${@:half+1}" || status=1
        return "$status"
    fi
}

n=0
while read -r folder; do
    mapfile -t files < <(printf '%s\n' "$@" | grep "^$folder/[^/]*$")
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || :; done
    n=$((n + 1))
    { check "$n" "${files[@]}" || : >"$units/failed"; } &
done < <(dirname "$@" | sort -u)
wait
[ ! -e "$units/failed" ]
