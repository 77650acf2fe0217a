#!/usr/bin/env bash
# Installs, once, what the build, the tests and the demo need on Debian 12. Root or sudo.
set -euo pipefail

packages=(
    build-essential clang-format
    postgresql-15 postgresql-server-dev-15
    libxxhash-dev libgtest-dev
    libipc-run-perl postgresql-15-pgtap libtap-parser-sourcehandler-pgtap-perl
)
[ "${1:-}" = demo ] && packages+=(man-db manpages manpages-dev postgresql-doc-15 debian-policy)

missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ "${#missing[@]}" = 0 ] && exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "setup needs root or sudo to install: ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
fi
echo "== Installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
