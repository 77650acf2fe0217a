#!/usr/bin/env bash
# Interleaved sessions: one file of test/isolation/specs.
set -euo pipefail
. "$(dirname "$0")/common.sh"

program=$PGXS_TEST/isolation/pg_isolation_regress
[ -x "$program" ] || skip_all "pg_isolation_regress is not installed" # PostgreSQL 13 does not install it
server_environment
regress_case "$program" "$SCRATCH/source/test/isolation" "$(basename "$1" .spec)"
