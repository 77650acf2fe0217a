#!/usr/bin/env bash
# The programs of doc/drivers, for the client libraries that are installed: one file of test/drivers.
set -euo pipefail
. "$(dirname "$0")/common.sh"

server_case "$1"
