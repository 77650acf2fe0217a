#!/usr/bin/env bash
# Finds near-duplicates among the documents on this machine; `make demo` calls this.
#
#   make demo                        documentation: /usr/share/doc, /usr/share/man, …
#   make demo TEXTS="~/src ~/notes"   the text files in directories of your own
#   make demo KEEP=1                 keep the server at the end, to try queries of your own
#   make demo REPORT=~/groups.html   where the report goes; otherwise demo-report.html in the checkout
#   make demo MOST=5000              read at most so many files
#   make demo SHOWN=200              show so many groups in the report; otherwise all
#
# Everything else happens in a scratch directory, with a private PostgreSQL server; both are gone at the end. The tests set
# STAGED to a directory where the extension is installed already.
set -euo pipefail

TOP=$(cd "$(dirname "$0")/.." && pwd)
MOST=${MOST:-40000} # documents
SHOWN=${SHOWN:-0}    # groups, 0 for all
REPORT=${REPORT:-$TOP/demo-report.html}
REPORT=$(realpath -m "${REPORT/#\~/$HOME}")
if [ -d "$REPORT" ] || ! { [ -w "$REPORT" ] || [ ! -e "$REPORT" ] && [ -w "${REPORT%/*}/" ]; }; then
    echo "Cannot write $REPORT. Choose another file by REPORT=file.html." >&2
    exit 1
fi

echo "The demo takes two to five minutes. It first installs what is missing: on a minimal system some 300 MB to"
echo "download and 1.6 GB on the disk, which make remove-setup removes again. Everything else is temporary."
if [ -n "${TEXTS:-}" ]; then "$TOP/tools/setup.sh" build; else "$TOP/tools/setup.sh" demo; fi
SECONDS=0
. "$TOP/tools/cluster.sh"
. "$TOP/tools/progress.sh"
cd "$TOP/demo"

if [ -t 1 ]; then bold=$(tput bold 2>/dev/null || true) plain=$(tput sgr0 2>/dev/null || true); fi
step=0
heading() {
    step=$((step + 1))
    echo
    printf '%s%s\n' "${bold:-}" "$step. $1"
    printf '%s%s\n\n' "$(printf '%*s' $((${#1} + 3)) '' | tr ' ' -)" "${plain:-}"
}
number() { awk '{ n = $1; s = ""; while (length(n) > 3) { s = "," substr(n, length(n) - 2) s; n = substr(n, 1, length(n) - 3) } print n s }' <<<"$1"; }
query() { psql -X -q -A -t -d demo -c "$1"; }
show() { psql -X -q -d demo -v ON_ERROR_STOP=1 "$@"; }

# -- documents ----------------------------------------------------------------------------------------------

# text_files directory ...: the files there that may be text, judging by their names.
text_files() {
    find "$@" -xdev -type f -size -4096k \
        ! -iregex '.*\.\(png\|gif\|jpe?g\|svgz?\|ico\|webp\|pdf\|e?ps\|dvi\|css\|js\|map\|json\|xml\|tag\|db\|mo\|woff2?\|[to]tf\|eot\|so\|a\|o\|pyc\|pyd\|zip\|bz2\|xz\|zst\)\(\.gz\)?' \
        ! -path '*/.git/*' 2>/dev/null || true
}

echo "${bold:-}Near-duplicates among the documents on this machine, with PostgreSQL and simhash${plain:-}"
echo
if [ -n "${STAGED:-}" ]; then
    INSTALL_ROOT=$STAGED
else
    printf 'Building the extension … '
    # A line for each object, until the library is there.
    watch_build() {
        local seen=0 found
        while kill -0 $$ 2>/dev/null && [ ! -e "$BUILD/simhash.so" ]; do
            found=$({ find "$BUILD" -name '*.o' 2>/dev/null || true; } | wc -l)
            for ((; seen < found; seen++)); do echo object; done
            sleep 1
        done
    }
    watch_build | progress "$(find "$TOP/src" -name '*.cpp' | wc -l)" object &
    watch=$!
    build_and_stage
    wait "$watch"
    echo "done ($SECONDS s)."
fi

list=$SCRATCH/files
if [ -n "${TEXTS:-}" ]; then
    read -r -a named <<<"$TEXTS"
    directories=()
    for directory in "${named[@]/#\~/$HOME}"; do
        if [ -r "$directory" ]; then
            directories+=("$directory")
        else
            echo "Warning: cannot read $directory, which is left out." >&2
        fi
    done
    [ "${#directories[@]}" != 0 ] || { echo "None of the directories of TEXTS can be read." >&2; exit 1; }
    text_files "${directories[@]}" | sort >"$list"
    from="${directories[*]}"
else
    text_files /usr/share/doc /usr/share/man | sort >"$list"
    from="/usr/share/doc and /usr/share/man"
    # Small machines hold little documentation, but header files, modules and other texts.
    if [ "$(wc -l <"$list")" -lt 30000 ]; then
        text_files /usr/include /usr/share/perl /usr/share/perl5 /usr/lib/python3* /usr/share/info \
            /usr/share/common-licenses /usr/share/i18n | sort >>"$list"
        from="$from, and header files and modules"
    fi
fi
files=$(wc -l <"$list")
[ "$files" -gt 1 ] || { echo "The demo needs two text files or more; there are $files in $from." >&2; exit 1; }
if [ "$files" -gt "$MOST" ]; then
    # An even sample of the list.
    awk -v most="$MOST" -v files="$files" 'int(NR * most / files) > int((NR - 1) * most / files)' "$list" >"$list.most"
    mv "$list.most" "$list"
    from="$from ($(number "$MOST") of $(number "$files") files)"
fi

printf 'Reading %s files from %s … ' "$(number "$(wc -l <"$list")")" "$from"
start=$SECONDS
workers=$(nproc)
read_all() {
    local worker
    for ((worker = 0; worker < workers; worker++)); do
        awk -v n="$workers" -v k="$worker" 'NR % n == k' "$list" |
            perl read_documents.pl $((worker == 0 ? $(wc -l <"$list") / workers : 0)) 3>&1 >"$SCRATCH/rows.$worker" &
    done
    wait
}
interruptible read_all
echo "done ($((SECONDS - start)) s)."

compression=() # PostgreSQL 14 has the setting, and some builds have no LZ4
if [[ $("$PG_CONFIG" --configure) == *--with-lz4* ]]; then compression=("default_toast_compression = lz4"); fi
cluster_start "shared_buffers = '256MB'" "work_mem = '64MB'" "maintenance_work_mem = '256MB'" "fsync = off" \
    "wal_level = minimal" "max_wal_senders = 0" "max_wal_size = '8GB'" "autovacuum = off" "jit = off" \
    "max_parallel_workers_per_gather = 0" "client_min_messages = warning" "${compression[@]}"
psql -X -q -d postgres -c "CREATE DATABASE demo"
show -f load.sql
for ((worker = 0; worker < workers; worker++)); do
    show -c "\\copy document FROM '$SCRATCH/rows.$worker'"
    rm "$SCRATCH/rows.$worker"
done

heading "An index on the texts"
show -f documents.sql

documents=$(query "SELECT count(*) FROM page")
if [ "$documents" -lt 2 ]; then
    echo "The demo needs two different texts of at least 200 characters; it found $documents." >&2
    echo "Choose other directories by TEXTS." >&2
    exit 1
fi

heading "Near-copies"
for least in 0.8 0.5; do
    [ "$least" = 0.8 ] && condition="x.body ~= y.body" || condition="x.body <@| text_ball(y.body, $least)"
    [ "$(query "SELECT EXISTS (SELECT FROM page x JOIN page y ON $condition AND x.id < y.id)")" = f ] || break
    echo "No two documents share ${least#0.}0 % of their sequences of three words."
done
any=$(query "SELECT EXISTS (SELECT FROM page x JOIN page y ON $condition AND x.id < y.id)")
[ "$any" = t ] || echo "They have little in common. Try more texts, or others, with TEXTS."
show -v condition="$condition" -f pairs.sql
# Examples: two texts and the first differences.
query "SELECT a, b, similarity, kind FROM example ORDER BY place" | while IFS='|' read -r a b similarity kind; do
    query "SELECT body FROM page WHERE id = $a" >"$SCRATCH/a"
    query "SELECT body FROM page WHERE id = $b" >"$SCRATCH/b"
    lines=$(wc -l <"$SCRATCH/a")
    changed=$(diff "$SCRATCH/a" "$SCRATCH/b" | grep -c '^[<>]' || true)
    echo "  ${bold:-}$kind: similarity $similarity, $changed of about $((2 * lines)) lines differ${plain:-}"
    echo "    < $(query "SELECT path FROM page WHERE id = $a")"
    echo "    > $(query "SELECT path FROM page WHERE id = $b")"
    { diff "$SCRATCH/a" "$SCRATCH/b" || true; } | { grep '^[<>]' || true; } | head -n 6 | cut -c 1-100 |
        sed 's/^/        /'
    echo
done

heading "Fingerprints"
show -f index.sql
# From this distance on a search is expected to find unrelated documents. The report gives up to 16.
chance=$(query "SELECT coalesce(min(item::int), 17) FROM report WHERE topic = 'false matches' AND value >= 1")

show -v least="$least" -v chance="$chance" -v most_text=40000 -v shown="$SHOWN" -f report.sql >"$SCRATCH/report.json"
mkdir "$SCRATCH/differences"
perl report.pl "$SCRATCH/differences" <"$SCRATCH/report.json" >"$SCRATCH/report.html"
cp "$SCRATCH/report.html" "$REPORT"

heading "Index against sequential scan"
show -f search.sql

heading "Nearest neighbors"
show -v radius=3 -v chance="$chance" -f nearest.sql

heading "What to do with them"
show -v any="$any" -f next.sql

echo
echo "That took $SECONDS s. The groups and the differences of their texts are in this page, for your browser:"
echo "    ${bold:-}$REPORT${plain:-}"
if [ -z "${KEEP:-}" ]; then
    echo "Try queries of your own with make demo KEEP=1, and texts of your own with make demo TEXTS=\"~/src ~/notes\"."
else
    echo "The server runs until you press Enter. In another terminal:"
    echo "    $PGBIN/psql -h $SCRATCH -U postgres demo"
    read -r _ || true
fi
