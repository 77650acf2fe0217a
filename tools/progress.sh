# shellcheck shell=bash
# Sourced by setup.sh and the demo: how far a long step has come, on one line.

# progress total pattern: reads lines and prints a mark at each tenth of `total` lines that match.
progress() {
    awk -v total="$1" -v pattern="$2" '$0 ~ pattern {
        for (n++; shown < 10 && n * 10 >= total * (shown + 1);) { printf "%d %% ", ++shown * 10; fflush() }
    }'
}
