#!/usr/bin/env bash
# Builds and looks up: the simhash index against the plain-SQL recipes on the same rows, in one run.
#
#   bench/lookup/run.sh [rows]       default 1000000
#   TABLES="1 4 6" bench/lookup/run.sh
#
# Rows: 80 % uniform fingerprints, 20 % an earlier one with up to three flipped bits. Queries: half planted, half
# random; all rows within the radius, counted inside the server by a PL/pgSQL loop, warm cache, one session. The
# empty loop is subtracted.
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
ROWS=${1:-1000000}
TABLES=${TABLES:-1 4 6}
"$TOP/tools/setup.sh"
. "$TOP/tools/cluster.sh"

build_and_stage
cluster_start "shared_buffers = 4GB" "maintenance_work_mem = 1GB" "max_wal_size = 16GB" "checkpoint_timeout = 1h" \
    "autovacuum = off" "max_parallel_workers_per_gather = 0" "max_parallel_maintenance_workers = 0" "jit = off"
sed -n 's/^model name[^:]*: */CPU: /p' /proc/cpuinfo | head -n 1
psql -X -q -v ON_ERROR_STOP=1 -v rows="$ROWS" -v tables="$TABLES" -f "$TOP/bench/lookup/lookup.sql"
