#!/usr/bin/env bash
# The programs of doc/drivers, the tests of clients and the SQL of doc/engines, for what is installed: one file of test/drivers.
set -euo pipefail
. "$(dirname "$0")/common.sh"

server_case "$1"
