#!/usr/bin/env bash
# The ways in which builds and joins of all pairs keep and order rows, against PostgreSQL's tuplesort and tuplestore.
#
#   bench/row_stores/run.sh [rows]      default 5000000
#
#   TABLES=4              of a build
#   ROUNDS=5              of which the median is taken
#   MEMORY="64MB 1GB"     of a build
#   PARTITIONS="6 10"     of a join, in bits
#   JOIN_MEMORY="4MB 256MB"
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
ROWS=${1:-5000000}
"$TOP/tools/setup.sh"
. "$TOP/tools/cluster.sh"

build_and_stage
# The module is for the benchmark alone. It consists of the extension's own objects.
g++ -std=c++20 -O2 -fPIC -shared -fno-exceptions -fno-rtti -Wall -Wextra -Wl,-z,now \
    -I"$TOP/src" -isystem "$("$PG_CONFIG" --includedir-server)" -D_GNU_SOURCE -fno-strict-aliasing -fwrapv \
    -o "$SCRATCH/row_stores.so" "$TOP/bench/row_stores/row_stores.cpp" \
    "$BUILD/src/am/build/spool.o" "$BUILD/src/am/pairs/pair_spool.o" \
    "$BUILD/src/core/page/leaf_cut.o" "$BUILD/src/core/tables/key_order.o"
chmod a+rx "$SCRATCH/row_stores.so"
cluster_start "shared_buffers = 128MB" "autovacuum = off" "fsync = off" "jit = off" "client_min_messages = warning"
sed -n 's/^model name[^:]*: */CPU: /p' /proc/cpuinfo | head -n 1
psql -X -q -v ON_ERROR_STOP=1 -v module="$SCRATCH/row_stores.so" -v rows="$ROWS" -v tables="${TABLES:-4}" \
    -v rounds="${ROUNDS:-5}" -v memory="${MEMORY:-64MB 1GB}" -v partitions="${PARTITIONS:-6 10}" \
    -v join_memory="${JOIN_MEMORY:-4MB 256MB}" \
    -f "$TOP/bench/row_stores/row_stores.sql"
