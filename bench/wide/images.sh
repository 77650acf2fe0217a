#!/usr/bin/env bash
# Hashes of real pictures and edited copies of them: rows of
#
#   picture (number), variant, path, 256 bits of a DCT hash, 576 bits of a block hash
#
# separated by tabs. The pictures are files of Debian packages, installed if absent; ImageMagick edits them. A row with the
# variant `original` and the other rows of its picture are true near-duplicates. image_hashes.cpp says how hashes are made.
#
#   bench/wide/images.sh >images.tsv
#
#   PACKAGES="openclipart-png gnome-icon-theme mate-backgrounds"   where pictures come from
#   MOST=0                                                         pictures, evenly chosen; 0: all
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
PACKAGES=${PACKAGES:-openclipart-png gnome-icon-theme mate-backgrounds}
MOST=${MOST:-0}
variants=(original half jpeg crop bright recolour)

todo=()
for package in imagemagick g++ $PACKAGES; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || todo+=("$package")
done
if [ "${#todo[@]}" != 0 ]; then
    as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -qq >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${todo[@]}" >&2
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$TOP/bench/link.sh" "$scratch/image_hashes" "$TOP/bench/wide/image_hashes.cpp"

# Icons of several sizes count once, in the largest.
pictures() {
    for package in $PACKAGES; do
        dpkg -L "$package"
    done | grep -iE '\.(png|jpe?g)$' | grep -vE '/(8|16|22|24|32|48|64|96|128)(x[0-9]+)?/' | sort -u |
        while read -r path; do
            [ ! -f "$path" ] || [ -L "$path" ] || echo "$path"
        done
}

# All variants of a picture, 96 x 96 grey values each, one after the other.
edited() { # path
    MAGICK_THREAD_LIMIT=1 convert "$1[0]" -background white -flatten -resize '256x256>' +repage \
        -quality 40 -write "$scratch/copy.jpg" \
        \( -clone 0 -resize '50%' \) \
        "$scratch/copy.jpg" \
        \( -clone 0 -gravity center -crop '94%x94%+0+0' +repage \) \
        \( -clone 0 -gamma 1.4 \) \
        \( -clone 0 -modulate 100,60,130 \) \
        -colorspace Gray -resize '96x96!' -depth 8 gray:-
}
pictures >"$scratch/all"
awk -v most="$MOST" -v all="$(wc -l <"$scratch/all")" \
    '!most || int(NR * most / all) > int((NR - 1) * most / all)' "$scratch/all" >"$scratch/chosen"
while read -r path; do
    edited "$path" >"$scratch/edited" 2>/dev/null </dev/null || continue
    [ "$(stat -c %s "$scratch/edited")" = $((${#variants[@]} * 96 * 96)) ] || continue
    echo "$path"
    cat "$scratch/edited"
done <"$scratch/chosen" | "$scratch/image_hashes" "${variants[@]}"
