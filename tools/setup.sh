#!/usr/bin/env bash
# Installs what the build and the tests need on Debian or Ubuntu. Needs root or sudo.
#
#   tools/setup.sh         compiler, PostgreSQL and its headers
#   tools/setup.sh demo    these, and documentation for the demo to read
#   tools/setup.sh test    compiler, PostgreSQL, and the tools of the tests
#   tools/setup.sh drivers the client libraries of doc/drivers that the system has, and what runs them, some 1.3 GB
#   tools/setup.sh engines DuckDB and ClickHouse for Node.js, to /usr/local/lib/node_modules, some 0.7 GB
#   tools/setup.sh package what builds and checks Debian's package
#   tools/setup.sh bench   compiler, PostgreSQL, and the libraries and plotting tools of bench/peers
#   tools/setup.sh pictures  photographs for bench/wide, and ImageMagick
#   tools/setup.sh fuzz    clang with libFuzzer, for test/fuzz
#   tools/setup.sh model   the model checker Spin, for test/model
#   tools/setup.sh cross   compilers for other processors and qemu, for test/cross
#   tools/setup.sh remove  asks, and removes the packages that these have installed
set -euo pipefail

. "$(dirname "$0")/postgresql.sh"
. "$(dirname "$0")/progress.sh"
purpose=${1:-build}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# missing package ...: prints those that are not installed.
missing() {
    local package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || echo "$package"
    done
}

# packaged package ...: prints those that can be installed.
packaged() {
    local package
    for package in "$@"; do
        ! apt-get install -s -q --no-install-recommends "$package" >/dev/null 2>&1 || echo "$package"
    done
}

# Updates the package lists, once. Small images come without them.
update() {
    [ -z "${updated:-}" ] || return 0
    updated=1
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || { echo "Setup needs root or sudo." >&2; return 1; }
    as_root apt-get update -qq
}

installed=/var/lib/simhash-setup/packages

install() {
    local log steps status=0 settings=/etc/postgresql-common/createcluster.d/simhash-setup.conf
    [ $# != 0 ] || return 0
    update
    echo "== Installing $*"
    log=$(mktemp)
    apt-get install -s -q --no-install-recommends "$@" >"$log" 2>/dev/null || true
    steps=$(grep -c '^Inst ' "$log" || true)
    apt-get install -q --no-install-recommends --print-uris "$@" 2>/dev/null |
        grep -E '^(Need to get|After this operation)' || true
    as_root mkdir -p "${installed%/*}"
    # Without those that are upgraded, whose lines show the present version in brackets.
    sed -n 's/^Inst \([^ ]*\) (.*/\1/p' "$log" | as_root tee -a "$installed" >/dev/null
    # Prevent Debian from creating and starting a cluster. Small images omit documentation by default.
    {
        as_root mkdir -p "${settings%/*}" &&
            echo "create_main_cluster = false" | as_root tee "$settings" >/dev/null &&
            as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
                -o DPkg::Options::="--path-include=/usr/share/doc/*" \
                -o DPkg::Options::="--path-include=/usr/share/man/*" "$@"
    } 2>&1 </dev/null | tee "$log" | progress $((3 * steps)) '^(Get:|Unpacking |Setting up )' || status=$?
    echo
    as_root rm -f "$settings"
    [ "$status" = 0 ] || tail -n 40 "$log" >&2
    rm -f "$log"
    return "$status"
}

if ! command -v apt-get >/dev/null; then
    {
        echo "make demo and make test work on Debian and Ubuntu: they install packages by apt-get."
        echo "Elsewhere: make && make install && make installcheck, with GCC 11 or Clang 14, PostgreSQL's server headers"
        echo "and xxhash.h."
    } >&2
    exit 1
fi

if [ "$purpose" != remove ] && [ "$purpose" != fuzz ] && [ "$purpose" != cross ] && [ "$purpose" != drivers ] &&
    [ "$purpose" != engines ] && [ "$purpose" != model ]; then
    find_postgresql || { update && find_postgresql; } || {
        echo "No package of PostgreSQL found. Say which major version to use, for example PGVERSION_MAJOR=17." >&2
        exit 1
    }
fi

if [ "$purpose" = remove ]; then
    [ -e "$installed" ] || { echo "Set-up has installed nothing."; exit 0; }
    mapfile -t todo < <(sort -u "$installed")
    mapfile -t gone < <(missing "${todo[@]}")
    mapfile -t todo < <(comm -23 <(printf '%s\n' "${todo[@]}") <(printf '%s\n' "${gone[@]}"))
    as_root apt-get purge -q "${todo[@]}" # it shows what else would go, and asks
    as_root rm -r "${installed%/*}"
    exit 0
fi

build=(build-essential libxxhash-dev)
tests=(clang clang-format clang-tidy shellcheck libgtest-dev libipc-run-perl libsimde-dev
    libtap-parser-sourcehandler-pgtap-perl)
if [ -n "${PGVERSION_MAJOR:-}" ]; then
    build+=("postgresql-$PGVERSION_MAJOR" "postgresql-server-dev-$PGVERSION_MAJOR")
    tests+=("postgresql-$PGVERSION_MAJOR-pgtap")
fi
# Texts of several kinds: 20,000 files, 20 MB.
documentation=(manpages manpages-dev "postgresql-doc-${PGVERSION_MAJOR:-}" debian-policy default-jdk-doc)
benchmarks=(libfaiss-dev libblas-dev liblapack-dev libpq-dev gnuplot-nox)
pictures=(imagemagick plasma-workspace-wallpapers mate-backgrounds lomiri-wallpapers-16.04 lomiri-wallpapers-20.04
    ukui-wallpapers)
fuzzing=(build-essential clang libxxhash-dev)
drivers=(python3-psycopg2 python3-psycopg python3-asyncpg python3-sqlalchemy default-jdk-headless
    libpostgresql-jdbc-java node-pg golang-go golang-github-jackc-pgx-v5-dev golang-github-lib-pq-dev cargo
    librust-tokio-postgres-dev ruby-pg ruby-activerecord python3-django alembic golang-github-jmoiron-sqlx-dev npm python3-pip python3-setuptools python3-wheel mypy)
packaging=("${build[@]}" debhelper lintian postgresql-server-dev-all unzip)
modelling=(spin gcc)
crossing=(qemu-user g++-aarch64-linux-gnu g++-s390x-linux-gnu libgtest-dev libxxhash-dev)

# Before Debian 12 and Ubuntu 24.04, clang contains its run-time libraries.
if [ "$purpose" = test ] || [ "$purpose" = fuzz ]; then
    [ -n "$(packaged libclang-rt-dev)" ] || compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || update
    mapfile -t runtime < <(packaged libclang-rt-dev)
    tests+=("${runtime[@]}")
    fuzzing+=("${runtime[@]}")
fi

case $purpose in
build | demo) packages=("${build[@]}") ;;
test) packages=("${build[@]}" "${tests[@]}") ;;
bench) packages=("${build[@]}" "${benchmarks[@]}") ;;
pictures) packages=("${pictures[@]}") ;;
fuzz) packages=("${fuzzing[@]}") ;;
drivers)
    update
    mapfile -t packages < <(packaged "${drivers[@]}")
    for package in "${drivers[@]}"; do
        [[ " ${packages[*]} " == *" $package "* ]] || echo "The package $package cannot be installed here. Its program will be skipped."
    done
    ;;
package) packages=("${packaging[@]}") ;;
cross) packages=("${crossing[@]}") ;;
model) packages=("${modelling[@]}") ;;
engines)
    packages=()
    command -v npm >/dev/null || packages=(nodejs npm)
    ;;
*) sed -n '2,15s/^# \?//p' "$0" >&2; exit 2 ;;
esac
mapfile -t todo < <(missing "${packages[@]}")
install "${todo[@]}" || {
    echo "Not all packages could be installed. PGVERSION_MAJOR=${PGVERSION_MAJOR:-} says which PostgreSQL." >&2
    exit 1
}

globally() { as_root npm install --global --prefix /usr/local --no-audit --no-fund "$@"; }
[ "$purpose" != engines ] || globally @duckdb/node-api chdb
[ "$purpose" != drivers ] || globally pg drizzle-orm drizzle-kit kysely knex sequelize typeorm typescript

if [ "$purpose" = demo ]; then
    mapfile -t todo < <(missing "${documentation[@]}")
    # shellcheck disable=SC2046
    [ "${#todo[@]}" = 0 ] || install $(packaged "${todo[@]}") ||
        echo "The demo goes on with the documents that are here." >&2
fi
