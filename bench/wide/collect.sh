#!/usr/bin/env bash
# The input of collected.cpp, from Debian packages, installed if absent.
#
#   bench/wide/collect.sh pictures     photographs and wallpapers as grey PGM, one after the other
#   bench/wide/collect.sh paragraphs   those of the documents, manual pages and headers of this machine, one in a line
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
packages=(plasma-workspace-wallpapers mate-backgrounds lomiri-wallpapers-16.04 lomiri-wallpapers-20.04 ukui-wallpapers)

# The largest file of each picture that has several sizes.
largest() {
    dpkg -L "${packages[@]}" | grep -iE '\.(png|jpe?g)$' | grep -vE '/(screenshot|images_dark)' | sort -u |
        while read -r path; do
            [ ! -f "$path" ] || [ -L "$path" ] || printf '%s\t%s\n' "$(stat -c %s "$path")" "$path"
        done | sort -rn | awk -F '\t' '{
            name = $2
            sub("/contents/images/.*", "", name)
            sub("(_[0-9]+x[0-9]+)?[.][a-zA-Z]+$", "", name)
            if (!seen[name]++) print $2
        }'
}

pictures() {
    "$TOP/tools/setup.sh" pictures >&2
    largest | while read -r path; do
        MAGICK_THREAD_LIMIT=1 convert "${path}[0]" -resize '1600x1600>' -background white -flatten -colorspace Gray -depth 8 pgm:- </dev/null
    done
}

paragraphs() {
    { find /usr/share/doc /usr/share/man /usr/include -xdev -type f -size -4096k \
        ! -iregex '.*\.\(png\|gif\|jpe?g\|svgz?\|pdf\|e?ps\|css\|js\|json\|xml\|db\|so\|a\|o\|zip\|bz2\|xz\)\(\.gz\)?' \
        2>/dev/null || true; } | sort | perl "$TOP/demo/read_documents.pl" | cut -f 3 |
        perl -pe 's/\\n(\s|\\t)*\\n/\n/g; s/\\[nt]/ /g' | sort -u
}

case "${1:-}" in
pictures | paragraphs) "$1" ;;
*) sed -n '2,5s/^# \?//p' "$0" >&2; exit 2 ;;
esac
