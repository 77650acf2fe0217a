#!/usr/bin/env bash
# Published experiments, measured again. The pages of the same names have the results.
#
#   bench/papers/run.sh psm [TEXTS.tsv.gz PAIRS.tsv.gz]         searches by weights
#   bench/papers/run.sh corpus                                  the benchmark of simhash-py
#
#   SIZES="1000000"       psm, corpus: rows, ascending
#   TABLES="4 1 10"       psm: indexes; the first one defines the expected rows. corpus: "10 4"
#   FEATURES=default      psm: the words of to_simhash(text), or idf: words weighted (1 + ln tf) * idf
#   DRAWN=measured        psm: bit statistics of the random rows: those of the texts, or uniform
#   QUERIES=1000          psm: texts to search for. corpus: random, or near: hashes with up to four bits flipped
#   BATCH=1000000         psm: queries of the batch join, 0 for none
#   RESULTS=directory     psm: keeps the CSV files there
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
here=$TOP/bench/papers
paper=${1:-}
case $paper:$# in
psm:1 | psm:3 | corpus:1) shift ;;
*) sed -n '2,14s/^# \?//p' "$0" >&2; exit 2 ;;
esac
SIZES=${SIZES:-1000000}
if [ $# = 2 ]; then "$TOP/tools/setup.sh"; else "$TOP/tools/setup.sh" demo; fi
. "$TOP/bench/results.sh" ""

start() {
    build_and_stage
    cluster_start "shared_buffers = ${SHARED_BUFFERS:-2GB}" "maintenance_work_mem = 1GB" "work_mem = 64MB" "wal_level = minimal" \
        "max_wal_senders = 0" "max_wal_size = 32GB" "checkpoint_timeout = 1h" "fsync = off" "autovacuum = off" "jit = off" \
        "max_parallel_workers_per_gather = 0" "max_parallel_maintenance_workers = 0" "client_min_messages = warning"
    sed -n 's/^model name[^:]*: */CPU: /p' /proc/cpuinfo | head -n 1
    value 'SELECT version()'
    run -f "$here/setup.sql"
}

# -- psm ----------------------------------------------------------------------------------------------------

read_texts() { # [texts pairs]
    run -c 'CREATE TABLE text (id integer, family text, body text)' -c 'CREATE TABLE near (id1 integer, id2 integer)'
    if [ $# = 2 ]; then
        echo "Texts: revisions in $(basename "$1"); near-duplicates: pairs of one document or family, or with cosine 0.9, in $(basename "$2")"
        zcat "$1" | cut -f 1,3,8 | run -c '\copy text FROM pstdin'
        zcat "$2" | awk -F '\t' '$3 <= 1 || $6 >= 0.9 { print $1 "\t" $2 }' | run -c '\copy near FROM pstdin'
    else
        echo "Texts: found on this machine; near-duplicates: versions with some words edited"
        find /usr/share/doc /usr/share/man /usr/include -xdev -type f -size -4096k \
            ! -iregex '.*\.\(png\|gif\|jpe?g\|svgz?\|pdf\|e?ps\|css\|js\|json\|xml\|db\|so\|a\|o\|zip\|bz2\|xz\)\(\.gz\)?' | sort |
            awk 'NR % 4 == 1' | perl "$TOP/demo/read_documents.pl" | perl "$here/edit_words.pl" "$SCRATCH/texts" "$SCRATCH/pairs"
        run -c '\copy text FROM '"'$SCRATCH/texts'" -c '\copy near FROM '"'$SCRATCH/pairs'"
    fi
}
search() { # method by target most_probes radius find
    run -v rows="$size" -v tables="$tables" -v method="$1" -v by="$2" -v target="$3" -v most_probes="$4" \
        -v radius="$5" -v find="$6" -f "$here/search.sql"
}
batch() { # how queries method by target find
    run -v rows="$size" -v tables="$tables" -v how="$1" -v queries="$2" -v method="$3" -v by="$4" -v target="$5" -v find="$6" -f "$here/batch.sql"
}
search_exactly() {
    local radius
    for radius in 3 5 8; do
        # Beyond the design's distance overlapping headers read most of a table, but for the first row.
        [ $radius = 3 ] || [ "$tables" = 4 ] || continue
        [ "$tables" = 1 ] || search exact h 1 0 $radius all
        search exact h 1 0 $radius first
        search likeliest w 1 0 $radius first
    done
}
search_by_weights() {
    local radius target probes
    run -v rows="$size" -v tables="$tables" -c "INSERT INTO calibrated
        SELECT $size, $tables, c.* FROM simhash_index_calibrate('doc_h', 'fit_pair', 'w', 'h', true) c"
    for target in 0.90 0.95 0.99; do
        for radius in 3 5 8; do
            search guided w $target 0 $radius all
            search guided w $target 0 $radius first
        done
    done
    for probes in 1 2 3 4 6 8 12 16 24 32 48 64; do
        search probes w 0.999999 $probes 3 all
    done
}

run_psm() {
    local BATCH=${BATCH:-1000000} rows drawn=0 size tables how find table
    RESULTS=${RESULTS:-$SCRATCH/results}
    mkdir -p "$RESULTS"
    BUILD=$BUILD "$TOP/bench/link.sh" "$SCRATCH/collection" "$here/collection.cpp"
    read_texts "$@"
    echo "Features: ${FEATURES:=default}; random rows: ${DRAWN:=measured} bit statistics"
    run -v features="$FEATURES" -v queries="${QUERIES:-1000}" -v batch="$BATCH" -f "$here/texts.sql"
    say "texts fingerprinted"
    value "SELECT avg((h::bigint >> j & 1)::int) FROM fingerprinted, generate_series(0, 63) j GROUP BY j ORDER BY j" >"$SCRATCH/bits"
    [ "$DRAWN" = measured ] || sed -i 's/.*/0.5/' "$SCRATCH/bits"
    for size in $SIZES; do
        rows=$(value 'SELECT count(*) FROM doc')
        "$SCRATCH/collection" $((100000000 + drawn + 1)) $((100000000 + drawn + size - rows)) <"$SCRATCH/bits" |
            run -c '\copy doc FROM pstdin BINARY'
        drawn=$((drawn + size - rows))
        run -c 'VACUUM ANALYZE doc'
        for tables in ${TABLES:-4 1 10}; do
            run -v rows="$size" -v tables="$tables" <<'SQL'
SELECT clock_timestamp() AS begun \gset
CREATE INDEX doc_h ON doc USING simhash (h) WITH (trees = :tables);
INSERT INTO built SELECT :rows, :tables, extract(epoch FROM clock_timestamp() - :'begun'), pg_relation_size('doc_h'),
       max(value) FILTER (WHERE name = 'leaf_pages'), max(value) FILTER (WHERE name = 'inner_pages'),
       max(value) FILTER (WHERE name = 'height') FROM simhash_index_stats('doc_h');
SQL
            search_exactly
            [ "$tables" -gt 4 ] || search_by_weights
            say "$size rows, trees = $tables: searched"
            if [ "$BATCH" -gt 0 ] && [ "$tables" -le 4 ]; then
                for find in all first; do
                    for how in match loop; do
                        [ "$tables" = 1 ] || batch $how "$BATCH" exact h 1 $find
                        batch $how "$BATCH" guided w 0.95 $find
                    done
                done
                say "batch join"
            fi
            run -c 'DROP INDEX doc_h'
        done
    done
    for table in built searched batched calibrated; do
        run -c "\\copy $table TO '$RESULTS/$table.csv' CSV HEADER"
    done
    run -f "$here/report.sql"
    echo "CSV files: $RESULTS"
}

case $paper in
psm)
    start
    run_psm "$@"
    ;;
corpus)
    start
    for rows in $SIZES; do
        for tables in ${TABLES:-10 4}; do
            run -v rows="$rows" -v queries="${QUERIES:-random}" -v tables="$tables" -f "$here/corpus.sql"
        done
    done
    ;;
esac
