#!/usr/bin/env bash
# The folders of src/ include and call each other only from the top down, without cycles.
set -euo pipefail
. "$(dirname "$0")/common.sh"

check "calls and includes between folders" tools/layers.pl . "$BUILD"
finish
