#!/usr/bin/env bash
# All pairs within 3 over Citus: two workers against one server, all on this machine, in one run.
#
#   bench/pairs/citus.sh [rows]       PG_CONFIG=… names a PostgreSQL that Citus is installed in
#
# Processor time of the three servers with all their processes, the ids and the INSERT of the pairs included. The rows are those of
# run.sh. Each statement runs twice, and the second time counts.
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
ROWS=${1:-1000000}
"$TOP/tools/setup.sh"
. "$TOP/tools/cluster.sh"
[ -e "$("$PG_CONFIG" --pkglibdir)/citus.so" ] || { echo "Citus is not installed in the PostgreSQL of $PG_CONFIG." >&2; exit 2; }

build_and_stage
first=$((20000 + RANDOM % 10000))
settings=("shared_preload_libraries = 'citus'" "listen_addresses = '127.0.0.1'" "citus.node_conninfo = 'sslmode=prefer'"
    "shared_buffers = 1GB" "work_mem = 256MB" "maintenance_work_mem = 512MB" "max_wal_size = 16GB" "checkpoint_timeout = 1h"
    "fsync = off" "autovacuum = off" "max_parallel_workers_per_gather = 0" "jit = off" "max_prepared_transactions = 50")
cluster_start "${settings[@]}" "port = $first"
for worker in 1 2; do
    data=$SCRATCH/worker$worker
    as_server "$PGBIN/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 -N >/dev/null
    { staged_settings; printf '%s\n' "${settings[@]}" "port = $((first + worker))" "unix_socket_directories = '$SCRATCH'"; } |
        as_server tee -a "$data/postgresql.conf" >/dev/null
    as_server "$(server_programs)/pg_ctl" -D "$data" -l "$SCRATCH/worker$worker.log" -w start >/dev/null
done
run() { psql -X -q -A -t -v ON_ERROR_STOP=1 -p "$@"; }
for node in 0 1 2; do run $((first + node)) -c 'CREATE EXTENSION citus'; done
run "$first" -c "SELECT citus_set_coordinator_host('127.0.0.1', $first)" -c "SELECT citus_add_node('127.0.0.1', $first + 1)" \
    -c "SELECT citus_add_node('127.0.0.1', $first + 2)" >/dev/null

# The processor time of the servers so far, in seconds: of their processes, also of those that have ended.
spent() {
    local data
    for data in "$PGDATA" "$SCRATCH/worker1" "$SCRATCH/worker2"; do
        head -n 1 "$data/postmaster.pid"
    done | xargs | {
        read -r servers
        { cat /proc/[0-9]*/stat 2>/dev/null || true; } | sed 's/(.*)/x/' | awk -v servers="$servers" -v ticks="$(getconf CLK_TCK)" '
            BEGIN { split(servers, list); for (i in list) server[list[i]] = 1 }
            $1 in server { sum += $14 + $15 + $16 + $17 }
            $4 in server { sum += $14 + $15 }
            END { print sum / ticks }'
    }
}
# measure name statement: a line of the table.
measure() {
    local before after found
    before=$(spent)
    run "$first" -c "$2"
    after=$(spent)
    found=$(run "$first" -c 'SELECT count(*) FROM pair')
    echo "$1 $before $after $found" | awk '{ printf "%-50s %8.2f s %10d pairs\n", substr($0, 1, index($0, " " $(NF - 2)) - 1), $(NF - 1) - $(NF - 2), $NF }'
}
twice() {
    run "$first" -c 'TRUNCATE pair'
    measure "$@" >/dev/null
    run "$first" -c 'TRUNCATE pair'
    measure "$@"
    run "$first" -c "SELECT 'DIFFERENT PAIRS: ' || count(*) FROM ((TABLE pair EXCEPT TABLE expected) UNION ALL (TABLE expected EXCEPT TABLE pair)) d
        WHERE EXISTS (TABLE expected) HAVING count(*) > 0"
}

run "$first" -c 'CREATE EXTENSION simhash'
run "$first" -v rows="$ROWS" -f "$TOP/bench/pairs/page.sql"
run "$first" >/dev/null <<'SQL'
ALTER TABLE page RENAME TO whole;
CREATE INDEX whole_h ON whole USING simhash (h);
VACUUM ANALYZE whole;
CREATE TABLE pair (a bigint, b bigint, distance int, PRIMARY KEY (a, b));
CREATE TABLE expected (LIKE pair);
CREATE TABLE page (id bigint PRIMARY KEY, h simhash);
SELECT create_distributed_table('page', 'id', shard_count => 2);
CREATE INDEX page_h ON page USING simhash (h);
CREATE TABLE routed (id bigint, h simhash, block bigint, PRIMARY KEY (block, id) INCLUDE (h));
SELECT create_distributed_table('routed', 'block', shard_count => 2, colocate_with => 'none');
CREATE TABLE batch (id bigint PRIMARY KEY, h simhash, shard bigint);
SELECT create_reference_table('batch');
SQL
uptime
twice 'one server' 'INSERT INTO pair SELECT x.id, y.id, (x.h <@> y.h)::int FROM whole x JOIN whole y ON x.h <@> y.h <= 3 AND x.id < y.id'
run "$first" -c 'INSERT INTO expected TABLE pair'
measure 'rows to the workers, by id, with the index' 'INSERT INTO page SELECT id, h FROM whole'
measure 'rows to the workers, by block' 'INSERT INTO routed SELECT id, h, block FROM page, unnest(simhash_blocks(h, 3)) block ON CONFLICT DO NOTHING'
run "$first" -c 'VACUUM ANALYZE page, routed'
twice 'by block: simhash_block_pairs on each shard' "INSERT INTO pair SELECT p.* FROM run_command_on_shards('routed',
    \$\$ SELECT coalesce(json_agg(p), '[]') FROM simhash_block_pairs('SELECT id, h, block FROM %s', 3) p \$\$) s,
    json_to_recordset(s.result::json) AS p(a bigint, b bigint, distance int) ON CONFLICT DO NOTHING"
measure 'by id: rows to a reference table' "INSERT INTO batch SELECT id, h, get_shard_id_for_distribution_column('page', id) FROM page"
twice 'by id: joins on each shard' "INSERT INTO pair SELECT least(p.a, p.b), greatest(p.a, p.b), p.distance
    FROM run_command_on_shards('page', \$\$ SELECT coalesce(json_agg(p), '[]') FROM (
             SELECT x.id AS a, y.id AS b, (x.h <@> y.h)::int AS distance FROM %1\$s x JOIN %1\$s y ON x.h <@> y.h <= 3 AND x.id < y.id
             UNION ALL SELECT x.id, y.id, (y.h <@> x.h)::int FROM batch x JOIN %1\$s y ON y.h <@> x.h <= 3
                 WHERE x.shard < substring('%1\$s', '\d+\$')::bigint) p \$\$) s,
         json_to_recordset(s.result::json) AS p(a bigint, b bigint, distance int) ON CONFLICT DO NOTHING"
twice 'by block: JOIN … ON x.block = y.block' 'INSERT INTO pair SELECT x.id, y.id, x.h <@> y.h FROM routed x JOIN routed y
    ON x.block = y.block AND x.id < y.id WHERE simhash_first_block(x.h, y.h, 3) = x.block'
uptime
