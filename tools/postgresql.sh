# shellcheck shell=bash disable=SC2034
# Sourced by setup.sh and cluster.sh: which PostgreSQL is used.
#
#   PG_CONFIG         the pg_config of a PostgreSQL that is not one of Debian's packages
#   PGVERSION_MAJOR   the major version; by default the newest one whose server and headers are installed, or else
#                     the one that the system's package "postgresql" stands for

newest_installed() {
    local header
    for header in /usr/include/postgresql/*/server/postgres.h; do
        header=${header#/usr/include/postgresql/}
        header=${header%%/*}
        if [ -x "/usr/lib/postgresql/$header/bin/postgres" ]; then echo "$header"; fi
    done | sort -n | tail -n 1
}

standard() { LC_ALL=C apt-cache depends postgresql 2>/dev/null | sed -n 's/^ *Depends: postgresql-\([0-9]*\)$/\1/p' | head -n 1; }

find_postgresql() {
    if [ -n "${PG_CONFIG:-}" ]; then
        PGVERSION_MAJOR=
        PGBIN=$("$PG_CONFIG" --bindir)
        return
    fi
    PGVERSION_MAJOR=${PGVERSION_MAJOR:-$(newest_installed)}
    PGVERSION_MAJOR=${PGVERSION_MAJOR:-$(standard)}
    [ -n "$PGVERSION_MAJOR" ] || return 1
    PGBIN=/usr/lib/postgresql/$PGVERSION_MAJOR/bin
    PG_CONFIG=$PGBIN/pg_config
}
