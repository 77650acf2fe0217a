#!/usr/bin/env bash
# The index on bit(n) against scans, FAISS and pgvector; see README.md.
#
#   bench/wide/run.sh [rows [directory]]     1000000 rows; results.md and results.csv go to the directory
#
#   DATA="uniform:256 skewed:256 clustered:256 clustered:1024 text:1024 embedding:1024"
#                            signatures and their bits; measured one after the other. Of collected.cpp: descriptor:256,
#                            tile:576, lsa:1024
#   PARTS="search insert memory exact"
#                            what to measure; sizes and build times always
#   KINDS="none t8 t16"      indexes: none; simhash with trees = 8, ...; lists (the default options), trees (lists = 0) and
#                            alone (trees = 0); with PGVECTOR also ivf and hnsw by default, hnsw up to 200000 rows, since
#                            it takes long to build
#   PGVECTOR=directory       pgvector, installed with make install DESTDIR=directory; without it, it is not measured
#   FAISS=1                  0: without; 1: Flat and MultiHash; 2: IVF, too, whose training takes long; default 2 up to
#                            200000 rows, 1 up to 2 million, otherwise 0, since MultiHash takes much memory
#   TEXTS=revisions.tsv.gz   the texts; by default those found on this machine
#   QUERIES=500 ROUNDS=3 ROUND_SECONDS=1 SEED=1 BATCH=20000
#   SHARED_BUFFERS=          by default what the tables need, at most 40 % of the memory
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -le 2 ] || { sed -n '2,21s/^# \?//p' "$0" >&2; exit 2; }
ROWS=${1:-1000000}
DATA=${DATA:-uniform:256 skewed:256 clustered:256 clustered:1024 text:1024 embedding:1024}
PARTS=${PARTS:-search insert memory exact}
PGVECTOR=${PGVECTOR:-}
if [ -z "${KINDS:-}" ]; then
    KINDS="none t8 t16"
    [ -z "$PGVECTOR" ] || KINDS+=" ivf"
    [ -z "$PGVECTOR" ] || [ "$ROWS" -gt 200000 ] || KINDS+=" hnsw"
fi
FAISS=${FAISS:-$((ROWS <= 200000 ? 2 : ROWS <= 2000000))}
QUERIES=${QUERIES:-500} ROUNDS=${ROUNDS:-3} ROUND_SECONDS=${ROUND_SECONDS:-1} SEED=${SEED:-1} BATCH=${BATCH:-20000}
BATCH=$((ROWS / 10 < BATCH ? ROWS / 10 : BATCH))

"$TOP/tools/setup.sh" bench
. "$TOP/bench/results.sh" "${2:-}"
here=$TOP/bench/wide

build_and_stage
[ -z "$PGVECTOR" ] || cp -r "$PGVECTOR/." "$INSTALL_ROOT"
chmod -R a+rX "$INSTALL_ROOT"
export BUILD
"$TOP/bench/link.sh" "$SCRATCH/generate" "$here/generate.cpp" -O3 -march=native -ffast-math
"$TOP/bench/link.sh" "$SCRATCH/collected" "$here/collected.cpp" -O3 -march=native -ffast-math
"$TOP/bench/link.sh" "$SCRATCH/memory" "$here/memory.cpp"

memory_megabytes=$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)
all_megabytes=$((1024 + ROWS * 3500 / 1000000))
most_megabytes=$((memory_megabytes * 4 / 10))
SHARED_BUFFERS=${SHARED_BUFFERS:-$((all_megabytes < most_megabytes ? all_megabytes : most_megabytes))MB}
cluster_start "shared_buffers = $SHARED_BUFFERS" "maintenance_work_mem = 1GB" "work_mem = 256MB" "max_wal_size = 32GB" \
    "checkpoint_timeout = 1d" "fsync = off" "autovacuum = off" "jit = off" "max_parallel_workers_per_gather = 0" \
    "max_parallel_maintenance_workers = 0" "client_min_messages = warning" "track_counts = on"
say "built; server running"

# -- data ---------------------------------------------------------------------------------------------------

# Windows of 60 words of the texts: one in windows / rows of them, in random order.
passages() {
    if [ -n "${TEXTS:-}" ]; then
        zcat "$TEXTS" | cut -f 8
    else
        { find /usr/share/doc /usr/share/man /usr/include -xdev -type f -size -4096k \
            ! -iregex '.*\.\(png\|gif\|jpe?g\|svgz?\|pdf\|e?ps\|css\|js\|json\|xml\|db\|so\|a\|o\|zip\|bz2\|xz\)\(\.gz\)?' \
            2>/dev/null || true; } | sort | perl "$TOP/demo/read_documents.pl" | cut -f 3 | sed 's/\\n/ /g'
    fi >"$SCRATCH/texts"
    local words
    words=$(wc -w <"$SCRATCH/texts")
    perl -ne 'BEGIN { $step = shift } my @word = split;
        for (my $i = 0; $i == 0 || $i + 60 <= @word; $i += $step) { print join(" ", @word[$i .. ($i + 59 < $#word ? $i + 59 : $#word)]), "\n" }' \
        "$((words / $1 > 4 ? words / $1 : 4))" "$SCRATCH/texts" | tr -d '\134'
    rm "$SCRATCH/texts"
}

# load database data bits rows fresh queries: makes rows and queries in a new database.
load() {
    local data=$2 bits=$3
    files=$SCRATCH/$1
    mkdir "$files"
    psql -X -q -d postgres -c "CREATE DATABASE $1"
    export PGDATABASE=$1
    run -v data="$data" -v bits="$bits" -v rows="$4" -v kinds="$KINDS" -f "$here/setup.sql"
    if [ "$data" = text ]; then
        run -c 'CREATE UNLOGGED TABLE passage (n serial, body text)'
        passages $(($4 + $5 + $6)) | run -c '\copy passage (body) FROM pstdin'
        run -v bits="$bits" -v rows="$4" -v fresh="$5" -v queries="$6" <<'SQL'
CREATE UNLOGGED TABLE mixed AS SELECT row_number() OVER (ORDER BY hashint4extended(n, 1)) AS n, body FROM passage;
DROP TABLE passage;
INSERT INTO query SELECT n, to_signature(body, :bits), to_signature_weights(features(body), :bits) FROM mixed WHERE n <= :queries;
INSERT INTO fresh SELECT n - :queries, to_signature(body, :bits) FROM mixed WHERE n > :queries AND n <= :queries + :fresh;
INSERT INTO page SELECT n - :queries - :fresh, s FROM (SELECT n, to_signature(body, :bits) AS s FROM mixed WHERE n > :queries + :fresh) x
    WHERE s IS NOT NULL LIMIT :rows;
UPDATE fresh SET id = id + (SELECT max(id) FROM page);
DROP TABLE mixed;
SQL
        run -c "\\copy (SELECT id, sig FROM page) TO '$files/row.copy' BINARY" \
            -c "\\copy (SELECT id, sig FROM query ORDER BY id) TO '$files/query.copy' BINARY"
    else
        case $data in
        descriptor | tile | lsa)
            local input=pictures
            [ "$data" != lsa ] || input=paragraphs
            [ -s "$SCRATCH/$input" ] || "$here/collect.sh" "$input" >"$SCRATCH/$input"
            "$SCRATCH/collected" "$data" "$4" "$5" "$6" "$SEED" "$files" <"$SCRATCH/$input"
            ;;
        *) "$SCRATCH/generate" "$data" "$bits" "$4" "$5" "$6" "$SEED" "$files" ;;
        esac
        local table
        for table in row:page fresh:fresh query:query; do
            run -c "\\copy ${table#*:} FROM '$files/${table%:*}.copy' BINARY"
        done
    fi
    run -c 'ANALYZE page, query'
}

unload() {
    export PGDATABASE=postgres
    psql -X -q -c "DROP DATABASE $1"
    rm -r "$files"
}

# -- measurements -------------------------------------------------------------------------------------------

insert() {
    local from
    from=$(value 'SELECT min(id) FROM fresh')
    local half=$((BATCH / 2))
    psql -X -q -c 'ALTER SYSTEM SET full_page_writes = on' -c 'SELECT pg_reload_conf()' -c 'SELECT pg_sleep(1)' -c CHECKPOINT >/dev/null
    run -c "CALL insert_batch(1, $from, $((from + half)))"
    psql -X -q -c 'ALTER SYSTEM SET full_page_writes = off' -c 'SELECT pg_reload_conf()' -c 'SELECT pg_sleep(1)' -c CHECKPOINT >/dev/null
    run -c "CALL insert_batch(2, $((from + half)), $((from + BATCH)))"
}

# The radii: 1/16 and 1/8 of 256 bits less one; 31 and 64 of more bits.
radii_of() { if [ "$1" -le 256 ]; then echo 16 31; else echo 31 64; fi; }
# A radius below that of most pairs of rows and so large that the index scans its store.
scan_radius_of() { echo $(($1 * 5 / 16)); }

# measure data bits
measure() {
    local radii kind
    radii=$(radii_of "$2")
    load "$1_$2" "$1" "$2" "$ROWS" "$BATCH" "$QUERIES"
    rows=$(value 'SELECT count(*) FROM page')
    say "$1, $2 bits: $rows rows loaded"
    # shellcheck disable=SC2086
    "$SCRATCH/memory" expected "$files" $radii "$(scan_radius_of "$2")" | run -c '\copy expected FROM pstdin CSV' \
        -c "SELECT note('data', 'distance of the tenth nearest row', '', 'mean', avg(found)) FROM expected WHERE radius = -1" >/dev/null
    run -c 'ALTER TABLE expected ADD PRIMARY KEY (id, radius)' -c 'ALTER TABLE query ADD PRIMARY KEY (id)' -c 'ANALYZE expected'
    for kind in $KINDS; do
        run -c "CALL build('$kind')" -c "VACUUM ANALYZE page_$kind"
        say "$kind built"
    done
    if asked search; then
        run -v kinds="$KINDS" -v bits="$2" -v radii="$radii" -v scan_radius="$(scan_radius_of "$2")" -f "$here/methods.sql" \
            -c "CALL time_methods($ROUNDS, $ROUND_SECONDS)"
        say "searched"
    fi
    if asked memory; then
        # shellcheck disable=SC2086
        OMP_NUM_THREADS=1 "$SCRATCH/memory" measure "$files" "$ROUNDS" "$FAISS" $radii | run -c '\copy result FROM pstdin CSV'
        say "in memory"
    fi
    if asked insert; then
        insert
        say "inserted"
    fi
    run -c "\\copy (SELECT '$1', $2, $rows, part, method, setting, measure, value FROM result) TO pstdout CSV" \
        >>"$OUTPUT/results.csv"
    value 'SELECT message FROM wrong' | sed "s/^/$1, $2 bits: /" >>"$SCRATCH/wrong"
    unload "$1_$2"
}

echo data,bits,rows,part,method,setting,measure,value >"$OUTPUT/results.csv"
: >"$SCRATCH/wrong"
for each in $DATA; do
    measure "${each%:*}" "${each#*:}"
done
if asked exact; then
    for bits in 65 128 256 300 576 1024 4096; do
        for data in uniform clustered skewed repeated; do
            load exact "$data" "$bits" 10000 0 20
            run -A -t -F , -v bits="$bits" -v data="$data" -f "$here/exact.sql" |
                sed "s/^exact,\([a-z]*\), [0-9]*,/$data,$bits,10000,exact,,/" >>"$OUTPUT/results.csv"
            unload exact
        done
    done
    awk -F, '$4 == "exact" && $7 == "differing" && $8 > 0 { print $1 ", " $2 " bits: " $8 " rows differ" }' \
        "$OUTPUT/results.csv" >>"$SCRATCH/wrong"
    say "exact answers compared"
fi

# -- results ------------------------------------------------------------------------------------------------

# Adds a rule after the first line of a table; other lines stay.
markdown() {
    awk '!/ \| / { print; head = 1; next }
        { print "| " $0 " |" }
        head { head = 0; gsub(/[^|]+/, "---"); print "|" $0 "|" }'
}
{
    sed -n 's/^model name[^:]*: */Processor: /p' /proc/cpuinfo | head -n 1
    echo "$(nproc) cores, $((memory_megabytes / 1024)) GB; $(psql -X -A -t -c 'SELECT version()')"
    echo "$ROWS rows, seed $SEED; shared_buffers $SHARED_BUFFERS; commit $(git -C "$TOP" describe --always --dirty 2>/dev/null || echo unknown)"
    psql -X -v ON_ERROR_STOP=1 -f "$here/report.sql" <"$OUTPUT/results.csv" | markdown
} | tee "$OUTPUT/results.md"
echo "results.md and results.csv: $OUTPUT" >&2
if [ -s "$SCRATCH/wrong" ]; then
    echo "WRONG ANSWERS:" >&2
    cat "$SCRATCH/wrong" >&2
    exit 1
fi
