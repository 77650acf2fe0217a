#!/usr/bin/env bash
# What years do to an index: updates of other columns, VACUUM, drifting fingerprints, inserts; beside four btrees on the
# 16-bit blocks of the same fingerprints. See README.md.
#
#   bench/years/run.sh [part ...]     updates, vacuum, inserts, drift; all without an argument
#
#   UPDATES=40000       of one row of 100,000
#   ROWS=2000000        of the table to vacuum, of which a tenth is dead
#   GENERATIONS=10      of drifting fingerprints
#   GENERATION=50000    rows of each
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
UPDATES=${UPDATES:-40000}
ROWS=${ROWS:-2000000}
GENERATIONS=${GENERATIONS:-10}
GENERATION=${GENERATION:-50000}

"$TOP/tools/setup.sh"
. "$TOP/tools/cluster.sh"
build_and_stage
cluster_start "shared_buffers = 1GB" "maintenance_work_mem = 256MB" "fsync = off" "autovacuum = off" "jit = off" \
    "full_page_writes = off" "max_wal_size = 8GB" "checkpoint_timeout = 1d" "max_parallel_maintenance_workers = 0" \
    "client_min_messages = warning"

sql() { psql -X -q -A -t -F ' ' -v ON_ERROR_STOP=1 "$@"; }
# measured statement: its processor time in seconds and the bytes of WAL.
measured() {
    sql <<SQL
SELECT pg_current_wal_insert_lsn() AS wal, processor_seconds() AS begun \gset
$1;
SELECT round((processor_seconds() - :begun)::numeric, 2), 's', pg_current_wal_insert_lsn() - :'wal'::pg_lsn, 'bytes of WAL';
SQL
}

updates() {
    local name
    echo "Updates: $UPDATES of one row of 100,000. Pages of the indexes; microseconds and blocks of a search"
    sql -c "CREATE TABLE u_simhash (id int PRIMARY KEY, n int, h simhash);
        INSERT INTO u_simhash SELECT i, 0, random_bits(64)::bit(64)::simhash FROM generate_series(1, 100000) AS i;
        CREATE TABLE u_btrees AS TABLE u_simhash; ALTER TABLE u_btrees ADD PRIMARY KEY (id);
        CREATE TABLE u_signature (id int PRIMARY KEY, n int, h bit(256));
        INSERT INTO u_signature SELECT i, 0, random_bits(256) FROM generate_series(1, 100000) AS i"
    for name in u_simhash u_btrees u_signature; do
        sql -c "CREATE INDEX ${name}_n ON $name (n); CALL add_indexes('$name')"
        sql -c "VACUUM ANALYZE $name"
        echo "$name: $(sql -c "SELECT 'fresh', pages('$name'), * FROM search('$name')")"
        echo "$name: $(measured "CALL update_row('$name', $UPDATES)")"
        echo "$name: $(sql -c "SELECT 'updated', pages('$name'), * FROM search('$name')")"
        sql -c "VACUUM $name"
        echo "$name: $(sql -c "SELECT 'vacuumed', pages('$name'), * FROM search('$name')")"
    done
}

vacuum() {
    local name
    echo "VACUUM: $ROWS rows, a tenth dead"
    sql -c "CREATE TABLE v_simhash AS SELECT i AS id, h.h FROM
        (SELECT i, random_bits(64)::bit(64)::simhash AS h FROM generate_series(1, $ROWS) AS i) AS h;
        CREATE TABLE v_btrees AS TABLE v_simhash; CREATE TABLE v_nothing AS TABLE v_simhash"
    for name in v_nothing v_btrees v_simhash; do
        sql -c "CALL add_indexes('$name')"
        sql -c "VACUUM $name"
        sql -c "DELETE FROM $name WHERE id % 10 = 0"
        echo "$name: $(measured "VACUUM (INDEX_CLEANUP on, PARALLEL 0, TRUNCATE off) $name")"
    done
}

inserts() {
    local name
    echo "Inserts: 50,000 rows into 300,000"
    sql -c "CREATE TABLE i_source AS SELECT i AS id, random_bits(64)::bit(64)::simhash AS h FROM generate_series(1, 350000) AS i"
    for name in i_nothing i_btrees i_simhash; do
        sql -c "CREATE TABLE $name AS SELECT * FROM i_source WHERE id <= 300000; CALL add_indexes('$name')"
        echo "$name: $(measured "INSERT INTO $name SELECT * FROM i_source WHERE id > 300000")"
    done
}

drift() {
    local name generation
    echo "Drift: $GENERATION rows of each generation; the older one is deleted. Pages of the indexes"
    sql -c "CREATE TABLE d_simhash (g int, h simhash); CREATE TABLE d_btrees (g int, h simhash); CREATE TABLE d_signature (g int, h bit(256))"
    for name in d_simhash d_btrees d_signature; do sql -c "CALL add_indexes('$name')"; done
    for ((generation = 0; generation <= GENERATIONS; generation++)); do
        sql -c "INSERT INTO d_simhash SELECT $generation, h::bit(64)::simhash FROM drifted($GENERATION, 64) AS h;
            INSERT INTO d_btrees SELECT * FROM d_simhash WHERE g = $generation;
            INSERT INTO d_signature SELECT $generation, h FROM drifted($GENERATION, 256) AS h"
        for name in d_simhash d_btrees d_signature; do
            sql -c "DELETE FROM $name WHERE g < $generation"
            sql -c "VACUUM $name"
        done
        echo "generation $generation: $(sql -c "SELECT 'simhash', pages('d_simhash'), 'btrees', pages('d_btrees'), 'signature', pages('d_signature')")"
    done
}

sql -f "$TOP/bench/years/setup.sql"
echo "Load: $(cut -d ' ' -f 1-3 /proc/loadavg)"
[ $# != 0 ] || set -- updates vacuum inserts drift
for part in "$@"; do "$part"; done
echo "Load: $(cut -d ' ' -f 1-3 /proc/loadavg)"
