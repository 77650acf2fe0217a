#!/usr/bin/env bash
# Assertions in SQL: one file of test/pgtap.
set -euo pipefail
. "$(dirname "$0")/common.sh"

server_environment
database=pgtap_$(basename "$1" .sql)
[ "$(psql -X -A -t -d postgres -c "SELECT count(*) FROM pg_available_extensions WHERE name = 'pgtap'")" != 0 ] ||
    skip_all "pgTAP is not installed for this server"
psql -q -X -d postgres -c "CREATE DATABASE $database TEMPLATE template0"
psql -q -X -d "$database" -c "CREATE EXTENSION pgtap" -c "CREATE EXTENSION simhash"
exec psql -X -q -A -t -P pager=off -v ON_ERROR_STOP=1 -d "$database" -f "$1"
