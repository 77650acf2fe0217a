#!/usr/bin/env bash
# What a search takes over the simple, the extended and the extended protocol with prepared statements; see README.md.
#
#   bench/protocols/run.sh [rows]     60000 rows
#
#   PGVECTOR=directory   pgvector, installed with make install DESTDIR=directory; without it, it is not measured
#   ROUNDS=5 ROUND_SECONDS=1     each round asks for another row
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -le 1 ] || { sed -n '2,7s/^# \?//p' "$0" >&2; exit 2; }
ROWS=${1:-60000} PGVECTOR=${PGVECTOR:-} ROUNDS=${ROUNDS:-5} ROUND_SECONDS=${ROUND_SECONDS:-1}

"$TOP/tools/setup.sh" bench
. "$TOP/tools/cluster.sh"
build_and_stage
[ -z "$PGVECTOR" ] || cp -r "$PGVECTOR/." "$INSTALL_ROOT"
chmod -R a+rX "$INSTALL_ROOT"
cluster_start "shared_buffers = 1GB" "maintenance_work_mem = 512MB" "fsync = off" "autovacuum = off" "jit = off" \
    "max_parallel_workers_per_gather = 0"
psql -X -q -v ON_ERROR_STOP=1 -v rows="$ROWS" -v vector="$([ -n "$PGVECTOR" ] && echo 1 || echo 0)" \
    -f "$TOP/bench/protocols/setup.sql"
value() { psql -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }

# The name of each query, the column that has what it asks for, its type, and the query, in which :q stands for that.
queries='btree, primary key|id|int|SELECT id FROM item WHERE id = :q
simhash, within 3|h|simhash|SELECT id FROM item WHERE h <@> :q <= 3
simhash, 10 nearest|h|simhash|SELECT id FROM item ORDER BY h <@> :q LIMIT 10
bit(256), within 20|s|bit(256)|SELECT id FROM item WHERE s <@> :q <= 20
bit(256), 10 nearest|s|bit(256)|SELECT id FROM item ORDER BY s <@> :q LIMIT 10
bit(1024), 10 nearest|w|bit(1024)|SELECT id FROM item ORDER BY w <@> :q LIMIT 10
bit(1024), 10 nearest, recall 0.95|w|bit(1024)|SELECT id FROM item ORDER BY w <@> signature_nearest(:q, 0.95, 10) LIMIT 10'
[ -z "$PGVECTOR" ] || queries+='
bit(1024), pgvector hnsw|w|bit(1024)|SELECT id FROM item ORDER BY w <~> :q LIMIT 10'

# The median time of a query, in milliseconds. In the simple protocol a variable is replaced by its text.
median() {
    local protocol=$1 column=$2 type=$3 query=$4 round asked
    rm -f "$SCRATCH"/times.*
    echo "${query//:q/:q::$type}" >"$SCRATCH/query.sql"
    for ((round = 1; round <= ROUNDS; round++)); do
        asked=$(value "SELECT $column FROM item WHERE id = $round * $ROWS / ($ROUNDS + 1)")
        [ "$protocol" != simple ] || asked="'$asked'"
        pgbench -n -M "$protocol" -T "$ROUND_SECONDS" -D q="$asked" -l --log-prefix="$SCRATCH/times" \
            -f "$SCRATCH/query.sql" >/dev/null
    done
    cut -d ' ' -f 3 "$SCRATCH"/times.* | sort -n | awk '{ t[NR] = $1 } END { printf "%.3f", t[int((NR + 1) / 2)] / 1000 }'
}

echo "$ROWS rows; milliseconds; load $(cut -d ' ' -f 1 /proc/loadavg)"
echo
echo "| query | planning | simple | extended | prepared |"
echo "|---|---|---|---|---|"
while IFS='|' read -r name column type query; do
    literal=$(value "SELECT quote_literal($column) FROM item WHERE id = $ROWS / 2")::$type
    planning=$(value "SELECT round(planning(\$q\$${query//:q/$literal}\$q\$)::numeric, 3)")
    echo "| $name | $planning | $(median simple "$column" "$type" "$query") |" \
        "$(median extended "$column" "$type" "$query") | $(median prepared "$column" "$type" "$query") |"
done <<<"$queries"
echo
for query in 'w <@> signature_nearest(%L, 0.95, 10)' ${PGVECTOR:+'w <~> %L'}; do
    recall=$(value "SELECT round(recall(\$q\$SELECT id FROM item ORDER BY $query LIMIT 10\$q\$)::numeric, 3)")
    echo "Recall of ORDER BY $query: $recall"
done
