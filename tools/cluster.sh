# Sourced by the demo, the tests and the benchmarks: builds the extension, stages it in a scratch directory
# and runs a private PostgreSQL cluster there, as a non-root user, on a unix socket, stopped on exit.
#
#   TOP          the checkout (set by the caller)
#   SCRATCH      the scratch directory, made here
#   PGBIN        PostgreSQL's programs
#   as_server    runs a command as the user who owns the cluster
#   build_and_stage, cluster_start [setting ...], cluster_stop

PGVERSION_MAJOR=15
PGBIN=/usr/lib/postgresql/$PGVERSION_MAJOR/bin
PG_CONFIG=$PGBIN/pg_config
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/simhash.XXXXXX")
STAGE=$SCRATCH/stage
export PATH=$PGBIN:$PATH

as_server() {
    if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

# A cluster left running by an interrupted script would outlive it; so would the scratch directory.
cluster_cleanup() {
    cluster_stop
    [ -n "${KEEP_SCRATCH:-}" ] && echo "kept $SCRATCH" || rm -rf "$SCRATCH"
}
trap cluster_cleanup EXIT
trap 'exit 130' INT TERM

build_and_stage() {
    mkdir -p "$SCRATCH/build" "$STAGE"
    local log=$SCRATCH/build.log
    if ! make -s -j"$(nproc)" -C "$SCRATCH/build" -f "$TOP/Makefile" VPATH="$TOP" PG_CONFIG="$PG_CONFIG" \
        all install DESTDIR="$STAGE" ${BUILD_FLAGS:+"$BUILD_FLAGS"} >"$log" 2>&1; then
        cat "$log" >&2
        return 1
    fi
    chmod -R a+rX "$SCRATCH"
    [ "$(id -u)" = 0 ] && chown postgres "$SCRATCH"
    return 0
}

# The settings that let a server load the extension from the staging directory.
staged_settings() {
    echo "extension_destdir = '$STAGE'"
    echo "dynamic_library_path = '$STAGE$($PG_CONFIG --pkglibdir):\$libdir'"
}

cluster_start() {
    export PGDATA=$SCRATCH/data PGHOST=$SCRATCH PGPORT=5432 PGDATABASE=postgres PGUSER=postgres
    as_server "$PGBIN/initdb" -D "$PGDATA" -U postgres -A trust -E UTF8 --locale=C.UTF-8 -k >"$SCRATCH/initdb.log"
    {
        staged_settings
        echo "listen_addresses = ''"
        echo "unix_socket_directories = '$SCRATCH'"
        printf '%s\n' "$@"
    } | as_server tee -a "$PGDATA/postgresql.conf" >/dev/null
    as_server "$PGBIN/pg_ctl" -D "$PGDATA" -l "$SCRATCH/server.log" -w start >/dev/null ||
        { cat "$SCRATCH/server.log" >&2; return 1; }
}

cluster_stop() {
    if [ -s "${PGDATA:-/nonexistent}/postmaster.pid" ]; then
        as_server "$PGBIN/pg_ctl" -D "$PGDATA" -m fast -w stop >/dev/null
    fi
}
