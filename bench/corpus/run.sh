#!/usr/bin/env bash
# The benchmark of simhash-py, `bench.py --random 1000000 --blocks 5 --bits 3`, on this index; see README.md.
#
#   bench/corpus/run.sh [simhash-cpp]
#
#   ROWS=1000000      random hashes, and as many queries
#   QUERIES=random    as in bench.py, or near: hashes with up to four bits flipped
#
# With the directory of a checkout of simhash-cpp at 80e5bb8, its library is measured in the same run; it needs Judy
# (libjudy-dev). Times are processor times of one session or process.
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
ROWS=${ROWS:-1000000}
QUERIES=${QUERIES:-random}
LIBRARY=${1:-}
[ $# -le 1 ] || { sed -n '2,11s/^# \?//p' "$0" >&2; exit 2; }
"$TOP/tools/setup.sh" demo
. "$TOP/tools/cluster.sh"
here=$TOP/bench/corpus

build_and_stage
cluster_start "shared_buffers = 2GB" "maintenance_work_mem = 512MB" "work_mem = 64MB" "wal_level = minimal" "max_wal_senders = 0" \
    "max_wal_size = 16GB" "checkpoint_timeout = 1h" "fsync = off" "autovacuum = off" "jit = off" \
    "max_parallel_workers_per_gather = 0" "max_parallel_maintenance_workers = 0" "client_min_messages = warning"
run() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }

sed -n 's/^model name[^:]*: */CPU: /p' /proc/cpuinfo | head -n 1
run -A -t -c 'SELECT version()'
echo "$ROWS hashes, $ROWS queries, $QUERIES; 3 bits"
run -v rows="$ROWS" -v queries="$QUERIES" -f "$here/hashes.sql"
if [ -n "$LIBRARY" ]; then
    run -c "\\copy hash (h) TO '$SCRATCH/hashes'" -c "\\copy query (h) TO '$SCRATCH/queries'"
    g++ -std=c++17 -O3 -w -I"$LIBRARY/src" -o "$SCRATCH/peer" "$here/peer.cpp" "$LIBRARY/src/simhash.cpp" -lJudy
    "$SCRATCH/peer" "$SCRATCH/hashes" "$SCRATCH/queries"
fi
for tables in 10 4; do
    run -v tables=$tables -f "$here/corpus.sql"
done
