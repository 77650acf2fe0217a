#!/usr/bin/env bash
# Deduplicates a table of documents from end to end: load, fingerprint, index, groups, delete, vacuum.
#
#   bench/dedupe/run.sh [rows [distance]]      default 1000000 and 3
#
# Documents are passages of 100 words from texts on this machine, and copies of them with one to four words changed,
# replaced, added or removed. Texts on a machine repeat each other (above all licences), so some originals are
# near-duplicates as well. Times are elapsed times, cached, fsync off.
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
ROWS=${1:-1000000}
DISTANCE=${2:-3}
"$TOP/tools/setup.sh" demo
. "$TOP/tools/cluster.sh"
SECONDS=0

build_and_stage
cluster_start "shared_buffers = 4GB" "maintenance_work_mem = 1GB" "work_mem = 128MB" "max_wal_size = 16GB" \
    "checkpoint_timeout = 1h" "fsync = off" "autovacuum = off" "jit = off"
run() { psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

# step name command …: runs the command and prints how long it took.
step() {
    local name=$1 begun
    shift
    begun=$(date +%s%N)
    printf '%-60s' "$name" >&2
    "$@" >"$SCRATCH/answer"
    printf '%7.2f s  %s\n' "$((($(date +%s%N) - begun) / 10000000))e-2" "$(tr '\n' ' ' <"$SCRATCH/answer")" >&2
}

# with_progress command …: the same, and shows pg_stat_progress_create_index meanwhile.
with_progress() {
    "$@" &
    local command=$! last='' now
    while kill -0 "$command" 2>/dev/null; do
        now=$(run -c "SELECT phase || coalesce(' ' || 100 * tuples_done / nullif(tuples_total, 0) || ' %', '')
            FROM pg_stat_progress_create_index" || true)
        [ -z "$now" ] || [ "$now" = "$last" ] || printf '\n    %s' "$now" >&2
        last=$now
        sleep 0.2
    done
    [ -z "$last" ] || printf '\n%-60s' '' >&2
    wait "$command"
}

texts() {
    { find /usr/share/doc /usr/share/man /usr/include /usr/share/perl /usr/lib/python3* -xdev -type f -size -4096k \
        ! -iregex '.*\.\(png\|gif\|jpe?g\|svgz?\|pdf\|e?ps\|css\|js\|json\|xml\|db\|so\|a\|o\|pyc\|zip\|bz2\|xz\)\(\.gz\)?' \
        2>/dev/null || true; } | sort | perl "$TOP/demo/read_documents.pl"
}

step "$ROWS documents from this machine's texts" \
    bash -c "$(declare -f texts); TOP='$TOP'; texts | perl '$TOP/bench/dedupe/passages.pl' $ROWS 1 0.7 >'$SCRATCH/documents' 2>'$SCRATCH/passages'; cat '$SCRATCH/passages'"
run -c 'CREATE EXTENSION simhash' -c 'CREATE TABLE page (id bigint PRIMARY KEY, original bigint, body text)'
step "load (COPY)" run -c "\\copy page FROM '$SCRATCH/documents'" -c "SELECT pg_size_pretty(pg_relation_size('page'))"
run -c 'CREATE TABLE document AS SELECT id, original FROM page'
step "fingerprints (a stored generated column)" \
    run -c 'ALTER TABLE page ADD h simhash GENERATED ALWAYS AS (to_simhash(body)) STORED' -c 'ANALYZE page'
step "index" with_progress run -c 'CREATE INDEX page_h ON page USING simhash (h)' \
    -c "SELECT pg_size_pretty(pg_relation_size('page_h'))"
step "groups (simhash_groups, star)" run -c 'CREATE TABLE grouped AS SELECT m.id, l.id AS leader
        FROM simhash_groups('"'page_h', $DISTANCE"') g JOIN page m ON m.ctid = g.member JOIN page l ON l.ctid = g.leader' \
    -c "SELECT count(*) || ' rows in ' || count(DISTINCT leader) || ' groups' FROM grouped"
step "delete all but the leaders" run -c 'DELETE FROM page USING grouped g WHERE page.id = g.id AND g.id <> g.leader' \
    -c "SELECT count(*) || ' rows are left' FROM page"
step "VACUUM" run -c 'VACUUM page'
step "pairs that are left (simhash_pairs)" run -c "SELECT count(*) FROM simhash_pairs('page_h', $DISTANCE)"
run -c "SELECT format('%s %% of the %s copies are near another document and are gone or lead a group.',
    round(100.0 * count(g.id) / count(*), 1), count(*)) FROM document d LEFT JOIN grouped g USING (id) WHERE d.id <> d.original" >&2
echo "All: $SECONDS s." >&2
