#!/usr/bin/env bash
# Searches and inserts with leaves fetched before they are pinned (src/am/tree/prefetch.hpp), and without, by turns in one
# server on the same table, everything in shared buffers.
#
#   bench/prefetch/run.sh [rows]      default 10000000
#
#   ROUNDS=7              of which the median is taken
#   PROBES=20000          searches of a round
#   BATCH=20000           rows that a round inserts
#   TABLES=4              of the index
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
ROWS=${1:-10000000}
"$TOP/tools/setup.sh"
. "$TOP/tools/cluster.sh"
. "$TOP/bench/variants.sh"

build_and_stage
build_variant with
build_variant without SIMHASH_NO_PREFETCH
cluster_start "shared_buffers = $((512 + ROWS * 120 / 1000000))MB" "maintenance_work_mem = 1GB" "max_wal_size = 16GB" \
    "checkpoint_timeout = 1d" "fsync = off" "autovacuum = off" "jit = off" "max_parallel_workers_per_gather = 0" \
    "client_min_messages = warning"
sed -n 's/^model name[^:]*: */CPU: /p' /proc/cpuinfo | head -n 1
here=$TOP/bench/prefetch
psql -X -q -v ON_ERROR_STOP=1 -v rows="$ROWS" -v tables="${TABLES:-4}" -v probes="${PROBES:-20000}" -f "$here/setup.sql"
for ((round = 1; round <= ${ROUNDS:-7}; round++)); do
    variants=(with without)
    ((round % 2)) || variants=(without with)
    for variant in "${variants[@]}"; do
        with_variant "$variant" psql -X -q -v ON_ERROR_STOP=1 -v variant="$variant" -v batch="${BATCH:-20000}" \
            -v probes="${PROBES:-20000}" -f "$here/measure.sql"
    done
done
psql -X -q -v ON_ERROR_STOP=1 -v rows="$ROWS" -f "$here/report.sql"
