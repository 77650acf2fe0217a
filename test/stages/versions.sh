#!/usr/bin/env bash
# The control files, META.json, CHANGELOG.md, debian/changelog, packaging and the packages in clients agree; the upgrade
# script, if there is one, is complete, and make dist does not leave it out.
set -euo pipefail
. "$(dirname "$0")/common.sh"

check_versions() {
    local version meta change file found status=0
    version=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" simhash.control)
    meta=$(perl -MJSON::PP -0777 -ne 'my $m = decode_json($_);
        print join " ", $m->{version}, $m->{prereqs}{runtime}{requires}{simhash} // (), map { $_->{version} } values %{$m->{provides}}, ""' \
        META.json compat/META.json)
    change=$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)
    for found in $meta; do
        [ "$found" = "$version" ] || { echo "META.json or compat/META.json says $found, simhash.control $version"; status=1; }
    done
    found=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" compat/simhash_compat.control)
    [ "$found" = "$version" ] || { echo "simhash_compat.control says $found, simhash.control $version"; status=1; }
    for file in clients/python/pyproject.toml clients/javascript/package.json clients/ruby/pg_simhash.gemspec; do
        found=$(sed -n 's/^ *\(gem\.\|"\)\?version"\?[ =:]*"\(.*\)".*/\2/p' "$file")
        [ "$found" = "$version" ] || { echo "$file says $found, simhash.control $version"; status=1; }
    done
    for file in packaging/*; do
        found=$(sed -n 's/^ *[Vv]ersion[ =:]*"\?\([0-9.]*\).*/\1/p' "$file")
        [ "$found" = "$version" ] || { echo "$file says $found, simhash.control $version"; status=1; }
    done
    # The archive of make dist has no debian/.
    [ ! -e debian/changelog ] || found=$(sed -n '1s/.*(\([^)-]*\).*/\1/p' debian/changelog)
    [ "$found" = "$version" ] || { echo "debian/changelog says $found, simhash.control $version"; status=1; }
    [ "$change" = "$version" ] || { echo "CHANGELOG.md says $change, simhash.control $version"; status=1; }
    return "$status"
}

# Of a release's script, which git ignores, and of an update script.
check_archive() {
    local clone=$SCRATCH/archive
    git clone -q . "$clone"
    cp --parents Makefile src/extension.mk src/install-script.awk compat/Makefile "$clone"
    cp sql/simhash.sql "$clone/sql/simhash--0.9.sql"
    : >"$clone/sql/simhash--0.9--1.0.sql"
    cd "$clone"
    ! make -s dist || return 1
    git add sql/simhash--0.9--1.0.sql
    git -c user.name=x -c user.email=x commit -q -a -m x
    ! make -s dist || return 1
    git add -f sql/simhash--0.9.sql
    git -c user.name=x -c user.email=x commit -q -m x
    make -s dist
    echo '-- changed' >>sql/simhash--0.9--1.0.sql
    ! make -s dist || return 1
    make -s -C compat dist
}

check "versions" check_versions
check "upgrade script" tools/upgrade-script.pl --check
if [ -e .git ]; then check "make dist" check_archive; else skip "make dist" "no repository"; fi
finish
