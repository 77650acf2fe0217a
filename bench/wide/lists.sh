#!/usr/bin/env bash
# From how many rows on lists pay: the ten nearest with a recall by lists against the exact search, and the build of both, for
# tables of several sizes. Results in README.md.
#
#   bench/wide/lists.sh
#
#   DATA="clustered:256 clustered:1024"   ROWS="100000 50000 20000 15000 10000 5000 2000"
#   SHARE="480 240 120"                   rows of a list
#   QUERIES=200 ROUNDS=3 SEED=1
#
# A line for each: the number of rows and of lists, the processor time of a build in milliseconds, that of a query in
# microseconds, exactly and with recalls of 0.8, 0.9 and 0.95 (medians of the rounds), and the recalls found.
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
DATA=${DATA:-clustered:256 clustered:1024}
ROWS=${ROWS:-100000 50000 20000 15000 10000 5000 2000}
SHARE=${SHARE:-480 240 120}
QUERIES=${QUERIES:-200} ROUNDS=${ROUNDS:-3} SEED=${SEED:-1}
[ $# -eq 0 ] || { sed -n '2,13s/^# \?//p' "$0" >&2; exit 2; }

. "$TOP/tools/cluster.sh"
here=$TOP/bench/wide
build_and_stage
BUILD=$BUILD "$TOP/bench/link.sh" "$SCRATCH/generate" "$here/generate.cpp" -O3 -march=native -ffast-math
cluster_start "shared_buffers = 512MB" "maintenance_work_mem = 256MB" "fsync = off" "autovacuum = off" "jit = off" \
    "max_parallel_workers_per_gather = 0" "max_parallel_maintenance_workers = 0" "client_min_messages = warning"

run() { psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

echo '| bits | rows | lists | build, ms | exact, µs | 0.8 | 0.9 | 0.95 | recalls |'
echo '|---|---|---|---|---|---|---|---|---|'
for each in $DATA; do
    kind=${each%:*} bits=${each#*:}
    for rows in $ROWS; do
        database=${kind}_${bits}_$rows
        files=$SCRATCH/$database
        mkdir "$files"
        "$SCRATCH/generate" "$kind" "$bits" "$rows" 0 "$QUERIES" "$SEED" "$files"
        PGDATABASE=postgres run -c "CREATE DATABASE $database"
        export PGDATABASE=$database
        run -v bits="$bits" -v rows="$rows" -v kinds=none -f "$here/setup.sql"
        run -c "\\copy page FROM '$files/row.copy' BINARY" -c "\\copy query FROM '$files/query.copy' BINARY" \
            -c 'VACUUM ANALYZE page, query'
        run -v bits="$bits" -v rows="$rows" -v share="$SHARE" -v rounds="$ROUNDS" -f "$here/lists.sql"
    done
done
echo "load $(cut -d ' ' -f 1 /proc/loadavg)"
