#!/usr/bin/env bash
# Sood and Loguinov's tables and figures (CIKM 2011), measured again on this index; see README.md.
#
#   bench/psm/run.sh [revisions.tsv.gz revisions.pairs.tsv.gz]
#
#   SIZES="1000000"       rows of the collection, ascending
#   TABLES="4 1 10"       indexes; the first one defines the expected rows
#   FEATURES=default      the words of to_simhash(text), or idf: words weighted (1 + ln tf) * idf
#   DRAWN=measured        bit statistics of the collection's random rows: those of the texts, or uniform
#   QUERIES=1000          texts to search for
#   BATCH=1000000         queries of the batch join, 0 for none
#   BATCHES="10000 100000 1000000"   of which so many are joined at a time
#   RESULTS=directory     keeps the CSV files there
#   PLOTS=1               draws bench/psm/*.svg
#   MEMORY=               for example 2G: at the end, searches and batch joins of the largest collection by a server that has so
#                         little memory, the kernel's cache of its files included (a memory cgroup; as root)
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
SIZES=${SIZES:-1000000}
TABLES=${TABLES:-4 1 10}
FEATURES=${FEATURES:-default}
DRAWN=${DRAWN:-measured}
QUERIES=${QUERIES:-1000}
BATCH=${BATCH:-1000000}
BATCHES=${BATCHES:-$((BATCH / 100)) $((BATCH / 10)) $BATCH}
LIMITED_BATCHES="$((BATCH / 100)) $((BATCH / 10))"
[ $# = 0 ] || [ $# = 2 ] || { sed -n '2,18s/^# \?//p' "$0" >&2; exit 2; }

if [ $# = 2 ]; then "$TOP/tools/setup.sh"; else "$TOP/tools/setup.sh" demo; fi
if [ -n "${PLOTS:-}" ] && ! command -v gnuplot >/dev/null; then
    as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gnuplot-nox >/dev/null
fi
. "$TOP/tools/cluster.sh"
RESULTS=${RESULTS:-$SCRATCH/results}
mkdir -p "$RESULTS"
here=$TOP/bench/psm

build_and_stage
for program in collection flips; do
    BUILD=$BUILD "$TOP/bench/link.sh" "$SCRATCH/$program" "$here/$program.cpp"
done
cluster_start "shared_buffers = ${SHARED_BUFFERS:-8GB}" "maintenance_work_mem = 2GB" "work_mem = 256MB" "wal_level = minimal" \
    "max_wal_senders = 0" "max_wal_size = 32GB" "checkpoint_timeout = 1h" "fsync = off" "autovacuum = off" "jit = off" \
    "max_parallel_workers_per_gather = 0" "max_parallel_maintenance_workers = 0" "client_min_messages = warning"
run() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }
value() { run -A -t -c "$1"; }
say() { echo "$(printf '%4d s: ' $SECONDS)$*" >&2; }

# -- texts --------------------------------------------------------------------------------------------------

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
sed -n 's/^model name[^:]*: */CPU: /p' /proc/cpuinfo | head -n 1
value 'SELECT version()'
echo "Features: $FEATURES; random rows: $DRAWN bit statistics"
run -v features="$FEATURES" -v queries="$QUERIES" -v batch="$BATCH" -f "$here/texts.sql"
say "texts fingerprinted"

run -A -t -F $'\t' -c "SELECT f.id, f.w, p.h FROM partner JOIN fingerprinted f USING (id) JOIN fingerprinted p ON p.id = partner
    WHERE f.half = 1 AND f.h <@> p.h <= 3" | "$SCRATCH/flips" "$RESULTS"
say "flips counted"

# -- searches -----------------------------------------------------------------------------------------------

search() { # method by target most_probes radius find
    run -v rows="$size" -v tables="$tables" -v method="$1" -v by="$2" -v target="$3" -v most_probes="$4" \
        -v radius="$5" -v find="$6" -f "$here/search.sql"
}
batch() { # how queries method by target find
    run -v rows="$size" -v tables="$tables" -v how="$1" -v queries="$2" -v method="$3" -v by="$4" -v target="$5" -v find="$6" -f "$here/batch.sql"
}

# -- little memory ------------------------------------------------------------------------------------------

# Starts the server again with empty caches and, if there is an argument, within a memory cgroup.
restart() {
    local group=${1:-}
    cluster_stop
    uncache_data
    (
        [ -z "$group" ] || echo "$BASHPID" >"$group/cgroup.procs"
        as_server "$PGBIN/pg_ctl" -D "$PGDATA" -l "$SCRATCH/server.log" ${group:+-o "-c shared_buffers=256MB -c work_mem=64MB"} -w start >/dev/null
    )
}

limited() { # how source queries method by target radius
    restart "$group"
    run -v rows="$size" -v tables="$tables" -v how="$1" -v source="$2" -v queries="$3" -v method="$4" -v by="$5" -v target="$6" \
        -v radius="$7" -f "$here/limited.sql"
    say "$MEMORY: $*"
}

limit_memory() {
    local group radius queries how
    if [ -w /sys/fs/cgroup/memory ]; then
        group=/sys/fs/cgroup/memory/simhash-psm-$$
        mkdir "$group"
        echo "$MEMORY" >"$group/memory.limit_in_bytes"
    else
        group=/sys/fs/cgroup/simhash-psm-$$
        mkdir "$group"
        echo "$MEMORY" >"$group/memory.max"
    fi
    for radius in 3 5 8; do
        limited loop query "$QUERIES" exact h 1 $radius
        limited loop query "$QUERIES" guided w 0.95 $radius
    done
    for queries in $LIMITED_BATCHES; do
        for how in match loop; do
            limited $how batch "$queries" exact h 1 3
            limited $how batch "$queries" guided w 0.95 3
        done
    done
    restart
    rmdir "$group"
}

value "SELECT avg((h::bigint >> j & 1)::int) FROM fingerprinted, generate_series(0, 63) j GROUP BY j ORDER BY j" >"$SCRATCH/bits"
awk '{ information -= log($1 * $1 + (1 - $1) ^ 2) / log(2) }
    END { printf "The fingerprints of the texts discriminate as well as %.1f uniform bits, if bits were independent\n", information }' "$SCRATCH/bits"
[ "$DRAWN" = measured ] || sed -i 's/.*/0.5/' "$SCRATCH/bits"
drawn=0
for size in $SIZES; do
    rows=$(value 'SELECT count(*) FROM doc')
    "$SCRATCH/collection" $((100000000 + drawn + 1)) $((100000000 + drawn + size - rows)) <"$SCRATCH/bits" |
        run -c '\copy doc FROM pstdin BINARY'
    drawn=$((drawn + size - rows))
    run -c 'VACUUM ANALYZE doc'
    say "$size rows loaded"
    for tables in $TABLES; do
        run -v rows="$size" -v tables="$tables" <<'SQL'
SELECT clock_timestamp() AS begun \gset
CREATE INDEX doc_h ON doc USING simhash (h) WITH (tables = :tables);
INSERT INTO built SELECT :rows, :tables, extract(epoch FROM clock_timestamp() - :'begun'), pg_relation_size('doc_h'),
       max(value) FILTER (WHERE name = 'leaf_pages'), max(value) FILTER (WHERE name = 'inner_pages'),
       max(value) FILTER (WHERE name = 'height') FROM simhash_index_stats('doc_h');
SQL
        say "tables = $tables: built"
        # Exact.
        if [ "$tables" != 1 ]; then
            for radius in 3 5 8; do
                # Beyond the design's distance overlapping headers read most of a table.
                [ $radius != 3 ] && [ "$tables" -gt 4 ] && continue
                search exact h 1 0 $radius all
                search exact h 1 0 $radius first
            done
        fi
        # Exact, the first row: by weights, and with one table without weights, too.
        for radius in 3 5 8; do
            [ $radius != 3 ] && [ "$tables" != 4 ] && continue
            [ "$tables" != 1 ] || search exact h 1 0 $radius first
            search likeliest w 1 0 $radius first
        done
        if [ "$tables" -le 4 ]; then
            # By weights with the default model.
            for target in 0.90 0.95 0.99; do
                for radius in 3 5 8; do
                    search default w $target 0 $radius all
                done
            done
            # By weights with a model fitted to other texts.
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
        fi
        say "tables = $tables: searched"
        if [ "$BATCH" -gt 0 ] && [ "$tables" -le 4 ]; then
            for find in all first; do
                for queries in $BATCHES; do
                    for how in match loop; do
                        [ "$tables" = 1 ] || batch $how "$queries" exact h 1 $find
                        batch $how "$queries" guided w 0.95 $find
                    done
                done
            done
            say "tables = $tables: batch join"
        fi
        if [ -n "${MEMORY:-}" ] && [ "$tables" = 4 ] && [ "$size" = "${SIZES##* }" ]; then
            limit_memory
        fi
        run -c 'DROP INDEX doc_h'
        for table in built searched batched calibrated limited; do
            run -c "\\copy $table TO '$RESULTS/$table.csv' CSV HEADER"
        done
    done
done

# -- results ------------------------------------------------------------------------------------------------

run -v directory="$RESULTS" -f "$here/report.sql"
if [ -n "${PLOTS:-}" ]; then
    (cd "$RESULTS" && gnuplot -e "out = '$here'" "$here/plots.gp")
fi
echo "CSV files: $RESULTS"
