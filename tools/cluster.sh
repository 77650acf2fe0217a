# shellcheck shell=bash
# Sourced by the demo, the tests and the benchmarks: builds the extension, stages it in a scratch directory
# and runs a private PostgreSQL cluster there, as a non-root user, on a unix socket, stopped on exit.
#
#   TOP           the checkout (set by the caller)
#   SCRATCH       the scratch directory, made here; KEEP_SCRATCH=1 keeps it
#   BUILD         where build_and_stage builds, with the array BUILD_FLAGS as further arguments of make; BUILD_DIRECTORY
#                 names a persistent directory, so that the next run compiles only what changed; BUILD_ALSO=(compat) adds
#                 the extension in that directory
#   INSTALL_ROOT  where it installs to
#   PGBIN         PostgreSQL's programs
#   as_server command ...      runs a command as the user who owns the cluster, in the scratch directory
#   for_server path ...        copies files or directories of the checkout to where that user can read them
#   interruptible command ...  runs a long command so that a signal to this script also ends it
#   build_and_stage, server_programs, staged_settings, cluster_start [setting ...], cluster_stop,
#   server_environment

. "$TOP/tools/postgresql.sh"
find_postgresql
export PATH=$PGBIN:$PATH

# The user who runs the servers may have no access to the checkout (root's home, for example) or to TMPDIR.
# The stages of the tests share the one that test/run.sh made.
SCRATCH=${CLUSTER_SCRATCH:-}
if [ -z "$SCRATCH" ]; then
    SCRATCH=${TMPDIR:-/tmp}
    [ "$(id -u)" != 0 ] || runuser -u postgres -- test -x "$SCRATCH" || SCRATCH=/tmp
    SCRATCH=$(mktemp -d "$SCRATCH/simhash.XXXXXX")
    chmod 755 "$SCRATCH"
    [ "$(id -u)" != 0 ] || chown postgres "$SCRATCH"
fi
INSTALL_ROOT=$SCRATCH/root
BUILD=${BUILD_DIRECTORY:-$SCRATCH/build}
BUILD_FLAGS=()
BUILD_ALSO=()

as_server() {
    (
        cd "$SCRATCH" || exit
        set -- env HOME="$SCRATCH" "$@"
        [ "$(id -u)" != 0 ] || set -- runuser -u postgres -- "$@"
        "$@"
    )
}

for_server() {
    mkdir -p "$SCRATCH/source"
    (cd "$TOP" && cp -RL --parents "$@" "$SCRATCH/source")
    chmod -R a+rX "$SCRATCH/source"
}

# The command gets its own process group, which cluster_cleanup ends.
group=
interruptible() {
    # A stage of the tests is in the group of its time limit already.
    if [ -n "${CLUSTER_SCRATCH:-}" ]; then
        "$@"
        return
    fi
    set -m
    "$@" &
    group=$!
    set +m
    local status=0
    wait "$group" || status=$?
    group=
    return "$status"
}

# Otherwise the cluster and the scratch directory would outlive an interrupted script.
cluster_cleanup() {
    local status=$? pidfile
    trap '' INT TERM
    if [ -n "$group" ]; then
        kill -TERM -- "-$group" 2>/dev/null || true
        wait "$group" 2>/dev/null || true
    fi
    find "$SCRATCH" -name postmaster.pid 2>/dev/null | while read -r pidfile; do
        as_server "$PGBIN/pg_ctl" -D "${pidfile%/*}" -m fast -w stop >/dev/null 2>&1 ||
            as_server "$PGBIN/pg_ctl" -D "${pidfile%/*}" -m immediate -w stop >/dev/null 2>&1 || true
    done
    [ -n "${KEEP_SCRATCH:-}" ] || rm -rf "$SCRATCH"
    exit "$status"
}
if [ -z "${CLUSTER_SCRATCH:-}" ]; then
    trap cluster_cleanup EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    [ -z "${KEEP_SCRATCH:-}" ] || echo "Scratch directory: $SCRATCH"
fi

build_and_stage() {
    local log directory
    mkdir -p "$INSTALL_ROOT"
    log=$(mktemp "$SCRATCH/build.XXXXXX")
    for directory in "" "${BUILD_ALSO[@]/#//}"; do
        mkdir -p "$BUILD$directory"
        interruptible make -s -j"$(nproc)" -C "$BUILD$directory" -f "$TOP$directory/Makefile" PG_CONFIG="$PG_CONFIG" \
            all install DESTDIR="$INSTALL_ROOT" "${BUILD_FLAGS[@]}" >"$log" 2>&1 || { cat "$log" >&2; return 1; }
    done
    ! server_is_copied || copy_server
    chmod -R a+rX "$INSTALL_ROOT"
}

# PostgreSQL's major version, also of a beta.
server_major() { "$PG_CONFIG" --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/'; }

# Up to 17 only Debian's patch lets a server load an extension from elsewhere than its own directories. Without that
# patch a copy of the server is staged, too. Servers look for their files where their program is.
server_is_copied() {
    [ "$(server_major)" -lt 18 ] && ! "$PGBIN/postgres" --describe-config | grep '^extension_destdir' >/dev/null
}

copy_server() {
    local directory
    for directory in --pkglibdir --sharedir; do
        directory=$("$PG_CONFIG" "$directory")
        cp -rsn "$directory/." "$INSTALL_ROOT$directory"
    done
    mkdir -p "$INSTALL_ROOT$PGBIN"
    cp "$PGBIN"/* "$INSTALL_ROOT$PGBIN"
}

# The programs of the server that the extension is staged for.
server_programs() {
    if server_is_copied; then echo "$INSTALL_ROOT$PGBIN"; else echo "$PGBIN"; fi
}

# The settings that let a server load the extension from the staging directory, with SIMD=scalar the kernels of a processor
# that has no others.
staged_settings() {
    [ -z "${SIMD:-}" ] || printf '%s\n' "session_preload_libraries = '$INSTALL_ROOT$("$PG_CONFIG" --pkglibdir)/simhash'" \
        "simhash.simd = '$SIMD'"
    if server_is_copied; then return; fi
    if [ "$(server_major)" -ge 18 ]; then
        echo "extension_control_path = '$INSTALL_ROOT$("$PG_CONFIG" --sharedir):\$system'"
    else
        echo "extension_destdir = '$INSTALL_ROOT'"
    fi
    echo "dynamic_library_path = '$INSTALL_ROOT$("$PG_CONFIG" --pkglibdir):\$libdir'"
}

# What clients of the cluster need.
server_environment() {
    unset PGOPTIONS PGSERVICE PGHOSTADDR PGPASSFILE PGAPPNAME PGCLIENTENCODING PGTZ PGDATESTYLE
    export PGDATA=$SCRATCH/data PGHOST=$SCRATCH PGPORT=5432 PGDATABASE=postgres PGUSER=postgres
}

cluster_start() {
    server_environment
    as_server "$PGBIN/initdb" -D "$PGDATA" -U postgres -A trust -E UTF8 --locale=C.UTF-8 -k -N >"$SCRATCH/initdb.log"
    {
        staged_settings
        echo "listen_addresses = ''"
        echo "unix_socket_directories = '$SCRATCH'"
        printf '%s\n' "$@"
    } | as_server tee -a "$PGDATA/postgresql.conf" >/dev/null
    as_server "$(server_programs)/pg_ctl" -D "$PGDATA" -l "$SCRATCH/server.log" -w start >/dev/null ||
        { cat "$SCRATCH/server.log" >&2; return 1; }
}

cluster_stop() {
    if [ -s "${PGDATA:-/nonexistent}/postmaster.pid" ]; then
        as_server "$PGBIN/pg_ctl" -D "$PGDATA" -m fast -w stop >/dev/null
    fi
}

# Removes the data of a stopped server from the kernel's cache.
uncache_data() {
    as_server find "$PGDATA/base" -type f -size +64k \
        -exec dd of={} oflag=nocache conv=notrunc,fdatasync count=0 status=none \;
}
