#!/usr/bin/env bash
# The libraries export the functions that SQL calls, whose names begin with simhash_, and nothing else, and do not need
# libstdc++.
set -euo pipefail
. "$(dirname "$0")/common.sh"

check_symbols() {
    local library script exported function status=0
    library=$INSTALL_ROOT$("$PG_CONFIG" --pkglibdir)/$1.so
    script=$(find "$INSTALL_ROOT$("$PG_CONFIG" --sharedir)/extension" -name "$1--?*.sql")
    # Nothing of the build for tests.
    ! nm -C "$library" | grep -i failpoint || status=1
    ! grep -q -F "simhash.failpoint" "$library" || { echo "the library has failpoints"; status=1; }
    # Only a server with ICU happens to have the C++ library loaded. What one extension uses of the other is its own copy.
    ! nm -D --undefined-only "$library" | grep -E ' U (_Z|__cxa_|__gxx_)' ||
        { echo "the library needs libstdc++ or objects that it lacks"; status=1; }
    exported=$(nm -D --defined-only "$library" | awk '{print $3}' | sort)
    for symbol in $exported; do
        case $symbol in
        _PG_init | Pg_magic_func) ;;
        pg_finfo_simhash_*) ;;
        simhash_*)
            # Parallel workers, too, find their function by its name.
            grep -q -x "pg_finfo_$symbol" <<<"$exported" ||
                grep -q -r -F "\"$symbol\"" "$TOP/src/am" ||
                { echo "exported for no reason: $symbol"; status=1; }
            ;;
        *)
            echo "exported without a prefix: $symbol"
            status=1
            ;;
        esac
    done
    while read -r function; do
        grep -q -x "$function" <<<"$exported" || { echo "pg_finfo_$function without $function"; status=1; }
        # shellcheck disable=SC2086
        grep -q -w "$function" $script || { echo "no SQL function calls $function"; status=1; }
    done < <(sed -n 's/^pg_finfo_//p' <<<"$exported")
    return "$status"
}

check "simhash" check_symbols simhash
check "simhash_compat" check_symbols simhash_compat
finish
