#!/usr/bin/env bash
# What years do to an index: updates of other columns, VACUUM, replaced rows, drifting fingerprints, inserts, many
# writers, serializable transactions and mixed load; beside four btrees on the 16-bit blocks of the same fingerprints.
# See README.md.
#
#   bench/years/run.sh [part ...]     updates, vacuum, churn, inserts, clients, drift, serializable, mixed; or all
#
#   UPDATES=40000       of one row of 100,000, which is also deleted and inserted again as often
#   ROWS=2000000        of the table to vacuum, of which a tenth is dead
#   VACUUMED="v_nothing v_btrees v_simhash"
#   ROUNDS=24           of replaced rows, of which the second half is measured
#   GENERATIONS=10      of drifting fingerprints
#   GENERATION=50000    rows of each
#   CLIENTS=8           that insert at once
#   SECONDS_EACH=10     of inserts by one and by all clients
#   TRANSACTIONS=250    serializable ones of each of four clients
#   MINUTES=2           of mixed load on each table, in ten parts
#   RATE=200            transactions of mixed load in a second
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
UPDATES=${UPDATES:-40000}
ROWS=${ROWS:-2000000}
VACUUMED=${VACUUMED:-v_nothing v_btrees v_simhash}
ROUNDS=${ROUNDS:-24}
GENERATIONS=${GENERATIONS:-10}
GENERATION=${GENERATION:-50000}
CLIENTS=${CLIENTS:-8}
SECONDS_EACH=${SECONDS_EACH:-10}
TRANSACTIONS=${TRANSACTIONS:-250}
MINUTES=${MINUTES:-2}
RATE=${RATE:-200}

"$TOP/tools/setup.sh"
. "$TOP/tools/cluster.sh"
build_and_stage
cluster_start "shared_buffers = 1GB" "maintenance_work_mem = 256MB" "fsync = off" "autovacuum = off" "jit = off" \
    "full_page_writes = off" "max_wal_size = 8GB" "checkpoint_timeout = 1d" "max_parallel_maintenance_workers = 0" \
    "client_min_messages = warning"

type_of() { case $1 in *signature) echo 'bit(256)' ;; *) echo simhash ;; esac; }
sql() { psql -X -q -A -t -F ' ' -v ON_ERROR_STOP=1 "$@"; }
# measured statement: its processor time and elapsed time in seconds, and the bytes of WAL.
measured() {
    sql <<SQL
SELECT pg_current_wal_insert_lsn() AS wal, processor_seconds() AS begun, clock_timestamp() AS clock \gset
$1;
SELECT round((processor_seconds() - :begun)::numeric, 2), 's,', round(extract(epoch FROM clock_timestamp() - :'clock')::numeric, 2),
    's elapsed,', pg_current_wal_insert_lsn() - :'wal'::pg_lsn, 'bytes of WAL';
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
        echo "$name: $(measured "CALL replace_row('$name', $UPDATES)")"
        echo "$name: $(sql -c "SELECT 'deleted and inserted again', pages('$name'), * FROM search('$name')")"
    done
}

vacuum() {
    local name
    echo "VACUUM: $ROWS rows, a tenth dead"
    for name in $VACUUMED; do
        sql -c "CREATE TABLE $name AS SELECT i AS id, hashint8extended(i, 1)::simhash AS h FROM generate_series(1, $ROWS) AS i"
        sql -c "CALL add_indexes('$name')"
        sql -c "VACUUM $name"
        sql -c "DELETE FROM $name WHERE id % 10 = 0"
        echo "$name: $(measured "VACUUM (INDEX_CLEANUP on, PARALLEL 0, TRUNCATE off) $name")"
    done
}

churn() {
    local name percent round wal
    for percent in 10 20 40; do
        echo "Churn: $percent % of 60,000 rows replaced, then VACUUM. Bytes of WAL for each row; pages; pages built anew"
        for name in k_nothing k_btrees k_simhash k_signature; do
            sql -c "DROP TABLE IF EXISTS $name" -c "CREATE TABLE $name (h $(type_of $name))" -c "CALL add_rows('$name', 60000)" \
                -c "CALL add_indexes('$name')"
            for ((round = 1; round <= ROUNDS; round++)); do
                [ "$round" != $((ROUNDS / 2 + 1)) ] || wal=$(sql -c "SELECT pg_current_wal_insert_lsn()")
                sql -c "DELETE FROM $name WHERE ctid = ANY (ARRAY(SELECT ctid FROM $name ORDER BY random() LIMIT 600 * $percent))" \
                    -c "CALL add_rows('$name', 600 * $percent)" -c "VACUUM $name"
            done
            echo "$name: $(sql -c "SELECT round((pg_current_wal_insert_lsn() - '$wal'::pg_lsn) / (600.0 * $percent * ($ROUNDS - $ROUNDS / 2)));
                SELECT pages('$name'); REINDEX TABLE $name; SELECT pages('$name')" | paste -sd' ')"
        done
    done
}

# The random fingerprint or signature of a table's rows, from the pgbench variable a.
random_value() {
    case $1 in
        *signature) echo "repeat((:a)::bigint::bit(64)::text, 4)::bit(256)" ;;
        *) echo "(:a)::bigint::bit(64)::simhash" ;;
    esac
}
# A search of a table for what is near a value: the btrees' has all four blocks.
search_for() {
    local name=$1 value=$2 block condition=
    case $name in
        *signature) echo "SELECT count(*) FROM $name WHERE h <@> $value <= 8" ;;
        *simhash) echo "SELECT count(*) FROM $name WHERE h <@> $value <= 3" ;;
        *)
            for block in 0 16 32 48; do
                condition="$condition${condition:+ OR }((h::bigint >> $block) & 65535) = (($value::bigint >> $block) & 65535)"
            done
            echo "SELECT count(*) FROM $name WHERE ($condition) AND h <@> $value <= 3"
            ;;
    esac
}
# pgbench of some scripts in the scratch directory.
load() { PGOPTIONS='-c enable_seqscan=off' pgbench -n -M prepared "$@" postgres 2>&1; }
figure() { sed -n "s/^$1[^0-9]*\([0-9.]*\).*/\1/p" | head -n 1; }

pages_of() { echo "$(sql -c "SELECT coalesce(pages('$1'), 0)") pages"; }

inserts() {
    local name
    echo "Inserts: 50,000 rows into 300,000 whose indexes have just been built, then 250,000 more"
    sql -c "CREATE TABLE i_source AS SELECT i AS id, random_bits(64)::bit(64)::simhash AS h FROM generate_series(1, 600000) AS i"
    for name in i_nothing i_btrees i_simhash; do
        sql -c "CREATE TABLE $name AS SELECT * FROM i_source WHERE id <= 300000; CALL add_indexes('$name')"
        echo "$name: $(pages_of $name)"
        echo "$name: $(measured "INSERT INTO $name SELECT * FROM i_source WHERE id > 300000 AND id <= 350000"); $(pages_of $name)"
        echo "$name: $(measured "INSERT INTO $name SELECT * FROM i_source WHERE id > 350000"); $(pages_of $name)"
    done
}

# How often a client waits for a lock on a page, in samples.
waits() {
    sql -c "CALL sample_waits($SECONDS_EACH - 1)" -c "TABLE waits"
}

clients() {
    local name count script=$SCRATCH/insert.pgb
    echo "Clients: rows that they insert in a second into 50,000, and in percent what they do: run, wait for a page, else"
    for name in c_btrees c_simhash c_signature; do
        sql -c "CREATE TABLE $name (h $(type_of $name)); CALL add_rows('$name', 50000); CALL add_indexes('$name')"
        printf '\\set a random(0, 9000000000000000000)\nINSERT INTO %s VALUES (%s);\n' \
            $name "$(random_value $name)" >"$script"
        for count in 1 "$CLIENTS"; do
            load -c "$count" -j 2 -T "$SECONDS_EACH" -f "$script" >"$SCRATCH/load.out" &
            local running=$!
            sleep 0.5
            local sample
            sample=$(waits)
            wait $running
            echo "$name, $count: $(figure 'tps' <"$SCRATCH/load.out"); $sample"
        done
    done
}

serializable() {
    local name script=$SCRATCH/serializable.pgb
    echo "Serializable: 4 clients, $TRANSACTIONS transactions each: a search, 5 ms, an insert"
    for name in s_btrees s_simhash s_signature; do
        sql -c "CREATE TABLE $name (h $(type_of $name)); CALL add_rows('$name', 100000); CALL add_indexes('$name')"
        sql -c "VACUUM ANALYZE $name"
        {
            echo '\set a random(0, 9000000000000000000)'
            echo 'BEGIN ISOLATION LEVEL SERIALIZABLE;'
            echo "$(search_for $name "$(random_value $name)");"
            echo '\sleep 5 ms'
            echo "INSERT INTO $name VALUES ($(random_value $name));"
            echo 'COMMIT;'
        } >"$script"
        load -c 4 -j 1 -t "$TRANSACTIONS" -f "$script" >"$SCRATCH/load.out"
        echo "$name: $(figure 'number of failed transactions' <"$SCRATCH/load.out") failed, $(figure 'tps' <"$SCRATCH/load.out") a second"
    done
}

# Searches for stored values, updates of another column, most of a few rows, and new values for rows. Autovacuum runs.
mixed() {
    local name part before
    echo "Mixed: 2 clients, $RATE transactions a second; milliseconds of a search and of an update, and pages of the indexes"
    sql -c "ALTER SYSTEM SET autovacuum = on" -c "ALTER SYSTEM SET autovacuum_naptime = '5s'" -c "SELECT pg_reload_conf()" >/dev/null
    for name in m_btrees m_simhash m_signature; do
        sql -c "CREATE TABLE $name (h $(type_of $name)); CALL add_rows('$name', 100000);
            ALTER TABLE $name ADD id serial PRIMARY KEY, ADD n int DEFAULT 0; CREATE INDEX ON $name (n); CALL add_indexes('$name')"
        sql -c "VACUUM ANALYZE $name"
        {
            echo '\set id random(1, 100000)'
            echo "SELECT h AS q FROM $name WHERE id = :id \\gset"
            echo "$(search_for $name "(:q)::$(type_of $name)");"
        } >"$SCRATCH/$name.search"
        printf '\\set id random_zipfian(1, 100000, 1.2)\nUPDATE %s SET n = n + 1 WHERE id = :id;\n' $name >"$SCRATCH/$name.update"
        printf '\\set id random(1, 100000)\n\\set a random(0, 9000000000000000000)\nUPDATE %s SET h = %s WHERE id = :id;\n' \
            $name "$(random_value $name)" >"$SCRATCH/$name.replace"
    done
    for part in 0 1 2 3 4 5 6 7 8 9; do
        for name in m_btrees m_simhash m_signature; do
            before=$(sql -c "SELECT pages('$name')")
            load -c 2 -j 1 -R "$RATE" -T "$((MINUTES * 6))" -f "$SCRATCH/$name.search@5" -f "$SCRATCH/$name.update@4" \
                -f "$SCRATCH/$name.replace@1" >"$SCRATCH/load.out"
            echo "part $part, $name: $(sed -n 's/^ - latency average = \([0-9.]*\) ms/\1/p' "$SCRATCH/load.out" | head -n 2 | paste -sd' ') ms; pages $before"
        done
    done
    sql -c "ALTER SYSTEM RESET ALL" -c "SELECT pg_reload_conf()" >/dev/null
}

drift_pages() {
    sql -c "SELECT 'simhash', pages('d_simhash'), 'btrees', pages('d_btrees'), 'signature', pages('d_signature')"
}

add_generation() {
    sql -c "INSERT INTO d_simhash SELECT $1, h::bit(64)::simhash FROM drifted($GENERATION, 64) AS h;
        INSERT INTO d_btrees SELECT * FROM d_simhash WHERE g = $1;
        INSERT INTO d_signature SELECT $1, h FROM drifted($GENERATION, 256) AS h"
}

build_anew() {
    local name
    for name in d_simhash d_btrees d_signature; do sql -c "REINDEX TABLE $name"; done
}

drift() {
    local name generation
    echo "Drift: $GENERATION rows of each generation; the older one is deleted. Pages of the indexes"
    sql -c "CREATE TABLE d_simhash (g int, h simhash); CREATE TABLE d_btrees (g int, h simhash); CREATE TABLE d_signature (g int, h bit(256))"
    for name in d_simhash d_btrees d_signature; do sql -c "CALL add_indexes('$name')"; done
    for ((generation = 0; generation <= GENERATIONS; generation++)); do
        add_generation "$generation"
        for name in d_simhash d_btrees d_signature; do
            sql -c "DELETE FROM $name WHERE g < $generation"
            sql -c "VACUUM $name"
        done
        echo "generation $generation: $(drift_pages)"
    done
    build_anew
    echo "built anew: $(drift_pages)"
    add_generation "$generation"
    build_anew
    echo "built anew with two generations: $(drift_pages)"
}

sql -f "$TOP/bench/years/setup.sql"
echo "Load: $(cut -d ' ' -f 1-3 /proc/loadavg)"
[ $# != 0 ] || set -- updates vacuum churn inserts clients drift serializable mixed
for part in "$@"; do "$part"; done
echo "Load: $(cut -d ' ' -f 1-3 /proc/loadavg)"
