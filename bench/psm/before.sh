#!/usr/bin/env bash
# Exact searches before and after a change: this checkout and an earlier revision, alternating. Leaf pages, and processor time
# minus reading the queries, until the first row (EXISTS), the nearest row, and of all rows, for queries with and without a
# near-duplicate.
#
#   bench/psm/before.sh REVISION revisions.tsv.gz revisions.pairs.tsv.gz     or the directory of a checkout
#
#   SIZES="1000000" TABLES="4 1" RADII="3 8" FEATURES=idf QUERIES=1000 DRAWN=measured    as in run.sh
#   ROUNDS=7               of which the fastest count
#   SECONDS_EACH=0.3       processor time of one round of one search
#   BUILD_DIRECTORY=       keeps the objects of the build
#   BEFORE_BUILD=          and those of the earlier one
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
SIZES=${SIZES:-1000000}
TABLES=${TABLES:-4 1}
RADII=${RADII:-3 8}
[ $# = 3 ] || { sed -n '2,12s/^# \?//p' "$0" >&2; exit 2; }
"$TOP/tools/setup.sh"
. "$TOP/tools/cluster.sh"
here=$TOP/bench/psm
BUILD="" "$TOP/bench/link.sh" "$SCRATCH/collection" "$here/collection.cpp"
run() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }
on() { run -h "$SCRATCH/$1" "${@:2}"; }
value() { on now -A -t -c "$1"; }
say() { echo "$(printf '%4d s: ' $SECONDS)$*" >&2; }

side() { # name checkout build
    local SCRATCH=$SCRATCH/$1 TOP=$2 BUILD=$3
    local INSTALL_ROOT=$SCRATCH/root
    mkdir -p "$SCRATCH" "$BUILD"
    chmod 755 "$SCRATCH"
    [ "$(id -u)" != 0 ] || chown postgres "$SCRATCH"
    local BUILD_FLAGS=(COPT=-Werror)
    build_and_stage
    cluster_start "shared_buffers = ${SHARED_BUFFERS:-2GB}" "maintenance_work_mem = 1GB" "work_mem = 64MB" "wal_level = minimal" \
        "max_wal_senders = 0" "max_wal_size = 16GB" "checkpoint_timeout = 1h" "fsync = off" "autovacuum = off" "jit = off" \
        "max_parallel_workers_per_gather = 0" "max_parallel_maintenance_workers = 0" "client_min_messages = warning"
}
earlier=$1
if [ ! -d "$earlier" ]; then
    earlier=$SCRATCH/earlier
    mkdir "$earlier"
    git -C "$TOP" archive "$1" | tar -x -C "$earlier"
fi
side before "$earlier" "${BEFORE_BUILD:-$SCRATCH/build_before}"
side now "$TOP" "$BUILD"

# -- data ---------------------------------------------------------------------------------------------------

on now -c 'CREATE TABLE text (id integer, family text, body text)' -c 'CREATE TABLE near (id1 integer, id2 integer)'
zcat "$2" | cut -f 1,3,8 | on now -c '\copy text FROM pstdin'
zcat "$3" | awk -F '\t' '$3 <= 1 || $6 >= 0.9 { print $1 "\t" $2 }' | on now -c '\copy near FROM pstdin'
on now -v features="${FEATURES:-idf}" -v queries="${QUERIES:-1000}" -v batch=1 -f "$here/texts.sql" >/dev/null
value "SELECT avg((h::bigint >> j & 1)::int) FROM fingerprinted, generate_series(0, 63) j GROUP BY j ORDER BY j" >"$SCRATCH/bits"
[ "${DRAWN:-measured}" = measured ] || sed -i 's/.*/0.5/' "$SCRATCH/bits"
on before -c 'CREATE EXTENSION simhash' -c 'CREATE TABLE query (id integer, w simhash_weights, h simhash)' \
    -c 'CREATE UNLOGGED TABLE doc (id integer NOT NULL, h simhash NOT NULL)'
for table in query doc; do
    on now -c "\\copy $table TO pstdout BINARY" | on before -c "\\copy $table FROM pstdin BINARY"
done
on before -f "$here/before.sql"
on now -f "$here/before.sql"
say "texts fingerprinted"

# -- searches -----------------------------------------------------------------------------------------------

measure() { # side round
    on "$1" -v rounds="$2" -v seconds="${SECONDS_EACH:-0.3}" -v rows="$size" -v tables="$tables" -A -t -F ' ' <<'SQL'
SELECT :rounds, :rows, :tables, radius, kind, form, m.* FROM form, LATERAL measure(statement, overhead, :seconds) m ORDER BY number;
SQL
}

drawn=0
for size in $SIZES; do
    rows=$(value 'SELECT count(*) FROM doc')
    "$SCRATCH/collection" $((100000000 + drawn + 1)) $((100000000 + drawn + size - rows)) <"$SCRATCH/bits" >"$SCRATCH/random"
    drawn=$((drawn + size - rows))
    for name in before now; do
        on $name -c '\copy doc FROM pstdin BINARY' -c 'VACUUM ANALYZE doc' <"$SCRATCH/random"
    done
    rm "$SCRATCH/random"
    say "$size rows loaded"
    for tables in $TABLES; do
        for name in before now; do
            on $name -c "CREATE INDEX doc_h ON doc USING simhash (h) WITH (tables = $tables)" -c "CALL choose_queries('{${RADII// /,}}')"
        done
        say "tables = $tables: built"
        for ((round = 0; round < ${ROUNDS:-7}; round++)); do
            for name in before now; do
                measure $name $round | sed "s/^/$name /" >>"$SCRATCH/measured"
            done
        done
        for name in before now; do on $name -c 'DROP INDEX doc_h'; done
        say "tables = $tables: searched"
    done
done
echo "rows tables radius near-duplicate rows-and-form queries pages-before pages-now us-before us-now ratio-of-times wrong"
# The fastest round of each side. The answers of both must be alike.
awk '{ key = $3 " " $4 " " $5 " " $6 " " $7; if (!(key in seen)) { seen[key] = ++n; name[n] = key }
       if (!(($1, key) in us) || $9 < us[$1, key]) us[$1, key] = $9
       queries[key] = $8; pages[$1, key] = $10; answer[$1, key] = $11 }
    END { for (i = 1; i <= n; i++) { k = name[i]; printf "%s %d %.1f %.1f %.2f %.2f %.3f %s\n", k, queries[k], pages["before", k], pages["now", k],
        us["before", k], us["now", k], us["now", k] / us["before", k], answer["before", k] == answer["now", k] ? "" : "DIFFERENT ANSWERS" } }' \
    "$SCRATCH/measured" | column -t
