#!/usr/bin/env bash
# Interleaved sessions: one file of test/isolation/specs.
set -euo pipefail
. "$(dirname "$0")/common.sh"

program=$PGXS_TEST/isolation/pg_isolation_regress
[ -x "$program" ] || skip_all "pg_isolation_regress is not installed" # PostgreSQL 13 does not install it
since=$(sed -n '1s/^# Since PostgreSQL \([0-9]*\):.*/\1/p' "$1")
major=$("$PG_CONFIG" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
[ "$major" -ge "${since:-0}" ] || skip_all "since PostgreSQL $since"
server_environment
regress_case "$program" "$SCRATCH/source/test/isolation" "$(basename "$1" .spec)"
