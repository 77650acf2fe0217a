#!/usr/bin/env bash
# Runs every test; `make test` calls this. The stages, in order:
#
#   format     clang-format leaves the sources as they are
#   versions   control file, META.json and CHANGELOG.md agree; the upgrade script, if there is one, is complete
#   files      every file under test/ is run by a stage, tests and expected outputs match one to one, and the mutations
#              of test/mutants can be made
#   lint       shellcheck over the shell scripts, clang-tidy over src/
#   unit       src/core under AddressSanitizer and UndefinedBehaviorSanitizer, without a server
#   build      the extension, warnings being errors; the user's compiler flags are used
#   symbols    the library exports what SQL calls and nothing else, and does not need libstdc++
#   layers     folders of src/ include and call each other from the top down only (tools/layers.pl)
#   compilers  GCC with link-time optimization, in the source tree, then Clang outside of it
#   regress    test/sql against expected/
#   isolation  test/isolation
#   pgtap      test/pgtap
#   tap        test/t: servers that crash, stream and run under load
#   drivers    test/drivers: the programs of doc/drivers.md, for the client libraries that are installed
#   failpoints test/failpoints: sessions and crashes at chosen moments, in a second build that has failpoints
#   assertions regress, isolation, tap and failpoints again, in a server with assertions
#   package    Debian's package and the archive of make dist; only if asked for by ONLY
#
# make test ONLY="unit regress"          some stages
# make test ONLY=tap TESTS="001 002"     some tests of a stage, by what their names contain
# make test KEEP_SCRATCH=1               keep the scratch directory: outputs, logs, data
# make test STAGE_LIMIT=600               seconds after which a stage is ended and has failed
# make test BUILD_DIRECTORY=...          keep the objects, for the next run
# make test TEST_SECONDS=60              length of the tests under load (default 15)
# make test PG_CONFIG=...                another server than Debian's (tools/postgresql.sh)
# make test ASSERT_PG_CONFIG=...         the server with assertions
#
# The last line is "N passed, N failed", over all stages; the exit status is 0 if nothing failed.
set -euo pipefail

# Servers of the TAP tests take their encoding from the environment, which may have none.
export LANG=C.UTF-8

TOP=$(cd "$(dirname "$0")/.." && pwd)
STAGES="format versions files lint unit build symbols layers compilers regress isolation pgtap tap drivers failpoints assertions"
ONLY=${ONLY:-$STAGES}
STAGES="$STAGES package"
TESTS=${TESTS:-}
STAGE_LIMIT=${STAGE_LIMIT:-900}
for stage in $ONLY; do
    [[ " $STAGES " == *" $stage "* ]] || { echo "No stage is called '$stage'. There are: $STAGES" >&2; exit 2; }
done

"$TOP/tools/setup.sh" test
. "$TOP/tools/cluster.sh"
cd "$TOP"

PGXS_TEST=$(cd "$(dirname "$("$PG_CONFIG" --pgxs)")/../test" && pwd)
passed=0
failed=0
failures=()
failed_assertions=()

wanted() { [[ " $ONLY " == *" $1 "* ]]; }

pass() { passed=$((passed + ${2:-1})); }

fail() {
    failed=$((failed + ${2:-1}))
    failures+=("$1")
}

# check name command ...: one check, which passes if the command succeeds; its output is shown if not.
check() {
    local name=$1 log=$SCRATCH/check.log
    shift
    if "$@" >"$log" 2>&1; then
        pass "$name"
        echo "ok      $name"
    else
        fail "$name"
        echo "FAILED  $name"
        head -n 100 "$log" | sed 's/^/        /'
    fi
}

# tests directory extension: the names of the tests there that TESTS allows.
tests() {
    local file name word
    for file in "$1"/*"$2"; do
        [ -e "$file" ] || continue
        name=$(basename "$file" "$2")
        if [ -z "$TESTS" ]; then echo "$name"; fi
        for word in $TESTS; do
            if [[ $name == *"$word"* ]]; then
                echo "$name"
                break
            fi
        done
    done
}

# ran stage name ...: every test that was asked for has to appear in the log of its stage.
ran() {
    local stage=$1 log=$2 name
    shift 2
    for name in "$@"; do
        grep -q -F "$name" "$log" || { echo "FAILED  $name was not run"; fail "$stage: $name was not run"; }
    done
}

# -- format, versions, files --------------------------------------------------------------------------------

check_format() {
    local log=$SCRATCH/format.log
    make -s check-format >"$log" 2>&1 && return 0
    # One line per place, then the way out.
    grep -E 'error: ' "$log" | cut -d: -f1,2 | sort -u -t: -k1,1 -k2,2n || cat "$log"
    echo "make format would repair it"
    return 1
}

check_versions() {
    local version meta change status=0
    version=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" simhash.control)
    meta=$(perl -MJSON::PP -0777 -ne 'my $m = decode_json($_);
        print join " ", $m->{version}, map { $_->{version} } values %{$m->{provides}}' META.json)
    change=$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)
    for found in $meta; do
        [ "$found" = "$version" ] || { echo "META.json says $found, simhash.control $version"; status=1; }
    done
    found=$(sed -n "s/^default_version *= *'\(.*\)'/\1/p" simhash_compat.control)
    [ "$found" = "$version" ] || { echo "simhash_compat.control says $found, simhash.control $version"; status=1; }
    [ "$change" = "$version" ] || { echo "CHANGELOG.md says $change, simhash.control $version"; status=1; }
    return "$status"
}

check_files() {
    local status=0 file name
    complain() { echo "$1"; status=1; }
    while read -r file; do
        name=$(basename "${file%.*}")
        case $file in
        test/run.sh | test/unit/run.sh | test/cross/run.sh | test/unit/Makefile | test/*README.md) ;;
        test/*/data/* | test/fuzz/* | test/format/*) ;;
        test/mutants/* | test/torture/* | test/drivers/*.pl | test/failpoints/t/*.pl) ;;
        test/unit/*_test.cpp | test/unit/*.hpp | test/t/*.pl | test/t/*.pm | test/pgtap/*.sql) ;;
        test/sql/*.sql)
            [ -e "expected/$name.out" ] || complain "$file has no expected/$name.out"
            [ ! -e "sql/$name.sql" ] || complain "$file has the name of a file in sql/, which would be run instead"
            ;;
        test/isolation/specs/*.spec | test/failpoints/specs/*.spec)
            [ -e "${file%/specs/*}/expected/$name.out" ] || complain "$file has no expected output"
            ;;
        test/isolation/expected/*.out | test/failpoints/expected/*.out)
            [ -e "${file%/expected/*}/specs/$name.spec" ] || complain "$file has no spec"
            ;;
        *) complain "$file is run by no stage" ;;
        esac
    done < <(find test -type f -not -name '.*' | sort)
    for file in expected/*; do
        [ -e "$file" ] || continue
        name=$(basename "$file" .out)
        [ -e "test/sql/$name.sql" ] || complain "$file has no test/sql/$name.sql"
    done
    return "$status"
}

# -- lint -----------------------------------------------------------------------------------------------------

# Scripts are known by their first line: also .ci/run.
check_shell() {
    local scripts
    scripts=$(grep -r -l -E -m 1 '^#(!/usr/bin/env bash| shellcheck shell=bash)' .ci bench demo test tools)
    # shellcheck disable=SC2086
    shellcheck -x -P SCRIPTDIR -P . $scripts
}

check_tidy() { make -s -k -j"$(nproc)" PG_CONFIG="$PG_CONFIG" tidy; }

# -- unit ---------------------------------------------------------------------------------------------------

run_unit() {
    local log=$SCRATCH/unit.log status=0 good bad
    UNIT_BUILD=$SCRATCH/unit interruptible test/unit/run.sh >"$log" 2>&1 || status=$?
    good=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) tests\?\..*/\1/p' "$log")
    bad=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) tests\?, listed below.*/\1/p' "$log")
    pass unit "${good:-0}"
    [ -z "$bad" ] || fail "unit: $bad failed" "$bad"
    # A sanitizer's report ends the program before GoogleTest counts; so does a file that doesn't compile.
    [ "$status" = 0 ] || [ -n "$bad" ] || fail "unit: build or sanitizer"
    if [ "$status" = 0 ]; then
        echo "ok      ${good:-0} tests"
        # A file whose tests were not linked in would go unnoticed.
        local file suite
        for file in test/unit/*_test.cpp test/unit/*/*_test.cpp; do
            while read -r suite; do
                grep -q "tests\? from .*$suite" "$log" || fail "unit: $file, suite $suite was not run"
            done < <(sed -n 's/^\(TEST\|TEST_F\|TEST_P\)(\([A-Za-z0-9_]*\),.*/\2/p' "$file" | sort -u)
        done
    else
        grep -v -E '^\[( RUN  |       OK|-----)' "$log" | head -n 200
    fi
}

# -- build, symbols, layers, compilers -----------------------------------------------------------------------

# What the user sets has to be in every compile command.
check_flags() {
    local commands sources
    sources=$(find src -name '*.cpp' | wc -l)
    commands=$(make -n -B -C "$BUILD" -f "$TOP/Makefile" PG_CONFIG="$PG_CONFIG" \
        CXXFLAGS=-Dcxxflags CPPFLAGS=-Dcppflags COPT=-Dcopt LDFLAGS=-Lldflags all) || { echo "$commands"; return 1; }
    if [ "$(grep -c -e '-Dcppflags -Dcxxflags -Dcopt .* -c ' <<<"$commands")" != "$sources" ] ||
        ! grep -q -e ' -shared .*-Lldflags' <<<"$commands"; then
        echo "$commands"
        return 1
    fi
}

# A copy of the checkout without what an earlier build left in it.
copy_sources() {
    mkdir -p "$1"
    cp -R Makefile ./*.control doc sql src "$1"
    rm -f "$1"/sql/simhash*--"$(sed -n "s/^default_version = '\(.*\)'/\1/p" simhash.control)".sql
    find "$1" \( -name '*.o' -o -name '*.d' \) -delete
}

check_gcc_lto() {
    copy_sources "$SCRATCH/tree"
    interruptible make -s -j"$(nproc)" -C "$SCRATCH/tree" PG_CONFIG="$PG_CONFIG" FAILPOINTS=1 \
        COPT="-Werror -flto=$(nproc)" all
    [ -e "$SCRATCH/tree/simhash.so" ]
}

# The source tree is now full of the products of another build, with failpoints. None of them may be used.
check_clang() {
    local TOP=$SCRATCH/tree BUILD=$SCRATCH/build-clang INSTALL_ROOT=$SCRATCH/root-clang
    local BUILD_FLAGS=(CXX=clang++ COPT=-Werror) library status=0
    build_and_stage 2>&1 || return 1
    library=$INSTALL_ROOT$("$PG_CONFIG" --pkglibdir)/simhash.so
    ! grep -q -F "simhash.failpoint" "$library" || { echo "objects of the build in the source tree were used"; status=1; }
    [ "$(find "$BUILD/src" -name '*.o' | wc -l)" = "$(find "$TOP/src" -name '*.cpp' | wc -l)" ] || status=1
    [ -e "$INSTALL_ROOT$("$PG_CONFIG" --sharedir)/extension/simhash.control" ] || status=1
    return "$status"
}

check_symbols() {
    local library script exported function status=0
    library=$INSTALL_ROOT$("$PG_CONFIG" --pkglibdir)/simhash.so
    script=$(echo "$INSTALL_ROOT$("$PG_CONFIG" --sharedir)"/extension/simhash*--?*.sql)
    # Nothing of the build for tests.
    ! nm -C "$library" | grep -i failpoint || status=1
    ! grep -q -F "simhash.failpoint" "$library" || { echo "the library has failpoints"; status=1; }
    # Only a server with ICU happens to have the C++ library loaded.
    ! nm -D --undefined-only "$library" | grep -E ' U (_Z|__cxa_|__gxx_)' ||
        { echo "the library needs libstdc++"; status=1; }
    exported=$(nm -D --defined-only "$library" | awk '{print $3}' | sort)
    for symbol in $exported; do
        case $symbol in
        _PG_init | Pg_magic_func) ;;
        pg_finfo_*) ;;
        *)
            # Parallel workers, too, find their function by its name.
            grep -q -x "pg_finfo_$symbol" <<<"$exported" ||
                grep -q -r -F "\"$symbol\"" "$TOP/src/am/build" ||
                { echo "exported for no reason: $symbol"; status=1; }
            ;;
        esac
    done
    while read -r function; do
        grep -q -x "$function" <<<"$exported" || { echo "pg_finfo_$function without $function"; status=1; }
        # shellcheck disable=SC2086
        grep -q -w "$function" $script || { echo "no SQL function calls $function"; status=1; }
    done < <(sed -n 's/^pg_finfo_//p' <<<"$exported")
    return "$status"
}

# -- tests in a server --------------------------------------------------------------------------------------

need_cluster() {
    [ -z "${cluster_up:-}" ] || return 0
    # Settings that a user's server is likely to have, but no waiting for disks.
    cluster_start "fsync = off" "shared_buffers = '256MB'" "max_prepared_transactions = 10" "log_min_messages = warning"
    cluster_up=1
}

# check_time stage status: fails if `timeout` ended the stage.
check_time() { [ "$2" != 124 ] || fail "$1: took more than $STAGE_LIMIT s, which STAGE_LIMIT sets"; }

# regress_stage stage program input name ...: pg_regress and pg_isolation_regress are called alike.
regress_stage() {
    local stage=$1 program=$2 input=$3 log=$SCRATCH/$1.log out=$SCRATCH/$1 status=0 line
    shift 3
    as_server mkdir -p "$out"
    # Without an expected output the run would end there; an empty one shows the output as a difference.
    for line in "$@"; do
        [ -e "$input/expected/$line.out" ] || : >"$input/expected/$line.out"
    done
    interruptible as_server env PGISOLATIONTIMEOUT=60 timeout -k 10 "$STAGE_LIMIT" "$program" --host="$PGHOST" --port="$PGPORT" \
        --user="$PGUSER" --dbname="simhash_$stage" --load-extension=simhash \
        --inputdir="$input" --outputdir="$out" --bindir="$PGBIN" "$@" >"$log" 2>&1 || status=$?
    # "test name ... ok 5 ms" up to PostgreSQL 15, "ok 1 - name 5 ms" since.
    while read -r line; do
        case $line in
        test*" ok "* | "ok "*) pass "$stage" ;;
        test*" FAILED"* | "not ok "*)
            fail "$stage: $(sed -E 's/^(not ok [0-9]+ +- +|test +)//; s/ .*//' <<<"$line")"
            ;;
        *) continue ;;
        esac
        echo "$line"
    done <"$log"
    check_time "$stage" "$status"
    if [ "$status" != 0 ]; then
        if [ -s "$out/regression.diffs" ]; then
            cat "$out/regression.diffs"
            mkdir -p results
            cp -r "$out/results/." results/
            echo "The outputs are in results/; one that is right goes to the expected ones."
        else
            cat "$log"
            fail "$stage: could not be run"
        fi
    fi
}

run_regress() {
    local names
    names=$(tests test/sql .sql)
    [ -n "$names" ] || { echo "skipped: no tests in test/sql"; return 0; }
    need_cluster
    for_server test/sql expected
    ln -sfn ../expected "$SCRATCH/source/test/expected"
    # shellcheck disable=SC2086
    regress_stage regress "$PGXS_TEST/regress/pg_regress" "$SCRATCH/source/test" $names
    # shellcheck disable=SC2086
    ran regress "$SCRATCH/regress.log" $names
}

run_isolation() {
    local names
    names=$(tests test/isolation/specs .spec)
    [ -n "$names" ] || { echo "skipped: no tests in test/isolation/specs"; return 0; }
    # PostgreSQL 13 does not install it.
    [ -x "$PGXS_TEST/isolation/pg_isolation_regress" ] || { echo "skipped: pg_isolation_regress is not installed"; return 0; }
    need_cluster
    for_server test/isolation
    # shellcheck disable=SC2086
    regress_stage isolation "$PGXS_TEST/isolation/pg_isolation_regress" "$SCRATCH/source/test/isolation" $names
    # shellcheck disable=SC2086
    ran isolation "$SCRATCH/isolation.log" $names
}

# prove_stage stage command ...: counts the assertions of prove or pg_prove.
prove_stage() {
    local stage=$1 log=$SCRATCH/$1.log status=0 total bad=0 count file
    shift
    interruptible as_server env -C source timeout -k 10 "$STAGE_LIMIT" "$@" >"$log" 2>&1 || status=$?
    cat "$log"
    check_time "$stage" "$status"
    total=$(sed -n 's/^Files=[0-9]*, Tests=\([0-9]*\),.*/\1/p' "$log")
    while read -r file count; do
        # A file may fail without a failed assertion: by its exit status, or a plan that was not kept.
        fail "$stage: $file" $((count > 0 ? count : 1))
        bad=$((bad + count))
        show_tap_log "$file" "$stage"
    done < <(sed -n 's/^\(.*[^ ]\) *(Wstat: .* Tests: [0-9]* Failed: \([0-9]*\))$/\1 \2/p' "$log")
    pass "$stage" $((${total:-0} - bad))
    # A test that gives up ends the others, too.
    while read -r file; do
        fail "$stage: $file"
        show_tap_log "$file" "$stage"
    done < <(grep -q '^Bailout called' "$log" && sed -n 's/^Bailout called\..*stopped: *\(.*\)/bailed out: \1/p' "$log")
    [ "$status" = 0 ] || [[ " ${failures[*]} " == *" $stage: "* ]] || fail "$stage: could not be run"
}

show_tap_log() {
    local name log line
    name=$(basename "$1" .pl)
    log=$SCRATCH/$2/tmp_check/log/regress_log_$name
    [ -e "$log" ] || return 0
    while read -r line; do
        failed_assertions+=("$name: $line")
    done < <(grep -a -o 'not ok [0-9]* - .*' "$log" | head -n 10)
    echo "---- the end of the log of $name"
    tail -n 60 "$log"
    for log in "$SCRATCH/$2/tmp_check/log/${name}"_*.log; do
        [ -e "$log" ] || continue
        echo "---- errors in $(basename "$log")"
        grep -E 'ERROR|FATAL|PANIC|TRAP|terminated' "$log" | tail -n 20 || true
    done
}

run_pgtap() {
    local names
    names=$(tests test/pgtap .sql)
    [ -n "$names" ] || { echo "skipped: no tests in test/pgtap"; return 0; }
    need_cluster
    for_server test/pgtap
    psql -q -X -c "CREATE DATABASE simhash_pgtap TEMPLATE template0" -d postgres
    psql -q -X -c "CREATE EXTENSION pgtap" -c "CREATE EXTENSION simhash_compat CASCADE" -d simhash_pgtap
    # shellcheck disable=SC2046,SC2086
    prove_stage pgtap pg_prove -d simhash_pgtap $(printf "test/pgtap/%s.sql " $names)
    # shellcheck disable=SC2086
    ran pgtap "$SCRATCH/pgtap.log" $names
}

run_tap() {
    for_server test/t README.md doc demo tools sql simhash.control simhash_compat.control
    run_servers tap test/t
}

run_drivers() {
    for_server test/t test/drivers doc
    run_servers drivers test/drivers
}

# The build with failpoints is another one.
run_failpoints() {
    for_server test/t test/failpoints
    local INSTALL_ROOT=$SCRATCH/root-failpoints BUILD=$BUILD-failpoints BUILD_FLAGS=(COPT=-Werror FAILPOINTS=1)
    check "build with failpoints" build_and_stage
    [[ " ${failures[*]:-} " == *" build with failpoints "* ]] || run_servers failpoints test/failpoints/t
}

# run_servers stage directory: the tests there start servers of their own.
run_servers() {
    local stage=$1 directory=$2 names work=$SCRATCH/$1
    names=$(tests "$directory" .pl)
    [ -n "$names" ] || { echo "skipped: no tests in $directory"; return 0; }
    as_server mkdir -p "$work/ports"
    # What PostgreSQL::Test::Cluster appends to the configuration of every node.
    staged_settings >"$work.conf"
    chmod a+r "$work.conf"
    # shellcheck disable=SC2046,SC2086
    prove_stage "$stage" env -u PGDATA -u PGHOST -u PGPORT -u PGDATABASE -u PGUSER TMPDIR="$work" \
        PATH="$(server_programs):$PATH" PG_CONFIG="$PG_CONFIG" STAGED="$INSTALL_ROOT" \
        PERL5LIB="$PGXS_TEST/perl:$SCRATCH/source/test/t" PG_REGRESS="$PGXS_TEST/regress/pg_regress" \
        PG_ISOLATION="$PGXS_TEST/isolation/pg_isolation_regress" SEED="${SEED:-}" \
        TEMP_CONFIG="$work.conf" TESTDIR="$work" TESTDATADIR="$work/tmp_check" TESTLOGDIR="$work/tmp_check/log" \
        PG_TEST_PORT_DIR="$work/ports" PG_TEST_TIMEOUT_DEFAULT=90 TEST_SECONDS="${TEST_SECONDS:-15}" \
        prove --norc --jobs "$(nproc)" --timer $(printf "$directory/%s.pl " $names)
    # shellcheck disable=SC2086
    ran "$stage" "$SCRATCH/$stage.log" $names
}

# The core checks itself in a server with assertions, and what we pass to it.
run_assertions() {
    local log=$SCRATCH/assertions.log good bad
    if ! "${ASSERT_PG_CONFIG:-false}" --configure | grep -q -e --enable-cassert; then
        echo "skipped: no server with assertions (set ASSERT_PG_CONFIG)"
        return 0
    fi
    PG_CONFIG=$ASSERT_PG_CONFIG ONLY="regress isolation tap failpoints" \
        interruptible "$TOP/test/run.sh" >"$log" 2>&1 || true
    cat "$log"
    read -r good bad < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log")
    pass assertions "${good:-0}"
    [ "${bad:-1}" = 0 ] || fail assertions "${bad:-1}"
}

# -- package ------------------------------------------------------------------------------------------------

# The files of the checkout as they are, committed or not.
copy_checkout() {
    mkdir -p "$1"
    git ls-files -z --cached --others --exclude-standard | xargs -0 cp -P --parents -t "$1"
}

build_package() {
    copy_checkout "$SCRATCH/package/simhash"
    (
        cd "$SCRATCH/package/simhash"
        pg_buildext updatecontrol
        # -d: headers of one version of PostgreSQL are enough.
        DEB_BUILD_OPTIONS="parallel=$(nproc) noautodbgsym" interruptible dpkg-buildpackage -b -us -uc -d
    )
}

check_lintian() { lintian --fail-on error,warning --suppress-tags "$unfit_tags" "$SCRATCH"/package/*.changes; }

# Unpacks the package into a system of its own, and removes it again.
package_root=
dpkg_there() { dpkg --force-not-root --force-depends --root="$package_root" --no-triggers "$@"; }

check_install() {
    package_root=$SCRATCH/package/root
    mkdir -p "$package_root"/var/lib/dpkg/{updates,info}
    : >"$package_root/var/lib/dpkg/status"
    dpkg_there --install "$SCRATCH"/package/postgresql-"$(server_major)"-simhash_*.deb || return 1
    chmod -R a+rX "$package_root"
    INSTALL_ROOT=$package_root need_cluster
    psql -X -d postgres -c "CREATE DATABASE package" && psql -X -v ON_ERROR_STOP=1 -d package -c "CREATE EXTENSION simhash_compat CASCADE" \
        -c "CREATE TABLE page AS SELECT n AS id, to_simhash('number ' || n) AS h FROM generate_series(1, 1000) AS n" \
        -c "CREATE INDEX page_h ON page USING simhash (h)" -c "SET enable_seqscan = off" \
        -c "SELECT id FROM page WHERE h <@> to_simhash('number 7') <= 0" -c "SELECT simhash_index_check('page_h', true)"
}

check_purge() {
    dpkg_there --purge "postgresql-$(server_major)-simhash" || return 1
    [ -z "$(find "$package_root" -type f -not -path '*/var/lib/dpkg/*' -not -path '*/var/log/*' -print | tee /dev/stderr)" ]
}

# The archive installs the same files as the checkout, with pgxnclient if there is one.
check_dist() {
    local zip=$SCRATCH/dist library
    mkdir -p "$zip"
    make -s -C "$zip" -f "$TOP/Makefile" PG_CONFIG="$PG_CONFIG" dist
    unzip -q -d "$zip" "$zip"/simhash-*.zip
    [ ! -e "$(echo "$zip"/simhash-*/.ci)" ] || return 1
    if command -v pgxn >/dev/null; then
        DESTDIR=$zip/root interruptible pgxn install --yes --nosudo --pg_config "$PG_CONFIG" "$zip"/simhash-*.zip ||
            return 1
    else
        echo "pgxnclient is not installed"
        DESTDIR=$zip/root interruptible make -s -C "$zip"/simhash-*/ PG_CONFIG="$PG_CONFIG" all install
    fi
    diff <(cd "$INSTALL_ROOT" && find . -type f | sort) <(cd "$zip/root" && find . -type f | sort)
}

run_package() {
    local tool
    # The first upload to Debian closes a bug; the address is that of no person yet.
    unfit_tags=initial-upload-closes-no-bugs,bogus-mail-host
    for tool in dpkg-buildpackage dh pg_buildext lintian unzip; do
        command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed (debhelper, lintian, postgresql-server-dev-all, unzip)"; return 0; }
    done
    check "package" build_package
    check "lintian" check_lintian
    check "package installed and used" check_install
    check "package purged" check_purge
    check "archive of make dist" check_dist
}

# An answer may be right although a server process died on the way.
check_server_log() {
    ! grep -E 'PANIC|TRAP|was terminated by|invalid memory alloc|could not read block' "$SCRATCH/server.log"
}

# -- all of them --------------------------------------------------------------------------------------------

heading() {
    stage_start=$SECONDS
    echo
    echo "== $1"
}
took() { echo "($((SECONDS - stage_start)) s)"; }

if [[ $ONLY =~ format|versions|files|lint ]]; then
    heading "checks"
    if wanted format; then check "clang-format" check_format; fi
    if wanted versions; then
        check "versions" check_versions
        check "upgrade script" tools/upgrade-script.pl --check
    fi
    if wanted files; then
        check "test files" check_files
        check "mutations" test/mutants/run.pl --check
    fi
    if wanted lint; then
        check "shellcheck" check_shell
        check "clang-tidy" check_tidy
    fi
    took
fi

if wanted unit; then
    heading "unit"
    run_unit
    took
fi

if [[ $ONLY =~ build|symbols|layers|compilers|regress|isolation|pgtap|tap|drivers|failpoints|package ]]; then
    heading "build"
    BUILD_FLAGS=(COPT=-Werror)
    check "build without warnings" build_and_stage
    [[ " ${failures[*]:-} " == *" build without warnings "* ]] || built=1
    if [ -n "${built:-}" ] && wanted symbols; then check "exported symbols" check_symbols; fi
    if [ -n "${built:-}" ] && wanted layers; then check "calls and includes between folders" tools/layers.pl . "$BUILD"; fi
    if wanted build; then check "compiler flags of the user" check_flags; fi
    if wanted compilers; then
        check "GCC with link-time optimization, in the source tree" check_gcc_lto
        check "Clang, outside of it" check_clang
    fi
    took
    if [ -n "${built:-}" ]; then
        for stage in regress isolation pgtap tap drivers failpoints package; do
            wanted "$stage" || continue
            heading "$stage"
            "run_$stage"
            took
        done
        if [ -n "${cluster_up:-}" ]; then
            heading "server"
            cluster_stop
            check "no crash in the server log" check_server_log
        fi
    fi
fi

if wanted assertions; then
    heading "assertions"
    run_assertions
    took
fi

echo
if [ "$failed" != 0 ]; then
    echo "Failed:"
    printf '    %s\n' "${failures[@]}" "${failed_assertions[@]}"
    echo
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
