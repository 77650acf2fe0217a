#!/usr/bin/env bash
# No server process may have died: an answer can be right nevertheless.
set -euo pipefail
. "$(dirname "$0")/common.sh"

check_log() {
    ! grep -E 'PANIC|TRAP|was terminated by|invalid memory alloc|could not read block' "$SCRATCH/server.log"
}

server_environment
cluster_stop
check "no crash in the server log" check_log
finish
