#!/bin/sh
# `make labs`: cuts the skeletons of all labs from their reference files, and points solutions/ at them.
#   tools/labs_cut.sh            writes exercises/ and solutions/; what stood there and differs is kept in .rungs/backup
#   tools/labs_cut.sh FOLDER     writes FOLDER/exercises and FOLDER/solutions
#   tools/labs_cut.sh - FILE..   writes those skeletons alone: exercises/01-perceptron/perceptron.c
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/labs_lib.sh
root=${1:-.}
[ $# -gt 0 ] && shift
[ "$root" = - ] && root=.
only=" $* "

list=$(labs_list) || exit 1
printf '%s\n' "$list" | cut -f 4,5 | sort -u | while IFS="$tab" read -r reference exercise; do
    [ "$only" = "  " ] || case $only in *" $exercise "*) ;; *) continue ;; esac
    mkdir -p "$root/$(dirname "$exercise")"
    awk -v MODE=skeleton -f tools/labs_cut.awk "$reference" >"$root/$exercise.new" || exit 1
    if cmp -s "$root/$exercise.new" "$root/$exercise"; then
        rm "$root/$exercise.new"
    else
        [ "$root" != . ] || keep_backup "$exercise" || exit 1
        mv "$root/$exercise.new" "$root/$exercise"
        echo "cut $exercise from $reference"
    fi
    solution=solutions/${exercise#exercises/}
    if [ "$only" = "  " ] && [ "$(readlink "$root/$solution")" != "../../$reference" ] && ! blanked "$reference"; then
        mkdir -p "$root/$(dirname "$solution")"
        ln -sf "../../$reference" "$root/$solution"
        echo "linked $solution to $reference"
    fi
done
