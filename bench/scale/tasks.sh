#!/usr/bin/env bash
# What a query costs on the coordinator and on the shards of postgres_fdw, by the number of shards, in processor time. All are
# databases of one server.
#
#   bench/scale/tasks.sh [directory]     appends to results.csv in the directory
#
#   SHARDS="1 2 4 8 16"        numbers of shards with ROWS_A_SHARD rows each
#   ROWS_A_SHARD=100000
#   QUERIES=400
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
SHARDS=${SHARDS:-1 2 4 8 16}
ROWS_A_SHARD=${ROWS_A_SHARD:-100000}
QUERIES=${QUERIES:-400}
"$TOP/tools/setup.sh"
. "$TOP/tools/cluster.sh"
OUTPUT=${1:-$SCRATCH/results}
mkdir -p "$OUTPUT"
[ -s "$OUTPUT/results.csv" ] || echo part,rows,method,measure,value >"$OUTPUT/results.csv"

build_and_stage
cluster_start "shared_buffers = 1500MB" "maintenance_work_mem = 512MB" "work_mem = 64MB" "max_wal_size = 6GB" "checkpoint_timeout = 1d" \
    "fsync = off" "autovacuum = off" "jit = off" "max_parallel_workers_per_gather = 0" "client_min_messages = warning"
run() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }
run -f "$TOP/bench/scale/tasks.sql"

# measure shards rows: lines of results.csv; a shard has its part of the rows.
measure() {
    local shards=$1 rows=$2 i
    for ((i = 0; i < shards; i++)); do
        run -c "CREATE DATABASE shard$i"
        run -d "shard$i" -c 'CREATE EXTENSION simhash' -c 'CREATE TABLE page (id bigint, h simhash)' \
            -c "INSERT INTO page SELECT n, hashint8extended(n, 1)::simhash FROM generate_series($i + 1, $rows, $shards) n" \
            -c 'ALTER TABLE page ADD PRIMARY KEY (id)' -c 'CREATE INDEX page_h ON page USING simhash (h)' \
            -c 'CREATE UNLOGGED TABLE batch (id bigint, h simhash)' -c 'VACUUM ANALYZE page' \
            -c "CREATE VIEW batch_found AS SELECT b.id AS query, p.id, (p.h <@> b.h)::int AS distance FROM batch b JOIN page p ON p.h <@> b.h <= 3"
    done
    run -c "CALL make_shards($shards)" -c "CALL measure($shards, $rows, $QUERIES)"
    for ((i = 0; i < shards; i++)); do run -c "DROP DATABASE shard$i"; done
    run -c "DROP SCHEMA cluster CASCADE" -c "SELECT FROM pg_foreign_server" >/dev/null
    echo "$shards shards, $rows rows" >&2
}

for shards in $SHARDS; do measure "$shards" $((shards * ROWS_A_SHARD)); done
run -c "\\copy (SELECT part, rows, method, measure, value FROM result ORDER BY number) TO pstdout CSV" | tee -a "$OUTPUT/results.csv"
