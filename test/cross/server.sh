#!/usr/bin/env bash
# SQL tests on a server for another processor: Debian's package of PostgreSQL, run by qemu. Takes hours, so that
# neither `make test` nor `make cross` calls this. Works on Debian.
#
#   test/cross/server.sh aarch64                  the stages build, regress and isolation
#   test/cross/server.sh s390x                    big-endian: pages, WAL and fingerprints
#   ONLY="build tap" TESTS=020 test/cross/server.sh aarch64   as for test/run.sh
#
# CROSS_BUILD=directory keeps the server and the objects.
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)

case ${1:-} in
aarch64) architecture=arm64 ;;
s390x) architecture=s390x ;;
*) echo "Which processor, aarch64 or s390x?" >&2; exit 2 ;;
esac
target=$1

. "$TOP/test/cross/common.sh"
. "$TOP/tools/postgresql.sh"
find_postgresql
root=$build/$target-server
programs=$root/usr/lib/postgresql/$PGVERSION_MAJOR/bin

# The server's packages and what they need are only unpacked. apt does not count what this system has installed.
if [ ! -e "$root/complete" ]; then
    rm -rf "$root"
    mkdir -p "$root/apt/lists/partial" "$root/apt/cache/archives/partial"
    : >"$root/apt/status"
    cat >"$root/apt/configuration" <<END
#clear APT::Architectures;
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Debug::NoLocking "true";
Dir::State "$root/apt";
Dir::State::status "$root/apt/status";
Dir::Cache "$root/apt/cache";
END
    export APT_CONFIG=$root/apt/configuration
    echo "== Downloading PostgreSQL $PGVERSION_MAJOR for $architecture"
    apt-get update -qq
    apt-get install -qq --download-only "postgresql-$PGVERSION_MAJOR" >/dev/null
    (
        cd "$root/apt/cache/archives"
        # Of what this needs, a compiler above all, only the headers are used.
        apt-get download -qq "postgresql-server-dev-$PGVERSION_MAJOR"
        for package in *.deb; do dpkg-deb -x "$package" "$root"; done
    )
    unset APT_CONFIG
    rm -r "$root/apt"
    # The kernel need not know how to run programs of the other processor.
    for program in "$programs"/* "$programs/../lib/pgxs/src/test"/*/{pg_regress,pg_isolation_regress,isolationtester}; do
        if [ ! -x "$program" ] || [ -h "$program" ]; then continue; fi
        mv "$program" "$program.$target"
        cat >"$program" <<END
#!/bin/sh
exec qemu-$target -L "$root" -0 "$program" "$program.$target" "\$@"
END
        chmod 755 "$program"
    done
    touch "$root/complete"
fi

mkdir -p "$build/$target-objects"
export PG_CONFIG=$programs/pg_config BUILD_DIRECTORY=$build/$target-objects
export ONLY=${ONLY:-build regress isolation} STAGE_LIMIT=${STAGE_LIMIT:-20000}
export MAKEFLAGS="CXX=$target-linux-gnu-g++\ -isystem\ $build/include CC=$target-linux-gnu-gcc"
"$TOP/test/run.sh"
