#!/usr/bin/env bash
# Whole servers: one file of test/t or compat/test/t.
set -euo pipefail
. "$(dirname "$0")/common.sh"

server_case "$1"
