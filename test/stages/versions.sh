#!/usr/bin/env bash
# The control files, META.json, CHANGELOG.md and the packages in clients agree; the upgrade script, if there is one, is complete.
set -euo pipefail
. "$(dirname "$0")/common.sh"

check_versions() {
    local version meta change file found status=0
    version=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" simhash.control)
    meta=$(perl -MJSON::PP -0777 -ne 'my $m = decode_json($_);
        print join " ", $m->{version}, map { $_->{version} } values %{$m->{provides}}' META.json)
    change=$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)
    for found in $meta; do
        [ "$found" = "$version" ] || { echo "META.json says $found, simhash.control $version"; status=1; }
    done
    found=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" simhash_compat.control)
    [ "$found" = "$version" ] || { echo "simhash_compat.control says $found, simhash.control $version"; status=1; }
    for file in clients/python/pyproject.toml clients/javascript/package.json clients/ruby/pg_simhash.gemspec; do
        found=$(sed -n 's/^ *\(gem\.\|"\)\?version"\?[ =:]*"\(.*\)".*/\2/p' "$file")
        [ "$found" = "$version" ] || { echo "$file says $found, simhash.control $version"; status=1; }
    done
    [ "$change" = "$version" ] || { echo "CHANGELOG.md says $change, simhash.control $version"; status=1; }
    return "$status"
}

check "versions" check_versions
check "upgrade script" tools/upgrade-script.pl --check
finish
