#!/usr/bin/env bash
# All near-duplicate pairs of a table, and of two tables: by a Simhash Join and by PostgreSQL's joins of the same rows, in
# one run.
#
#   bench/pairs/run.sh [rows]               joins and their estimates, groups; default 1000000; 10000000 takes an hour
#   bench/pairs/run.sh rows choices         some 45 joins: the chosen plan and the fastest
#   bench/pairs/run.sh rows signatures      signatures of 256 bits, and fingerprints of their first 64 bits
#   bench/pairs/run.sh rows partitions      one table and a partitioned one
#   bench/pairs/run.sh rows shards          one table and three shards of postgres_fdw, on this machine
#
# Rows: 80 % uniform fingerprints, 20 % copies of an earlier one with 0 to 5 flipped bits. Times are of whole statements,
# warm, one session: the join, fetching the visible rows and the result. The best of three runs; a single run for
# statements that take more than 20 s.
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
ROWS=${1:-1000000}
KIND=${2:-joins}
"$TOP/tools/setup.sh"
. "$TOP/tools/cluster.sh"

build_and_stage
cluster_start "shared_buffers = 4GB" "maintenance_work_mem = 1GB" "max_wal_size = 16GB" "checkpoint_timeout = 1h" \
    "autovacuum = off" "max_parallel_workers_per_gather = 0" "max_parallel_maintenance_workers = 0" "jit = off"
sed -n 's/^model name[^:]*: */CPU: /p' /proc/cpuinfo | head -n 1
psql -X -q -v ON_ERROR_STOP=1 -v rows="$ROWS" -f "$TOP/bench/pairs/$KIND.sql"
