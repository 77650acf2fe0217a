#!/usr/bin/env bash
# Every file under test/ and compat/test/ is run by a stage, tests and expected outputs match, and the listed mutations can be made.
set -euo pipefail
. "$(dirname "$0")/common.sh"

check_files() {
    local status=0 file name directory
    complain() { echo "$1"; status=1; }
    while read -r file; do
        name=$(basename "${file%.*}")
        case $file in
        test/run.sh | test/common.sql | test/stages/* | test/unit/run.sh | test/unit/main.cpp | test/cross/*.sh | test/unit/Makefile | test/unit/kernels/emulated/*.h | test/*README.md) ;;
        test/*/data/* | test/fuzz/* | test/format/*) ;;
        test/mutants/* | test/model/* | test/torture/* | test/drivers/*.pl | test/failpoints/t/*.pl) ;;
        compat/test/unit/*_test.cpp | compat/test/fuzz/*_fuzz.cpp | compat/test/t/*.pl) ;;
        test/unit/*_test.cpp | test/unit/*.hpp | test/t/*.pl | test/t/*.pm | test/pgtap/*.sql) ;;
        test/sql/*.sql | compat/test/sql/*.sql)
            directory=${file%test/sql/*}
            [ -e "${directory}expected/$name.out" ] || complain "$file has no ${directory}expected/$name.out"
            [ ! -e "${directory}sql/$name.sql" ] || complain "$file has the name of a file in sql/, which would be run instead"
            ;;
        test/isolation/specs/*.spec | test/failpoints/specs/*.spec)
            [ -e "${file%/specs/*}/expected/$name.out" ] || complain "$file has no expected output"
            ;;
        test/isolation/expected/*.out | test/failpoints/expected/*.out)
            [ -e "${file%/expected/*}/specs/$name.spec" ] || complain "$file has no spec"
            ;;
        *) complain "$file is run by no stage" ;;
        esac
    done < <(find test compat/test -type f -not -name '.*' | sort)
    for file in expected/* compat/expected/*; do
        name=$(basename "$file" .out)
        directory=${file%expected/*}
        [ -e "${directory}test/sql/$name.sql" ] || complain "$file has no ${directory}test/sql/$name.sql"
    done
    return "$status"
}

check "test files" check_files
check "mutations" test/mutants/run.pl --check
finish
