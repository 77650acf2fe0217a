#!/usr/bin/env bash
# Signatures of several kinds against exact similarities, and all similar pairs of a million documents; see README.md.
#
#   bench/similarity/run.sh TEXTS.tsv.gz PAIRS.tsv.gz [directory]     results go to the directory
#
#   PARTS="measures search pairs peers"
#                      what to measure; search takes its radii from measures
#   ROWS=1000000       documents to find pairs among, made of the texts
#   PEER_ROWS=100000   documents for Python's libraries
#   DATASKETCH=directory
#                      the sources of datasketch, unless it is installed
#   PLOTS=1            draws doc/similarity.svg
#   SEED=1 SHARED_BUFFERS=4GB WORK_MEM=1GB
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
[ $# = 2 ] || [ $# = 3 ] || { sed -n '2,14s/^# \?//p' "$0" >&2; exit 2; }
TEXTS=$1 PAIRS=$2
PARTS=${PARTS:-measures search pairs peers}
ROWS=${ROWS:-1000000} PEER_ROWS=${PEER_ROWS:-100000} SEED=${SEED:-1}
"$TOP/tools/setup.sh" bench
. "$TOP/tools/cluster.sh"
OUTPUT=${3:-$SCRATCH/results}
mkdir -p "$OUTPUT"
OUTPUT=$(cd "$OUTPUT" && pwd)
here=$TOP/bench/similarity
SECONDS=0

say() { echo "$(printf '%4d s: ' $SECONDS)$*" >&2; }
asked() { [[ " $PARTS " == *" $1 "* ]]; }
run() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }

build_and_stage
g++ -std=c++20 -O3 -mpopcnt -Wall -Wextra -I"$TOP/src" -o "$SCRATCH/texts" "$here/texts.cpp" \
    "$TOP"/src/core/text/*.cpp "$TOP/src/core/fingerprint/feature_hash.cpp"
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
    run -f "$here/curves.sql" -c "\\copy curve TO '$OUTPUT/curve.csv' CSV" -c 'TABLE best'
    say "texts compared"
    if [ -n "${PLOTS:-}" ]; then
        (cd "$OUTPUT" && gnuplot -e "out = '$TOP/doc/similarity.svg'" "$here/plots.gp")
    fi
fi
