#!/usr/bin/env bash
# Installs what the build and the tests need on Debian 12. Needs root or sudo.
#
#   tools/setup.sh         compiler, PostgreSQL, test tools
#   tools/setup.sh demo    these, and documentation for the demo to read
#   tools/setup.sh bench   these, and the libraries and plotting tools of bench/peers
#   tools/setup.sh fuzz    these, and clang for test/fuzz
#   tools/setup.sh cross   compilers for other processors and qemu, for test/cross
set -euo pipefail

version=${PGVERSION_MAJOR:-15}
packages=(
    build-essential clang-format
    "postgresql-$version" "postgresql-server-dev-$version"
    libxxhash-dev libgtest-dev
    libipc-run-perl "postgresql-$version-pgtap" libtap-parser-sourcehandler-pgtap-perl
)
# Texts of several kinds: 20,000 files, 20 MB.
documentation=(manpages manpages-dev "postgresql-doc-$version" debian-policy openjdk-17-doc)
benchmarks=(libfaiss-dev libblas-dev liblapack-dev libpq-dev gnuplot-nox)
fuzzing=(clang libclang-rt-14-dev libxxhash-dev)
crossing=(qemu-user g++-aarch64-linux-gnu g++-s390x-linux-gnu libgtest-dev libxxhash-dev)

# missing package ...: those of them that are not installed.
missing() {
    local package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || echo "$package"
    done
}

install() {
    local as_root=() log status=0 settings=/etc/postgresql-common/createcluster.d/simhash-setup.conf
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || { echo "setup needs root or sudo to install: $*" >&2; return 1; }
        as_root=(sudo)
    fi
    echo "== Installing $*"
    log=$(mktemp)
    # Prevent Debian from creating and starting a cluster. Small images omit documentation by default.
    {
        "${as_root[@]}" mkdir -p "${settings%/*}" &&
            echo "create_main_cluster = false" | "${as_root[@]}" tee "$settings" >/dev/null &&
            "${as_root[@]}" apt-get update -qq &&
            "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
                -o DPkg::Options::="--path-include=/usr/share/doc/*" \
                -o DPkg::Options::="--path-include=/usr/share/man/*" "$@"
    } >"$log" 2>&1 </dev/null || status=$?
    "${as_root[@]}" rm -f "$settings"
    [ "$status" = 0 ] || tail -n 40 "$log" >&2
    rm -f "$log"
    return "$status"
}

mapfile -t todo < <(missing "${packages[@]}")
[ "${#todo[@]}" = 0 ] || install "${todo[@]}"

if [ "${1:-}" = demo ]; then
    mapfile -t todo < <(missing "${documentation[@]}")
    [ "${#todo[@]}" = 0 ] || install "${todo[@]}" ||
        echo "The demo goes on with the documents that are here." >&2
fi

if [ "${1:-}" = bench ]; then
    mapfile -t todo < <(missing "${benchmarks[@]}")
    [ "${#todo[@]}" = 0 ] || install "${todo[@]}"
fi

if [ "${1:-}" = fuzz ]; then
    mapfile -t todo < <(missing "${fuzzing[@]}")
    [ "${#todo[@]}" = 0 ] || install "${todo[@]}"
fi

if [ "${1:-}" = cross ]; then
    mapfile -t todo < <(missing "${crossing[@]}")
    [ "${#todo[@]}" = 0 ] || install "${todo[@]}"
fi
