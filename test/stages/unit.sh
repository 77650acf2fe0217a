#!/usr/bin/env bash
# src/core under AddressSanitizer and UndefinedBehaviorSanitizer, without a server.
set -euo pipefail
. "$(dirname "$0")/common.sh"

export UNIT_BUILD=${UNIT_BUILD:-$SCRATCH/unit}
log=$SCRATCH/unit.log
test/unit/run.sh --tap --gtest_filter="${UNIT_FILTER:-*}" | tee "$log"

# A file whose tests were not compiled would go unnoticed.
[ -z "${UNIT_FILTER:-}${UNIT_TEST:-}" ] || exit 0
status=0
while read -r suite; do
    grep -q " - \(.*/\)\?${suite}[./]" "$log" || { echo "suite $suite was not run" >&2; status=1; }
done < <(find test/unit compat/test/unit -name '*_test.cpp' -exec sed -n 's/^\(TEST\|TEST_F\|TEST_P\)(\([A-Za-z0-9_]*\),.*/\2/p' {} + | sort -u)
exit "$status"
