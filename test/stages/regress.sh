#!/usr/bin/env bash
# SQL against expected output: one file of test/sql.
set -euo pipefail
. "$(dirname "$0")/common.sh"

server_environment
regress_case "$PGXS_TEST/regress/pg_regress" "$SCRATCH/source/test" "$(basename "$1" .sql)"
