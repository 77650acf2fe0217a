#!/usr/bin/env bash
# Signatures of several kinds against exact similarities, and all similar pairs of a million documents; see README.md.
#
#   bench/similarity/run.sh TEXTS.tsv.gz PAIRS.tsv.gz [directory]     results go to the directory
#
#   PARTS="measures pairs peers"
#                      what to measure
#   ROWS=1000000       documents to find pairs among, made of the texts
#   PEER_ROWS=50000    documents for Python's libraries
#   PEER_SECONDS=10    for each measurement of datasketch's sketches
#   DATASKETCH=directory
#                      the sources of datasketch, unless it is installed
#   PLOTS=1            draws doc/similarity.svg
#   SEED=1 SHARED_BUFFERS=4GB WORK_MEM=1GB
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
[ $# = 2 ] || [ $# = 3 ] || { sed -n '2,15s/^# \?//p' "$0" >&2; exit 2; }
TEXTS=$1 PAIRS=$2
PARTS=${PARTS:-measures pairs peers}
ROWS=${ROWS:-1000000} PEER_ROWS=${PEER_ROWS:-50000} PEER_SECONDS=${PEER_SECONDS:-10} SEED=${SEED:-1}
"$TOP/tools/setup.sh" bench
. "$TOP/bench/results.sh" "${3:-}"
here=$TOP/bench/similarity

# in_schema rows statement ...: runs statements in a schema for so many documents.
in_schema() {
    local options=(-c "CREATE SCHEMA IF NOT EXISTS \"$1 documents\"" -c "SET search_path = \"$1 documents\", public") statement
    shift
    for statement; do options+=(-c "$statement"); done
    run "${options[@]}"
}

build_and_stage
BUILD=$BUILD "$TOP/bench/link.sh" "$SCRATCH/texts" "$here/texts.cpp" -O3 -mpopcnt
cluster_start "shared_buffers = ${SHARED_BUFFERS:-4GB}" "maintenance_work_mem = 1GB" "work_mem = ${WORK_MEM:-1GB}" \
    "max_wal_size = 16GB" "checkpoint_timeout = 1d" "fsync = off" "autovacuum = off" "jit = off" \
    "max_parallel_workers_per_gather = 0" "max_parallel_maintenance_workers = 0" "client_min_messages = warning"
lscpu | sed -n 's/^Model name: */CPU: /p'
run -f "$here/setup.sql"

# -- texts --------------------------------------------------------------------------------------------------

zcat "$TEXTS" | cut -f 1,8 >"$SCRATCH/texts.tsv"
if asked measures; then
    run -c "\\copy text FROM '$SCRATCH/texts.tsv'"
    zcat "$PAIRS" | run -c '\copy listed FROM pstdin'
    "$SCRATCH/texts" pairs <"$SCRATCH/texts.tsv" | cut -f 1,2 | sed 's/^/jaccard\t/' | run -c '\copy truth FROM pstdin'
    run -c "INSERT INTO truth SELECT m, a, b FROM listed, unnest('{cosine_u,cosine,cosine_s}'::text[], ARRAY[cos_u, cos_l, cos_s]) c(m, v) WHERE v >= 0.9"
    say "similar pairs found"
    run -v directory="$SCRATCH" -v commands="$SCRATCH/export.sql" -A -t -f "$here/measures.sql"
    run -f "$SCRATCH/export.sql"
    for bits in "$SCRATCH"/*.bits; do
        name=$(basename "$bits" .bits)
        "$SCRATCH/texts" distances <"$bits" | sed "s/^/$name\t/" | run -c '\copy distance FROM pstdin'
        rm "$bits"
    done
    run -f "$here/curves.sql" -c "\\copy curve TO '$OUTPUT/curve.csv' CSV"
    say "texts compared"
    if [ -n "${PLOTS:-}" ]; then
        (cd "$OUTPUT" && gnuplot -e "out = '$TOP/doc/similarity.svg'" "$here/plots.gp")
    fi
fi

# -- documents ----------------------------------------------------------------------------------------------

if asked pairs || asked peers; then
    "$SCRATCH/texts" documents "$ROWS" "$SEED" <"$SCRATCH/texts.tsv" >"$SCRATCH/documents.tsv"
    run -c "\\copy document FROM '$SCRATCH/documents.tsv'" -c 'ANALYZE document'
    run -A -t -c "SELECT format('%s documents, %s words on average', count(*), round(avg(array_length(string_to_array(body, ' '), 1)))) FROM document"
    say "documents made"
    cut -f 1,3 "$SCRATCH/documents.tsv" | "$SCRATCH/texts" pairs | run -c '\copy true_pair FROM pstdin' -c 'ANALYZE true_pair'
    rm "$SCRATCH/documents.tsv"
    run -A -t -c "SELECT count(*) || ' similar pairs' FROM true_pair"
    say "similar pairs found"
    run -f "$here/pairs.sql"
fi
if asked pairs; then
    in_schema "$ROWS" "CALL prepare($ROWS)"
    say "indexed"
    for way in "index(256, 0.95)" "index(1024, 0.95)" "bands(18, 7)"; do
        in_schema "$ROWS" "CALL find_by_$way"
        say "$way"
    done
fi
if asked peers; then
    export PYTHONPATH=${DATASKETCH:-}
    run -c "CREATE UNLOGGED TABLE feature (id int, body text, features text[])" \
        -c "ALTER TABLE feature ALTER body SET STORAGE EXTERNAL, ALTER features SET STORAGE EXTERNAL" \
        -c "INSERT INTO feature SELECT id, body, ARRAY(SELECT DISTINCT f FROM unnest(to_features(body, 'word', 3)) f) FROM document WHERE id <= $PEER_ROWS"
    run -c "\\copy (SELECT id, array_to_string(features, '|||') FROM feature) TO '$SCRATCH/features'"
    sed 's/|||/\t/g' "$SCRATCH/features" >"$SCRATCH/features.tsv"
    cut -f 2- "$SCRATCH/features.tsv" >"$SCRATCH/features"
    SECONDS=$PEER_SECONDS python3 "$TOP/bench/similarity/datasketch_speed.py" "$SCRATCH/features" | tee "$OUTPUT/sketch.tsv"
    rm "$SCRATCH/features"
    run -f "$here/sketch.sql"
    say "sketched"
    [ "$PEER_ROWS" = "$ROWS" ] || in_schema "$PEER_ROWS" "CALL prepare($PEER_ROWS)" "CALL find_by_index(256, 0.99)" "CALL find_by_bands(18, 7)"
    for way in datasketch datasketch-18 text-dedup; do
        python3 "$here/libraries.py" "$SCRATCH/features.tsv" $way >"$SCRATCH/pairs" 2>"$SCRATCH/steps"
        run -c 'DROP TABLE IF EXISTS peer_pair' -c 'CREATE TABLE peer_pair (a int, b int)' -c "\\copy peer_pair FROM '$SCRATCH/pairs'"
        run -c 'DROP TABLE IF EXISTS peer_step' -c 'CREATE TABLE peer_step (way text, item text, seconds float8, rows float8)' \
            -c "\\copy peer_step FROM '$SCRATCH/steps'"
        in_schema "$PEER_ROWS" "SELECT note(way, item, 'seconds', seconds), note(way, item, 'rows', rows) FROM peer_step" \
            "CALL compare('$way', 'SELECT * FROM peer_pair')" >/dev/null
        say "$way"
    done
fi
run -c "\\copy result TO '$OUTPUT/result.csv' CSV" -f "$here/report.sql" | tee "$OUTPUT/report.txt"
