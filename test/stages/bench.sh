#!/usr/bin/env bash
# Every program of bench compiles and links; a warning is an error. What needs a library that is missing is skipped.
set -euo pipefail
. "$(dirname "$0")/common.sh"

export BUILD
for source in bench/*/*.cpp; do
    name=${source#bench/}
    if missing=$(g++ -std=c++20 -Isrc -I"$("$PG_CONFIG" --includedir)" -M "$source" 2>&1 >/dev/null); then
        check "$name" bench/link.sh "$SCRATCH/bench.program" "$source" -Werror
    else
        header=$(sed -n 's/.*fatal error: \(.*\): No such file.*/\1/p' <<<"$missing" | head -n 1)
        case $header in
        simhash.h | faiss/* | libpq-fe.h) skip "$name" "no $header" ;;
        *) check "$name" false "$missing" ;;
        esac
    fi
done
finish
