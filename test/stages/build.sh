#!/usr/bin/env bash
# The extension, warnings being errors; then what the tests of a server need: a copy of the tests, and the server.
set -euo pipefail
. "$(dirname "$0")/common.sh"

# What the user sets has to be in every compile command.
check_flags() {
    local commands sources
    sources=$(find src compat -path '*src/*' -name '*.cpp' | wc -l)
    commands=$(make -n -B -C "$BUILD" -f "$TOP/Makefile" PG_CONFIG="$PG_CONFIG" \
        CXXFLAGS=-Dcxxflags CPPFLAGS=-Dcppflags COPT=-Dcopt LDFLAGS=-Lldflags all) || { echo "$commands"; return 1; }
    if [ "$(grep -c -e '-Dcppflags -Dcxxflags -Dcopt .* -c ' <<<"$commands")" != "$sources" ] ||
        ! grep -q -e ' -shared .*-Lldflags' <<<"$commands"; then
        echo "$commands"
        return 1
    fi
}

# Variables of the environment that PGXS would read mean something else.
check_environment() {
    local clean
    compile_commands() { env "$@" make -n -B -C "$BUILD" -f "$TOP/Makefile" PG_CONFIG="$PG_CONFIG" all; }
    clean=$(compile_commands LC_ALL=C) || return 1
    diff <(echo "$clean") <(compile_commands LC_ALL=C PROFILE=1 FAILPOINTS=1 PROGRAM=x MODULES=x DOCS=x SCRIPTS=x HEADERS=x \
        TAP_TESTS=1 PG_CPPFLAGS=x SHLIB_LINK=x)
}

# Settings that a user's server is likely to have, but no waiting for disks.
start_server() {
    for_server test/sql expected test/isolation test/pgtap
    ln -sfn ../expected "$SCRATCH/source/test/expected"
    cluster_start "fsync = off" "shared_buffers = '256MB'" "max_prepared_transactions = 10" "log_min_messages = warning"
}

BUILD_FLAGS=(COPT=-Werror)
check "build without warnings" build_and_stage
[ "$bad" = 0 ] || { echo "Bail out!  The extension cannot be built."; exit 1; }
[[ " $ONLY " != *" build "* ]] || check "compiler flags of the user" check_flags
[[ " $ONLY " != *" build "* ]] || check "variables of the environment" check_environment
[[ ! " $ONLY " =~ " "(tap|drivers|failpoints)" " ]] ||
    for_server test/t test/drivers test/failpoints README.md compat/README.md doc clients demo tools sql simhash.control simhash_compat.control
as_server mkdir -p "$SCRATCH/ports"
if [[ " $ONLY " =~ " "(regress|isolation|pgtap)" " ]]; then
    check "server" start_server
    [ "$bad" = 0 ] || { echo "Bail out!  The server cannot be started."; exit 1; }
fi
finish
