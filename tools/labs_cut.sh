#!/bin/sh
# `make labs`: cuts the skeletons of all labs from their reference files. A solution is a file that includes its reference: no link,
# because archives and file systems lose those.
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

# Puts the new version of file $1 (in $root, as $1.new) in its place, unless it is the same; $2 says what was done.
replace() {
    if cmp -s "$root/$1.new" "$root/$1"; then
        rm "$root/$1.new"
    else
        [ "$root" != . ] || keep_backup "$1" || return 1
        mv "$root/$1.new" "$root/$1" && echo "$2"
    fi
}

solution_text() {
    echo "/* Lab $1: the reference is the solution. SPDX-License-Identifier: MIT */"
    echo "#include \"$2\""
}

# Reads reference and exercise, with a tab between. It runs in a shell of its own, whose traps these are.
cut_all() {
    new=
    trap '[ -z "$new" ] || rm -f "$new"' EXIT
    trap 'exit 130' INT TERM HUP
    while IFS="$tab" read -r reference exercise; do
        [ "$only" = "  " ] || case $only in *" $exercise "*) ;; *) continue ;; esac
        mkdir -p "$root/$(dirname "$exercise")"
        new=$root/$exercise.new
        awk -v MODE=skeleton -f tools/labs_cut.awk "$reference" >"$new" && replace "$exercise" "cut $exercise from $reference" || exit 1
        solution=solutions/${exercise#exercises/}
        if [ "$only" = "  " ] && ! blanked "$reference"; then
            mkdir -p "$root/$(dirname "$solution")"
            new=$root/$solution.new
            lab=${solution#solutions/}
            solution_text "${lab%%-*}" "$reference" >"$new" && replace "$solution" "wrote $solution, which includes $reference" || exit 1
        fi
    done
}

list=$(labs_list) || exit 1
printf '%s\n' "$list" | cut -f 4,5 | sort -u | (cut_all)
