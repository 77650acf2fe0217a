#!/usr/bin/env bash
# Inserts with the WAL record that insert.cpp writes itself, and with GenericXLog, by turns in one server.
#
#   bench/insert_wal/run.sh [rows]      default 1000000 in the table before the inserts
#
#   ROUNDS=7              of which the median is taken
#   BATCH=100000          rows of a round's INSERT ... SELECT
#   SINGLE=20000          INSERTs of one row in a round
#   TABLES=4              of the indexes
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
ROWS=${1:-1000000}
"$TOP/tools/setup.sh"
. "$TOP/tools/cluster.sh"
. "$TOP/bench/variants.sh"

build_and_stage
build_variant written
build_variant generic SIMHASH_GENERIC_XLOG
# Without full pages, so that what a row adds shows.
cluster_start "shared_buffers = 1GB" "maintenance_work_mem = 512MB" "max_wal_size = 16GB" "checkpoint_timeout = 1d" \
    "full_page_writes = off" "fsync = off" "autovacuum = off" "jit = off" "client_min_messages = warning"
sed -n 's/^model name[^:]*: */CPU: /p' /proc/cpuinfo | head -n 1
run() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }
here=$TOP/bench/insert_wal
run -v rows="$ROWS" -v tables="${TABLES:-4}" -f "$here/setup.sql"
for ((round = 1; round <= ${ROUNDS:-7}; round++)); do
    for variant in none written generic; do
        # Without an index it does not matter which is loaded.
        with_variant "${variant/none/written}" psql -X -q -v ON_ERROR_STOP=1 -v variant="$variant" -v round="$round" \
            -v batch="${BATCH:-100000}" -v single="${SINGLE:-20000}" -f "$here/insert.sql"
    done
done
run -v rows="$ROWS" -f "$here/report.sql"
