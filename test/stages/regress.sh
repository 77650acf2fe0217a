#!/usr/bin/env bash
# SQL against expected output: one file of test/sql or compat/test/sql.
set -euo pipefail
. "$(dirname "$0")/common.sh"

server_environment
regress_case "$PGXS_TEST/regress/pg_regress" "$SCRATCH/source/${1%/sql/*}" "$(basename "$1" .sql)"
