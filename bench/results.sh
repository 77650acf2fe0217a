# shellcheck shell=bash
# Sourced by scripts that measure with a server, as `. "$TOP/bench/results.sh" "$directory"`: tools/cluster.sh, the directory
# of the results, by default one in the scratch directory, and what the scripts share. A script may define its own run.
. "$TOP/tools/cluster.sh"
OUTPUT=${1:-$SCRATCH/results}
mkdir -p "$OUTPUT"
OUTPUT=$(cd "$OUTPUT" && pwd)
SECONDS=0
say() { echo "$(printf '%4d s: ' $SECONDS)$*" >&2; }
asked() { [[ " $PARTS " == *" $1 "* ]]; }
run() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }
value() { run -A -t -c "$1"; }
