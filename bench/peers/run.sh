#!/usr/bin/env bash
# The index against other methods of Hamming search, in PostgreSQL and in memory, on the same rows; see README.md.
#
#   bench/peers/run.sh [rows [directory]]      1000000 rows; tables and results.csv go to the directory
#
#   PARTS="latency lookup knn join insert build memory pairs"
#                            what to measure
#   DATA="uniform"           fingerprints: uniform, dead, biased, real; several are measured one after the other
#   KINDS="none btree four gin t1 t4 t6"
#                            indexes: none, btree on h, four btrees on blocks, GIN on blocks, simhash with trees = 1, …
#   ROUNDS=5                 rounds; the median counts
#   ROUND_SECONDS=0.3        duration of a method in a round
#   BATCHES=6 BATCH=100000   inserts: batches, and rows per batch (at most a tenth of the rows)
#   TOGETHER=1               1: all indexes exist at once, measured alternately; 0: one kind after the other; default 1 if
#                            they fit in memory
#   FAISS=1                  0 omits FAISS; so does the default above 20 million rows
#   WORKERS=0                parallel workers of a build; processor times exclude them
#   SEED=1
#   SHARED_BUFFERS=          by default what the tables need, at most 60 % of the memory
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -le 2 ] || { sed -n '2,21s/^# \?//p' "$0" >&2; exit 2; }
ROWS=${1:-1000000}
PARTS=${PARTS:-latency lookup knn join insert build memory pairs}
DATA=${DATA:-uniform}
KINDS=${KINDS:-none btree four gin t1 t4 t6}
ROUNDS=${ROUNDS:-5}
ROUND_SECONDS=${ROUND_SECONDS:-0.3}
BATCHES=${BATCHES:-6}
BATCH=${BATCH:-100000}
SEED=${SEED:-1}
WORKERS=${WORKERS:-0}
FAISS=${FAISS:-$((ROWS <= 20000000))}

"$TOP/tools/setup.sh" bench
. "$TOP/bench/results.sh" "${2:-}"
here=$TOP/bench/peers
run() { psql -X -q -v ON_ERROR_STOP=1 -v data="$data" -v rows="$rows" -v rounds="$ROUNDS" -v round_seconds="$ROUND_SECONDS" "$@"; }

# -- programs, server ---------------------------------------------------------------------------------------

build_and_stage
for program in generate latency memory; do
    BUILD=$BUILD "$TOP/bench/link.sh" "$SCRATCH/$program" "$here/$program.cpp"
done

memory_megabytes=$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)
all_megabytes=$((512 + ROWS * 700 / 1000000))
most_megabytes=$((memory_megabytes * 6 / 10))
TOGETHER=${TOGETHER:-$((all_megabytes <= most_megabytes))}
SHARED_BUFFERS=${SHARED_BUFFERS:-$((all_megabytes < most_megabytes ? all_megabytes : most_megabytes))MB}
cluster_start "shared_buffers = $SHARED_BUFFERS" "maintenance_work_mem = 2GB" "work_mem = 256MB" "max_wal_size = 32GB" \
    "checkpoint_timeout = 1d" "fsync = off" "autovacuum = off" "jit = off" "max_parallel_workers_per_gather = 0" \
    "max_parallel_maintenance_workers = $WORKERS" "client_min_messages = warning"
say "built; server running"

# -- data ---------------------------------------------------------------------------------------------------

# real_fingerprints file count: distinct fingerprints of passages of texts on this machine.
real_fingerprints() {
    { find /usr/share/doc /usr/share/man /usr/include /usr/share/perl /usr/lib/python3* -xdev -type f -size -4096k \
        ! -iregex '.*\.\(png\|gif\|jpe?g\|svgz?\|pdf\|e?ps\|css\|js\|json\|xml\|db\|so\|a\|o\|pyc\|zip\|bz2\|xz\)\(\.gz\)?' \
        2>/dev/null || true; } | sort | perl "$TOP/demo/read_documents.pl" | cut -f 3 | sed 's/\\n/ /g' >"$SCRATCH/texts"
    local words
    words=$(wc -w <"$SCRATCH/texts")
    run -c 'CREATE UNLOGGED TABLE passage (body text)'
    # Sixty words, from every so many words on.
    perl -ne 'BEGIN { $step = shift } my @word = split;
        for (my $i = 0; $i == 0 || $i + 60 <= @word; $i += $step) { print join(" ", @word[$i .. ($i + 59 < $#word ? $i + 59 : $#word)]), "\n" }' \
        "$((words / $2 > 8 ? words / $2 : 8))" "$SCRATCH/texts" | run -c '\copy passage FROM pstdin'
    run -A -t -c 'SELECT DISTINCT to_simhash(body)::bigint FROM passage WHERE to_simhash(body) IS NOT NULL' |
        perl -ne 'print pack("q", $_)' >"$1"
    run -c 'DROP TABLE passage'
    rm "$SCRATCH/texts"
}

# load data: makes rows, queries, their database and the expected answers. Sets data, rows, files, batch; rows is 0 if
# the data are not available.
load() {
    data=$1 rows=$ROWS
    files=$SCRATCH/$data
    mkdir "$files"
    chmod 755 "$files"
    psql -X -q -d postgres -c "CREATE DATABASE $data"
    export PGDATABASE=$data
    run -v kinds="$KINDS" -f "$here/setup.sql"
    if [ "$data" = real ]; then
        real_fingerprints "$files/real" $((rows * 25 / 10 + 20000))
        local most=$((($(stat -c %s "$files/real") / 8 - 11000) * 10 / 17))
        if [ $most -lt 50000 ]; then
            echo "This machine has too little text for real fingerprints." >&2
            rows=0
            return
        fi
        [ $most -ge "$rows" ] || rows=$most
        run -c "UPDATE setting SET rows = $rows"
    fi
    batch=$((rows / 10 < BATCH ? rows / 10 : BATCH))
    real=()
    [ "$data" != real ] || real=("$files/real")
    "$SCRATCH/generate" "$data" "$rows" $((batch * BATCHES)) "$SEED" "$files" "${real[@]}"
    run -c 'CREATE UNLOGGED TABLE fresh (id integer, h simhash)'
    local name
    for name in page fresh probe; do
        run -c "\\copy $name FROM '$files/$name.copy' BINARY"
    done
    for name in query:all random:random ten:ten; do
        run -c "ALTER TABLE query ALTER query_set SET DEFAULT '${name#*:}'" \
            -c "\\copy query (id, h) FROM '$files/${name%:*}.copy' BINARY"
    done
    rm "$files"/*.copy
    rm -f "$OUTPUT/plans-$data.txt"
    run -c 'ALTER TABLE page ADD PRIMARY KEY (id)' -c 'VACUUM ANALYZE page' -c 'ANALYZE query, probe'
    say "$data: $rows rows loaded"
    "$SCRATCH/memory" expected "$files"
    run -c "\\copy expected FROM '$files/expected.csv' CSV" -c 'CREATE INDEX ON expected (query_set, radius, id)' \
        -c 'ANALYZE expected'
    say "expected answers computed"
}

# -- measurements in PostgreSQL -----------------------------------------------------------------------------

# The statements for latency.cpp, for the kinds whose tables exist.
latency_methods() {
    run -A -t -F $'\t' -v kinds="$1" <<'SQL'
SELECT 'SELECT 1', '', '', 'SELECT 1'
UNION ALL SELECT 'primary key', 'one row', 'id', 'SELECT id, h FROM page WHERE id = $1::integer'
UNION ALL
SELECT label, 'r = 3', CASE name WHEN 'four' THEN 'hash block0 block1 block2 block3' WHEN 'gin' THEN 'hash keys' ELSE 'hash' END,
       format('SELECT id, h FROM page_%s WHERE %s', name,
              CASE name WHEN 'four' THEN near_by_btrees(3, '$1::simhash', '{$2,$3,$4,$5}', '{}')
                        WHEN 'gin' THEN near_by_gin(3, '$1::simhash', '$2') ELSE 'h <@> $1 <= 3' END)
FROM kind WHERE name = ANY (string_to_array(:'kinds', ' ')) AND (name IN ('four', 'gin') OR name ~ '^t\d+$');
SQL
}

latency() {
    latency_methods "$1" >"$SCRATCH/methods"
    "$SCRATCH/latency" "$SCRATCH/methods" "$files/query.bin" 5000 20 "$rows" "$SCRATCH/plans" |
        run -f "$here/latency.sql"
    cat "$SCRATCH/plans" >>"$OUTPUT/plans-$data.txt"
}

# measure kinds: makes their tables and indexes, and measures the requested parts.
measure() {
    local kinds=$1 name builds=1
    for name in $kinds; do
        run -c "CREATE TABLE page_$name AS TABLE page"
    done
    ! asked build || [ "$rows" -gt 20000000 ] || builds=2
    run -c "CALL build(string_to_array('$kinds', ' '), $builds)"
    for name in $kinds; do
        run -c "VACUUM ANALYZE page_$name"
    done
    say "built: $kinds"
    if asked lookup; then
        run -v kinds="$kinds" -f "$here/lookup.sql"
        say "searched"
    fi
    if asked knn; then
        run -v kinds="$kinds" -f "$here/neighbors.sql"
        say "nearest neighbors"
    fi
    if asked latency; then
        latency "$kinds"
        say "latency"
    fi
    if asked join; then
        run -f "$here/join.sql"
        say "joined"
    fi
    if asked pairs; then
        run -v nested="$((rows <= 10000000))::bool" -f "$here/pairs.sql"
        say "pairs"
    fi
    if asked insert; then
        run -v kinds="$kinds" -v batch="$batch" -v batches="$BATCHES" -f "$here/insert.sql" -f "$here/after.sql"
        say "inserted"
    fi
    for name in $kinds; do
        run -c "DROP TABLE page_$name"
    done
}

# -- everything ---------------------------------------------------------------------------------------------

for each in $DATA; do
    load "$each"
    [ "$rows" -gt 0 ] || continue
    if [ "$TOGETHER" = 1 ]; then
        measure "$KINDS"
    else
        for kind in $KINDS; do
            measure "$kind"
        done
    fi
    parts=()
    ! asked memory || parts+=(memory)
    ! asked memory || [ "$FAISS" = 0 ] || parts+=(faiss)
    ! asked knn || parts+=(knn)
    ! asked pairs || parts+=(pairs)
    if [ ${#parts[@]} -gt 0 ]; then
        OMP_NUM_THREADS=1 "$SCRATCH/memory" measure "$files" "$data" "$ROUNDS" "${parts[@]}" |
            run -c '\copy result FROM pstdin CSV' -c "INSERT INTO wrong
                SELECT format('%s: %s, %s, recall %s', data, method, variant, value) FROM result WHERE measure = 'recall' AND value <> 1"
        say "in memory"
    fi
    run -c "\\copy (SELECT part, data, $rows, method, variant, measure, value FROM result) TO pstdout CSV" \
        >"$SCRATCH/results.$data.csv"
    value 'SELECT message FROM wrong' >>"$SCRATCH/wrong"
    export PGDATABASE=postgres
    psql -X -q -c "DROP DATABASE $data"
    rm -r "$files"
done

# -- results ------------------------------------------------------------------------------------------------

# Adds a rule after the first line of a table; other lines stay.
markdown() {
    awk '!/ \| / { print; head = 1; next }
        { print "| " $0 " |" }
        head { head = 0; gsub(/[^|]+/, "---"); print "|" $0 "|" }'
}

echo part,data,rows,method,variant,measure,value >"$OUTPUT/results.csv"
cat "$SCRATCH"/results.*.csv >>"$OUTPUT/results.csv"
{
    sed -n 's/^model name[^:]*: */Processor: /p' /proc/cpuinfo | head -n 1
    echo "$(nproc) cores, $((memory_megabytes / 1024)) GB; $(psql -X -A -t -c 'SELECT version()')"
    echo "$ROWS rows, seed $SEED; shared_buffers $SHARED_BUFFERS; indexes $([ "$TOGETHER" = 1 ] && echo together || echo one by one);" \
        "inserts in $BATCHES batches; commit $(git -C "$TOP" describe --always --dirty 2>/dev/null || echo unknown)"
    for each in $DATA; do
        psql -X -v ON_ERROR_STOP=1 -v data="$each" -f "$here/report.sql" <"$OUTPUT/results.csv" | markdown
    done
} | tee "$OUTPUT/results.md"
echo "Tables, plans and results.csv: $OUTPUT" >&2
if [ -s "$SCRATCH/wrong" ]; then
    echo "WRONG ANSWERS:" >&2
    cat "$SCRATCH/wrong" >&2
    exit 1
fi
