#!/usr/bin/env bash
# regress, isolation, tap and failpoints again, in a server with assertions.
set -euo pipefail
. "$(dirname "$0")/common.sh"

"${ASSERT_PG_CONFIG:-false}" --configure | grep -q -e --enable-cassert ||
    skip_all "no server with assertions (set ASSERT_PG_CONFIG)"
results=$SCRATCH/assertions.tap
env -u BUILD_DIRECTORY -u CLUSTER_SCRATCH PG_CONFIG="$ASSERT_PG_CONFIG" ONLY="regress isolation tap failpoints" \
    STAGES_TAP="$results" "$TOP/test/run.sh" >&2 || status=$?
cat "$results"
exit "${status:-0}"
