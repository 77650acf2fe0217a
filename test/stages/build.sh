#!/usr/bin/env bash
# The extension, warnings being errors; then what the tests of a server need: a copy of the tests, and the server.
set -euo pipefail
. "$(dirname "$0")/common.sh"

# What the user sets has to be in every compile command.
check_flags() {
    local commands
    commands=$(make -n -B -C "$BUILD/$1" -f "$TOP/$1/Makefile" PG_CONFIG="$PG_CONFIG" \
        CXXFLAGS=-Dcxxflags CPPFLAGS=-Dcppflags COPT=-Dcopt LDFLAGS=-Lldflags all) || { echo "$commands"; return 1; }
    if [ "$(grep -c -e '-Dcppflags -Dcxxflags -Dcopt .* -c ' <<<"$commands")" != "$(grep -c -e ' -c -o ' <<<"$commands")" ] ||
        ! grep -q -e ' -shared .*-Lldflags' <<<"$commands"; then
        echo "$commands"
        return 1
    fi
}

# Variables of the environment that PGXS would read mean something else.
check_environment() {
    local clean directory=$1
    compile_commands() { env "$@" make -n -B -C "$BUILD/$directory" -f "$TOP/$directory/Makefile" PG_CONFIG="$PG_CONFIG" all; }
    clean=$(compile_commands LC_ALL=C) || return 1
    diff <(echo "$clean") <(compile_commands LC_ALL=C PROFILE=1 FAILPOINTS=1 PROGRAM=x MODULES=x DOCS=x SCRIPTS=x HEADERS=x \
        TAP_TESTS=1 PG_CPPFLAGS=x SHLIB_LINK=x)
}

# Settings that a user's server is likely to have, but no waiting for disks.
start_server() {
    for_server test/sql test/common.sql expected test/isolation test/pgtap compat/test/sql compat/expected
    ln -sfn ../expected "$SCRATCH/source/test/expected"
    ln -sfn ../expected "$SCRATCH/source/compat/test/expected"
    cluster_start "fsync = off" "shared_buffers = '256MB'" "max_prepared_transactions = 10" "log_min_messages = warning"
}

BUILD_FLAGS=(COPT=-Werror)
# What sanitizers add makes GCC doubt that variables are set.
[ -z "${SANITIZERS:-}" ] ||
    BUILD_FLAGS=(COPT="-fsanitize=$SANITIZERS -fno-sanitize-recover=all" LDFLAGS="-fsanitize=$SANITIZERS")
BUILD_ALSO=(compat)
check "build without warnings" build_and_stage
[ "$bad" = 0 ] || { echo "Bail out!  The extension cannot be built."; exit 1; }
for directory in . compat; do
    [[ " $ONLY " != *" build "* ]] || check "compiler flags of the user, $directory" check_flags "$directory"
    [[ " $ONLY " != *" build "* ]] || check "variables of the environment, $directory" check_environment "$directory"
done
[[ ! " $ONLY " =~ " "(tap|drivers|failpoints)" " ]] ||
    for_server test/t test/drivers test/failpoints README.md compat doc clients demo tools sql src/install-script.awk simhash.control
as_server mkdir -p "$SCRATCH/ports"
if [[ " $ONLY " =~ " "(regress|isolation|pgtap)" " ]]; then
    check "server" start_server
    [ "$bad" = 0 ] || { echo "Bail out!  The server cannot be started."; exit 1; }
fi
finish
