#!/usr/bin/env bash
# Searches within a tenant: the index of two columns beside an index of one and a btree; see README.md.
#
#   bench/tenants/run.sh [rows]     1000000 rows, in tenants of 1,000
#
#   PGVECTOR=directory   pgvector, installed with make install DESTDIR=directory; without it, it is not measured
#   HNSW_ROWS=1000000    rows up to which pgvector gets an hnsw index, which takes long to build
#   ROUNDS=3 QUERIES=100
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -le 1 ] || { sed -n '2,8s/^# \?//p' "$0" >&2; exit 2; }
ROWS=${1:-1000000} PGVECTOR=${PGVECTOR:-} HNSW_ROWS=${HNSW_ROWS:-1000000} ROUNDS=${ROUNDS:-3} QUERIES=${QUERIES:-100}

"$TOP/tools/setup.sh"
. "$TOP/tools/cluster.sh"
build_and_stage
[ -z "$PGVECTOR" ] || cp -r "$PGVECTOR/." "$INSTALL_ROOT"
chmod -R a+rX "$INSTALL_ROOT"
cluster_start "shared_buffers = $((1024 + ROWS * 800 / 1000000))MB" "maintenance_work_mem = 1GB" "max_wal_size = 16GB" \
    "fsync = off" "autovacuum = off" "jit = off" "max_parallel_workers_per_gather = 0"
psql -X -q -v ON_ERROR_STOP=1 -v rows="$ROWS" -v rounds="$ROUNDS" -v queries="$QUERIES" \
    -v vector="$([ -n "$PGVECTOR" ] && echo 1 || echo 0)" -v hnsw="$((ROWS <= HNSW_ROWS))" \
    -v load="$(cut -d ' ' -f 1 /proc/loadavg)" -f "$TOP/bench/tenants/tenants.sql"
