#!/bin/sh
# `make format` (apply) and `make format-check` (check): clang-format over the C and CUDA sources, with .clang-format.
# Versions of clang-format disagree in small things; 14 decides.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 1
wanted=14
what=${1:-check}
program=$(command -v clang-format-$wanted || command -v clang-format)
if [ -z "$program" ]; then
    echo "format: skipped: there is no clang-format here; ./setup.sh --dev installs it"
    exit 0
fi
version=$("$program" --version | sed 's/.*version \([0-9]*\).*/\1/')
if [ "$version" != $wanted ]; then
    echo "format: skipped: clang-format $wanted decides, and $program is version $version"
    exit 0
fi

files=$(sh tools/files.sh '*.c' '*.h' '*.cpp' '*.cu' '*.cuh')
# The file names hold no blanks: they are ours.
# shellcheck disable=SC2086
case $what in
apply) "$program" -i $files && echo "format: done" ;;
check)
    if ! "$program" --dry-run --Werror $files; then
        echo "format: these differ from what 'make format' writes" >&2
        exit 1
    fi
    echo "format: clean"
    ;;
*) echo "format.sh: '$what' is neither apply nor check" >&2; exit 2 ;;
esac
