#!/usr/bin/env bash
# Usage: link.sh PROGRAM SOURCE [ARGUMENT...]. Compiles a program of bench, and links it with what it needs of src/core,
# compiled as in the extension. The source names libraries in a line "// Libraries: -lm". The further arguments go to the
# compiler. BUILD, if set, is the directory of a build of the extension, whose objects are used.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/.." && pwd)
PG_CONFIG=${PG_CONFIG:-pg_config}
program=$1 source=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
build=${BUILD:-$scratch}
if [ -z "${BUILD:-}" ]; then
    mapfile -t objects < <(cd "$TOP" && printf '%s\n' src/core/*/*.cpp | sed 's/cpp$/o/')
    make -s -j"$(nproc)" -C "$build" -f "$TOP/Makefile" PG_CONFIG="$PG_CONFIG" "${objects[@]}"
fi
# Of an archive only the needed objects are linked.
ar rcs "$scratch/core.a" "$build"/src/core/*/*.o
read -r -a libraries < <(sed -n 's|^// Libraries: ||p' "$source"; echo)
g++ -std=c++20 -O2 -fno-math-errno -ffp-contract=off -Wall -Wextra -I"$TOP/src" -I"$("$PG_CONFIG" --includedir)" \
    -o "$program" "$source" "$@" "$scratch/core.a" "${libraries[@]}"
