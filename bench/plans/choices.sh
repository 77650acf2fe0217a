#!/usr/bin/env bash
# Compares the plans that the planner chooses with the fastest, on warm data, in one session, for fingerprints and for
# signatures.
#
#   bench/plans/choices.sh [rows ...]        default 1000 10000 100000 1000000
#   SETTINGS="random_page_cost=1.1 effective_cache_size=8GB" bench/plans/choices.sh
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)
[ $# != 0 ] || set -- 1000 10000 100000 1000000
"$TOP/tools/setup.sh"
. "$TOP/tools/cluster.sh"

build_and_stage
# shellcheck disable=SC2046,SC2086
cluster_start "shared_buffers = 2GB" "maintenance_work_mem = 256MB" "max_wal_size = 8GB" "fsync = off" "autovacuum = off" \
    "jit = off" "max_parallel_workers_per_gather = 0" $(printf '%s\n' ${SETTINGS:-})
psql -X -q -v sizes="$*" -f "$TOP/bench/plans/choices.sql"
