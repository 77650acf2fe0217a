#!/usr/bin/env bash
# One shard at several sizes: build, searches warm and cold, inserts, all pairs, VACUUM, memory, size; see README.md.
#
#   bench/scale/run.sh [directory]     results.csv, the table and the plots go to the directory
#
#   SIZES="1000000"           rows, ascending: SIZES="1000000 10000000 100000000" takes 30 GB of disk and 16 GB of memory
#   TABLES=                   of the index; by default it follows from the rows
#   ROUTED_ROWS=10000000      up to this size also a table routed by block
#   BTREE_ROWS=10000000       up to this size also cold searches by four btrees on blocks
#   DELETED=10                every so many-th row is deleted before VACUUM
#   ROUNDS=3                  rounds of the warm searches; the median counts
#   ROUND_SECONDS=2           duration of a kind of search in a round
#   COLD=200                  searches after the caches were emptied
#   SEED=1
#   SHARED_BUFFERS=           by default 400 bytes for each row, from 256 MB to 12 GB
#   PLOTS=1                   draws doc/scale-*.svg
#
# The data are in TMPDIR, or in /tmp, which must not be a tmpfs.
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -le 1 ] || { sed -n '2,19s/^# \?//p' "$0" >&2; exit 2; }
SIZES=${SIZES:-1000000}
TABLES=${TABLES:-}
ROUTED_ROWS=${ROUTED_ROWS:-10000000}
BTREE_ROWS=${BTREE_ROWS:-10000000}
DELETED=${DELETED:-10}
ROUNDS=${ROUNDS:-3}
ROUND_SECONDS=${ROUND_SECONDS:-2}
COLD=${COLD:-200}
SEED=${SEED:-1}
most=${SIZES##* }
buffers=$((most * 400 / 1048576))
SHARED_BUFFERS=${SHARED_BUFFERS:-$((buffers < 256 ? 256 : buffers > 12288 ? 12288 : buffers))MB}

directory=${TMPDIR:-/tmp}
[ "$(stat -f -c %T "$directory")" != tmpfs ] || { echo "$directory is in memory. Set TMPDIR to a directory on disk." >&2; exit 2; }
needed=$((most * 280 / 1048576 + 3000))
[ "$(df -m --output=avail "$directory" | tail -n 1)" -gt $needed ] || { echo "$directory has less than $needed MB of free space." >&2; exit 2; }

"$TOP/tools/setup.sh"
if [ -n "${PLOTS:-}" ] && ! command -v gnuplot >/dev/null; then
    as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gnuplot-nox >/dev/null
fi
. "$TOP/bench/results.sh" "${1:-}"
[ "$(stat -f -c %T "$SCRATCH")" != tmpfs ] || { echo "The server's user cannot use $directory, and $SCRATCH is in memory." >&2; exit 2; }
here=$TOP/bench/scale
run() { psql -X -q -v ON_ERROR_STOP=1 -v rows="$rows" -v data=uniform -v kinds= "$@"; }

build_and_stage
BUILD=$BUILD "$TOP/bench/link.sh" "$SCRATCH/generate" "$TOP/bench/peers/generate.cpp"
cluster_start "shared_buffers = $SHARED_BUFFERS" "maintenance_work_mem = 2GB" "work_mem = 256MB" "wal_level = minimal" \
    "max_wal_senders = 0" "max_wal_size = 6GB" "checkpoint_timeout = 1d" "fsync = off" "autovacuum = off" "jit = off" \
    "max_parallel_workers_per_gather = 0" "max_parallel_maintenance_workers = 0" "client_min_messages = warning"

# -- memory and caches --------------------------------------------------------------------------------------

# Keeps the most private memory of all server processes, in MB, in a file.
watch_memory() {
    local postmaster most=0 now
    postmaster=$(head -n 1 "$PGDATA/postmaster.pid")
    while sleep 0.1; do
        now=$(cat /proc/[0-9]*/status 2>/dev/null | awk -v parent="$postmaster" '
            /^PPid:/ { ours = $2 == parent } /^RssAnon:/ && ours { sum += $2 } END { print int(sum / 1024) }') || continue
        [ "$now" -le "$most" ] || { most=$now; echo "$most" >"$1"; }
    done
}

# with_memory method statement ...: runs psql and notes the most memory meanwhile.
with_memory() {
    local method=$1 watcher
    shift
    echo 0 >"$SCRATCH/memory"
    watch_memory "$SCRATCH/memory" &
    watcher=$!
    run "$@"
    kill "$watcher"
    wait "$watcher" 2>/dev/null || true
    run -c "SELECT note('$method', '$method', '', 'MB of memory', $(cat "$SCRATCH/memory"))" >/dev/null
}

# Stops the server, removes its files from the operating system's cache, and starts it.
empty_caches() {
    cluster_stop
    uncache_data
    as_server "$PGBIN/pg_ctl" -D "$PGDATA" -l "$SCRATCH/server.log" -w start >/dev/null
}

# -- one size -----------------------------------------------------------------------------------------------

load() {
    local fresh=$((rows / 10 < 100000 ? rows / 10 : 100000)) name
    psql -X -q -d postgres -c "CREATE DATABASE shard"
    export PGDATABASE=shard
    run -f "$TOP/bench/peers/setup.sql" -f "$here/setup.sql"
    mkdir "$SCRATCH/rows"
    "$SCRATCH/generate" uniform "$rows" "$fresh" "$SEED" "$SCRATCH/rows"
    run -c 'CREATE UNLOGGED TABLE fresh (id integer, h simhash)'
    run -c BEGIN -c 'TRUNCATE page' -c "\\copy page FROM '$SCRATCH/rows/page.copy' BINARY" -c COMMIT
    run -c "\\copy fresh FROM '$SCRATCH/rows/fresh.copy' BINARY"
    for name in query:all random:random ten:ten; do
        run -c "ALTER TABLE query ALTER query_set SET DEFAULT '${name#*:}'" \
            -c "\\copy query (id, h) FROM '$SCRATCH/rows/${name%:*}.copy' BINARY"
    done
    rm -r "$SCRATCH/rows"
    run -c 'ANALYZE query'
    say "$rows rows loaded"
}

measure() {
    with_memory 'primary key' -c "CALL timed('primary key', 'ALTER TABLE page ADD PRIMARY KEY (id)')"
    with_memory build -c "CALL timed('build', 'CREATE INDEX page_h ON page USING simhash (h)${TABLES:+ WITH (trees = $TABLES)}')"
    run -c 'VACUUM ANALYZE page' -f "$here/sizes.sql"
    say "built"
    run -v rounds="$ROUNDS" -v round_seconds="$ROUND_SECONDS" -f "$here/warm.sql"
    say "searched, warm"
    local method methods=('primary key' 'r = 3' 'r = 7' 'ten nearest')
    if [ "$rows" -le "$BTREE_ROWS" ]; then
        run -c 'CALL make_btrees()' -c 'VACUUM ANALYZE page'
        methods+=('four btrees')
    fi
    for method in "${methods[@]}"; do
        empty_caches
        run -c "CALL cold('$method', $COLD)"
    done
    [ "$rows" -gt "$BTREE_ROWS" ] || run -c 'CALL drop_btrees()'
    say "searched, cold"
    with_memory pairs -c "CALL timed('pairs', 'INSERT INTO counted SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id')"
    run -c "CALL join_pairs('4MB')" -c "CALL join_pairs('64MB')"
    say "all pairs"
    run -c "CALL timed('check', 'SELECT simhash_index_check(''page_h'')')" \
        -c "CALL timed('check of rows', 'SELECT simhash_index_check(''page_h'', true)')"
    say "checked"
    run -f "$here/insert.sql"
    say "inserted"
    if [ "$rows" -le "$ROUTED_ROWS" ]; then
        run -v rounds="$ROUNDS" -v round_seconds="$ROUND_SECONDS" -f "$here/routed.sql"
        say "routed by block"
    fi
    run -c "DELETE FROM page WHERE id % $DELETED = 0"
    with_memory VACUUM -f "$here/vacuum.sql"
    say "VACUUM"
}

# -- all of them --------------------------------------------------------------------------------------------

echo part,rows,method,measure,value >"$OUTPUT/results.csv"
for rows in $SIZES; do
    load
    measure
    run -c "\\copy (SELECT part, $rows, method, measure, value FROM result) TO pstdout CSV" >>"$OUTPUT/results.csv"
    value "SELECT '$rows rows: ' || message FROM wrong" >>"$SCRATCH/wrong"
    export PGDATABASE=postgres
    run -c 'DROP DATABASE shard'
done
{
    sed -n 's/^model name[^:]*: */Processor: /p' /proc/cpuinfo | head -n 1
    echo "$(nproc) cores, $(awk '/^MemTotal/ { print int($2 / 1048576) }' /proc/meminfo) GB; $(value 'SELECT version()')"
    echo "trees = ${TABLES:-by rows}, seed $SEED; shared_buffers $SHARED_BUFFERS; commit $(git -C "$TOP" describe --always --dirty 2>/dev/null || echo unknown)"
    mkdir -p "$SCRATCH/plot"
    run -v directory="$SCRATCH/plot" -f "$here/report.sql" <"$OUTPUT/results.csv"
} | tee "$OUTPUT/results.txt"
if [ -n "${PLOTS:-}" ]; then
    (cd "$SCRATCH/plot" && gnuplot -e "out = '$TOP/doc/scale-'" "$here/plots.gp")
fi
echo "results.csv and results.txt: $OUTPUT" >&2
if [ -s "$SCRATCH/wrong" ]; then
    echo "WRONG ANSWERS:" >&2
    cat "$SCRATCH/wrong" >&2
    exit 1
fi
