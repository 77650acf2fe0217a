#!/usr/bin/env bash
# Chappell, Geva and Zuccon's tables and figures (2015), measured again with their method and with the index; see README.md.
#
#   bench/issl/run.sh [revisions.tsv.gz]
#
#   PARTS="table1 figure2 figure3 table2 bounds clusters"   what to measure; index: the PostgreSQL index on the same rows
#   ROWS=1000000          of Table 1 and Figure 2
#   LARGE=10000000        of Table 2
#   LOG2="13 14 … 23"     sizes of Figure 3, as powers of two
#   WIDTHS="19 … 23"      slice widths of Table 2
#   QUERIES=200           signatures to search for
#   ROUNDS=3              times that each query is run; the least time counts
#   TREES=8               of the index
#   RECALLS="0.5 … 0.99"  target recalls of the index
#   FILES=directory       keeps the signatures there and uses those it finds
#   RESULTS=directory     keeps the CSV files there
#   PLOTS=1               draws bench/issl/*.svg
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
PARTS=${PARTS:-table1 figure2 figure3 table2 bounds clusters}
ROWS=${ROWS:-1000000}
LARGE=${LARGE:-10000000}
LOG2=${LOG2:-13 14 15 16 17 18 19 20 21 22 23}
WIDTHS=${WIDTHS:-19 20 21 22 23}
QUERIES=${QUERIES:-200}
ROUNDS=${ROUNDS:-3}
TREES=${TREES:-8}
RECALLS=${RECALLS:-0.5 0.7 0.8 0.9 0.95 0.99}
STRIDE=13 # words from one window of a text to the next
[ $# -le 1 ] || { sed -n '2,19s/^# \?//p' "$0" >&2; exit 2; }
wanted() { [[ " $PARTS " = *" $1 "* ]]; }

if [ $# = 1 ]; then "$TOP/tools/setup.sh"; else "$TOP/tools/setup.sh" demo; fi
if [ -n "${PLOTS:-}" ] && ! command -v gnuplot >/dev/null; then
    as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gnuplot-nox >/dev/null
fi
. "$TOP/tools/cluster.sh"
RESULTS=${RESULTS:-$SCRATCH/results}
FILES=${FILES:-$SCRATCH}
mkdir -p "$RESULTS" "$FILES"
here=$TOP/bench/issl
say() { echo "$(printf '%4d s: ' $SECONDS)$*" >&2; }

for program in signatures issl; do
    BUILD="" "$TOP/bench/link.sh" "$SCRATCH/$program" "$here/$program.cpp"
done
issl() { # command file argument ...
    "$SCRATCH/issl" "$1" "$FILES/$2" "$QUERIES" "${@:3}"
}

# -- signatures ---------------------------------------------------------------------------------------------

texts() {
    if [ $# = 1 ]; then
        zcat "$1" | cut -f 8
    else
        find /usr/share/doc /usr/share/man /usr/include -xdev -type f -size -4096k \
            ! -iregex '.*\.\(png\|gif\|jpe?g\|svgz?\|pdf\|e?ps\|css\|js\|json\|xml\|db\|so\|a\|o\|zip\|bz2\|xz\)\(\.gz\)?' | sort |
            perl "$TOP/demo/read_documents.pl" | cut -f 3
    fi
}

sed -n 's/^model name[^:]*: */CPU: /p' /proc/cpuinfo | head -n 1
most=$ROWS
if wanted table2 && [ "$LARGE" -gt "$most" ]; then most=$LARGE; fi
if wanted figure3 && [ $((1 << ${LOG2##* })) -gt "$most" ]; then most=$((1 << ${LOG2##* })); fi
if [ "$(stat -L -c %s "$FILES/text" 2>/dev/null || echo 0)" -lt $(((most + QUERIES) * 128)) ]; then
    texts "$@" | "$SCRATCH/signatures" text "$most" "$QUERIES" "$STRIDE" >"$FILES/text"
    say "$most rows of text written"
fi
issl check text 20000 16 0 1 2:1 3:1 3:1:positions
issl check text 20000 13 0 1 2:1 3:1 3:1:positions

# -- the paper's method -------------------------------------------------------------------------------------

measure() { # file rows width options ...: appended to the part's results
    issl measure "$1" "$2" "$3" "$ROUNDS" "${@:4}" >"$SCRATCH/measured"
    [ -s "$RESULTS/$part.csv" ] || head -n 1 "$SCRATCH/measured" >"$RESULTS/$part.csv"
    tail -n +2 "$SCRATCH/measured" >>"$RESULTS/$part.csv"
}
all_of_table1=(0:0 1:0 1:1 2:0 2:1 2:2 3:0 3:1 3:2 3:3 4:0 4:1 4:2 4:3 4:4)
for part in $PARTS; do
    rm -f "$RESULTS/$part.csv"
    case $part in
    table1) measure text "$ROWS" 16 "${all_of_table1[@]}" {1:0,2:0,2:1,3:0,3:1,3:2,4:0,4:1,4:2,4:3}:positions ;;
    figure2) issl curve text "$ROWS" 16 0 1 2 3 4 5 8 >"$RESULTS/figure2.csv" ;;
    figure3)
        # The width grows with the rows; for comparison it does not.
        for log2 in $LOG2; do
            measure text $((1 << log2)) $((log2 - 3)) 3
            [ "$log2" = 19 ] || measure text $((1 << log2)) 16 3
        done
        ;;
    table2)
        for width in $WIDTHS; do
            measure text "$LARGE" "$width" 1 2 3
        done
        ;;
    bounds)
        for width in 16 12; do
            issl bounds text "$ROWS" "$width" 0 1 2 3 4 | if [ "$width" = 16 ]; then cat; else tail -n +2; fi
        done >"$RESULTS/bounds.csv"
        ;;
    clusters)
        [ -s "$FILES/clusters" ] || "$SCRATCH/signatures" clusters "$ROWS" "$QUERIES" >"$FILES/clusters"
        measure clusters "$ROWS" 16 0 1 2 3 4
        ;;
    index) continue ;;
    *) echo "unknown part: $part" >&2; exit 2 ;;
    esac
    say "$part"
    echo "$part:"
    column -s , -t "$RESULTS/$part.csv"
done

# -- the index ----------------------------------------------------------------------------------------------

run() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }
index() { # file
    run -f "$here/index.sql"
    "$SCRATCH/signatures" copy 0 "$QUERIES" <"$FILES/$1" | run -c '\copy query FROM pstdin BINARY'
    "$SCRATCH/signatures" copy "$QUERIES" "$ROWS" <"$FILES/$1" | run -c '\copy doc FROM pstdin BINARY'
    issl truth "$1" "$ROWS" | run -c '\copy truth FROM pstdin CSV HEADER'
    run -v trees="$TREES" <<'SQL'
VACUUM ANALYZE doc, query, truth;
SELECT processor_seconds() AS begun \gset
CREATE INDEX doc_sig ON doc USING simhash (sig) WITH (tables = :trees);
CREATE TABLE built AS SELECT :trees AS trees, processor_seconds() - :begun AS seconds;
SQL
    for k in 10 30; do
        for recall in $RECALLS 1; do
            run -v file="$1" -v rows="$ROWS" -v k="$k" -v recall="$recall" -f "$here/neighbors.sql"
        done
    done
}
if wanted index; then
    build_and_stage
    cluster_start "shared_buffers = ${SHARED_BUFFERS:-2GB}" "maintenance_work_mem = 1GB" "wal_level = minimal" \
        "max_wal_senders = 0" "max_wal_size = 16GB" "fsync = off" "autovacuum = off" "jit = off" \
        "max_parallel_workers_per_gather = 0" "max_parallel_maintenance_workers = 0" "client_min_messages = warning"
    for file in text clusters; do
        [ -s "$FILES/$file" ] || continue
        index "$file"
    done
    run -c "\\copy searched TO '$RESULTS/index.csv' CSV HEADER"
    column -s , -t "$RESULTS/index.csv"
    say "index"
fi

if [ -n "${PLOTS:-}" ]; then
    (cd "$RESULTS" && gnuplot -e "out = '$here'" "$here/plots.gp")
fi
echo "CSV files: $RESULTS"
