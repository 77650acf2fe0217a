# shellcheck shell=bash
# Sourced after tools/cluster.sh by benchmarks that compare ways to compile the extension.
#
#   build_variant name [macro]        builds it with the macro defined, and installs it in the scratch directory
#   with_variant name command ...     runs a command whose server sessions load that variant

# shellcheck disable=SC2034 # build_and_stage reads them
build_variant() (
    BUILD=$SCRATCH/build-$1
    INSTALL_ROOT=$SCRATCH/root-$1
    BUILD_FLAGS=(${2:+"CPPFLAGS=-D$2"})
    build_and_stage
)

with_variant() {
    local root=$SCRATCH/root-$1
    shift
    PGOPTIONS="-c extension_destdir=$root -c dynamic_library_path=$root$("$PG_CONFIG" --pkglibdir)" "$@"
}
