#!/usr/bin/env bash
# Debian's packages and the archives of make dist; only if asked for by ONLY.
set -euo pipefail
. "$(dirname "$0")/common.sh"

# The files of the checkout as they are, committed or not.
copy_checkout() {
    mkdir -p "$1"
    git ls-files -z --cached --others --exclude-standard | xargs -0 cp -P --parents -t "$1"
}

# build_package directory: the packages are beside it.
build_package() {
    (
        cd "$1"
        pg_buildext updatecontrol
        # -d: headers of one version of PostgreSQL are enough.
        DEB_BUILD_OPTIONS="parallel=$(nproc) noautodbgsym" dpkg-buildpackage -b -us -uc -d
    )
}

# Built again from the same files, at another time and elsewhere, the packages are the same, bit for bit.
check_reproducible() {
    local package
    (
        umask 002
        TZ=Pacific/Kiritimati build_package "$SCRATCH/package/again/elsewhere"
    ) || return 1
    for package in "$SCRATCH"/package/*.deb; do
        cmp "$package" "$SCRATCH/package/again/${package##*/}" || return 1
    done
}

check_lintian() { lintian --fail-on error,warning --suppress-tags "$unfit_tags" "$SCRATCH"/package/*.changes; }

# Unpacks the packages into a system of its own, and removes it again.
package_root=
dpkg_there() { dpkg --force-not-root --force-depends --root="$package_root" --no-triggers "$@"; }

check_install() {
    package_root=$SCRATCH/package/root
    mkdir -p "$package_root"/var/lib/dpkg/{updates,info}
    : >"$package_root/var/lib/dpkg/status"
    dpkg_there --install "$SCRATCH"/package/postgresql-"$(server_major)"-simhash{,-compat}_*.deb || return 1
    chmod -R a+rX "$package_root"
    as_server mkdir -p "$SCRATCH/package-server"
    local SCRATCH=$SCRATCH/package-server INSTALL_ROOT=$package_root
    cluster_start "fsync = off" || return 1
    psql -X -d postgres -c "CREATE DATABASE package" && psql -X -v ON_ERROR_STOP=1 -d package -c "CREATE EXTENSION simhash_compat CASCADE" \
        -c "CREATE TABLE page AS SELECT n AS id, to_simhash('number ' || n) AS h FROM generate_series(1, 1000) AS n" \
        -c "CREATE INDEX page_h ON page USING simhash (h)" -c "SET enable_seqscan = off" \
        -c "SELECT id FROM page WHERE h <@> to_simhash('number 7') <= 0" -c "SELECT simhash_index_check('page_h', true)" && cluster_stop
}

# In directories that other packages use, too, every name is that of the extension.
check_names() {
    local names
    names=$(cd "$package_root" && find usr -type f -not -path '*simhash*' -print)
    [ -z "$names" ] || { echo "$names"; return 1; }
}

# debian/tests, with the files of the package instead of an installed one. Servers are started by the user postgres.
check_autopkgtest() {
    copy_checkout "$SCRATCH/package/test"
    cp "$SCRATCH/package/simhash/debian/control" "$SCRATCH/package/test/debian"
    # pg_buildext looks into one package alone.
    cp -R "$SCRATCH/package/simhash/debian/postgresql-$(server_major)-simhash" "$SCRATCH/package/test/debian"
    cp -R "$SCRATCH/package/simhash/debian/postgresql-$(server_major)-simhash-compat/." \
        "$SCRATCH/package/test/debian/postgresql-$(server_major)-simhash"
    mkdir "$SCRATCH/package/test/check"
    [ "$(id -u)" != 0 ] || chown -R postgres "$SCRATCH/package/test"
    # shellcheck disable=SC2016 # the other shell's directory
    as_server sh -c 'cd package/test && pg_buildext installcheck . . postgresql-%v-simhash &&
        pg_buildext installcheck "$PWD/compat" "$PWD/check" postgresql-%v-simhash'
}

# Links between the pages hold where they are installed.
check_documents() {
    local pages
    pages=$(find "$1" -path '*/extension/simhash/*.md' ! -name objects.md)
    [ -n "$pages" ] || return 1
    # shellcheck disable=SC2086 # one argument for each page
    tools/prose.pl $pages
}

check_purge() {
    dpkg_there --purge "postgresql-$(server_major)-simhash-compat" "postgresql-$(server_major)-simhash" || return 1
    [ -z "$(find "$package_root" -type f -not -path '*/var/lib/dpkg/*' -not -path '*/var/log/*' -print | tee /dev/stderr)" ]
}

# The archives install the same files as the checkout, with pgxnclient if there is one.
check_dist() {
    local zip=$SCRATCH/dist directory archive
    mkdir -p "$zip"
    for directory in . compat; do
        make -s -C "$zip" -f "$TOP/$directory/Makefile" PG_CONFIG="$PG_CONFIG" dist
    done
    for archive in "$zip"/simhash*.zip; do
        unzip -q -d "$zip" "$archive"
        if command -v pgxn >/dev/null; then
            DESTDIR=$zip/root pgxn install --yes --nosudo --pg_config "$PG_CONFIG" "$archive" || return 1
        else
            echo "pgxnclient is not installed"
            DESTDIR=$zip/root make -s -C "${archive%.zip}" PG_CONFIG="$PG_CONFIG" all install || return 1
        fi
    done
    [ ! -e "$(echo "$zip"/simhash-*/.ci)" ] || return 1
    diff <(cd "$INSTALL_ROOT" && find . -type f | sort) <(cd "$zip/root" && find . -type f | sort)
}

# The first upload to Debian closes a bug; the address is that of no person yet.
unfit_tags=initial-upload-closes-no-bugs,bogus-mail-host
for tool in dpkg-buildpackage dh dh_pgxs_test lintian unzip; do
    command -v "$tool" >/dev/null ||
        skip_all "$tool is not installed (debhelper, lintian, postgresql-server-dev-all, unzip)"
done
copy_checkout "$SCRATCH/package/simhash"
copy_checkout "$SCRATCH/package/again/elsewhere"
check "packages" build_package "$SCRATCH/package/simhash"
check "packages built again are the same" check_reproducible
check "lintian" check_lintian
check "packages installed and used" check_install
check "names of the files" check_names
check "autopkgtest" check_autopkgtest
check "documents of the packages" check_documents "$SCRATCH/package/root"
check "packages purged" check_purge
check "archives of make dist" check_dist
finish
