#!/usr/bin/env bash
# Usage: search.sh TEXTS [N]. How long a search by text takes, and an insert, in the processor time of the server process.
# TEXTS has KIND.tsv.gz of some kinds (see README.md), the real texts; N, by default 100,000, is how many templated ones
# are made. PGHOST, PGDATABASE and so on name a database that may be written to, as a superuser.
set -euo pipefail
texts=$(cd "$1" && pwd) n=${2:-100000}
uptime
psql -XAqt -F ' ' -v ON_ERROR_STOP=1 -v n="$n" -v copy="zcat $texts/*.tsv.gz" -f "$(dirname "$0")/search.sql"
