#!/usr/bin/env bash
# Searches with a recall below 1 against the exact search, on pictures and texts (collected.cpp), for this checkout and, if given,
# another build of the extension with the same SQL, in turn.
#
#   bench/wide/recall.sh [before.so]
#
#   DATA="descriptor:256 tile:576 lsa:1024"   ROWS=200000 QUERIES=400 ROUNDS=5 SEED=1
#
# A table for each kind of data: the search, the build, the mean processor time of a query in microseconds (the median of the
# rounds), that time as a multiple of the exact search's, and the recall.
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
DATA=${DATA:-descriptor:256 tile:576 lsa:1024}
ROWS=${ROWS:-200000} QUERIES=${QUERIES:-400} ROUNDS=${ROUNDS:-5} SEED=${SEED:-1}
[ $# -le 1 ] || { sed -n '2,10s/^# \?//p' "$0" >&2; exit 2; }
before=${1:+$(realpath "$1")}

. "$TOP/tools/cluster.sh"
here=$TOP/bench/wide
build_and_stage
library=$(find "$INSTALL_ROOT" -name simhash.so)
cp "$library" "$SCRATCH/after.so"
[ -z "$before" ] || cp "$before" "$SCRATCH/before.so"
BUILD=$BUILD "$TOP/bench/link.sh" "$SCRATCH/collected" "$here/collected.cpp" -O3 -march=native -ffast-math
cluster_start "shared_buffers = 2GB" "maintenance_work_mem = 1GB" "fsync = off" "autovacuum = off" "jit = off" \
    "max_parallel_workers_per_gather = 0" "max_parallel_maintenance_workers = 0" "client_min_messages = warning"

run() { psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

# The next sessions load this build.
use() {
    cp "$SCRATCH/$1.so" "$library.new"
    chmod a+r "$library.new"
    mv "$library.new" "$library"
}

builds="after${before:+ before}"
for each in $DATA; do
    kind=${each%:*} bits=${each#*:}
    files=$SCRATCH/$kind
    mkdir "$files"
    input=pictures
    [ "$kind" != lsa ] || input=paragraphs
    [ -s "$SCRATCH/$input" ] || "$here/collect.sh" "$input" >"$SCRATCH/$input"
    "$SCRATCH/collected" "$kind" "$ROWS" 0 "$QUERIES" "$SEED" "$files" <"$SCRATCH/$input"
    PGDATABASE=postgres run -c "CREATE DATABASE $kind"
    export PGDATABASE=$kind
    run -v bits="$bits" -v rows="$ROWS" -v kinds=none -f "$here/setup.sql"
    run -c "\\copy page FROM '$files/row.copy' BINARY" -c "\\copy query FROM '$files/query.copy' BINARY" \
        -c 'CREATE INDEX ON page USING simhash (sig)' -c 'VACUUM ANALYZE page' -c 'ANALYZE query'
    run -v bits="$bits" -f "$here/recall.sql"
    for ((round = 0; round < ROUNDS; round++)); do
        for build in $builds; do
            use "$build"
            run -c "CALL measure_searches('$build', $QUERIES)"
        done
    done
    use after
    echo
    echo "$kind: $(run -c 'SELECT count(*) FROM page') rows of $bits bits, load $(cut -d ' ' -f 1 /proc/loadavg)"
    echo
    run -F ' | ' -c 'TABLE report' | sed 's/.*/| & |/'
done
