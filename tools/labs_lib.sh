# What the scripts of the labs share; `. tools/labs_lib.sh` in the project's root. SPDX-License-Identifier: MIT
# shellcheck shell=sh
tab=$(printf "\t")
keep=${RUNGS_STATE:-.rungs} # what is kept between two calls

usage() {
    echo "$*" >&2
    exit 2
}

# Runs a command so that a signal to this script (trap stop INT TERM HUP) ends both at once. A shell that runs a command in the
# foreground looks at its traps only when the command is over.
child=
attended() {
    "$@" &
    child=$!
    wait $child
    set -- $?
    child=
    return "$1"
}

stop() {
    trap '' INT TERM HUP
    if [ -n "$child" ]; then
        kill "$child" 2>/dev/null
        wait "$child" 2>/dev/null
    fi
    exit 130
}

# Reference files: those with marks, or half of one.
labs_references() {
    for tree in src cpu gpu mpi; do
        [ -d "$tree" ] && find "$tree" -type f \( -name '*.c' -o -name '*.cu' \) \
            -exec grep -l -E '(BEGIN|END) SOLUTION|^/[*] EXERCISE ' {} +
    done | sort
}

# exercises/02-backpropagation for 02; nothing if there is none.
lab_folder() {
    for folder in exercises/"$1"-*/; do
        [ -d "$folder" ] && echo "${folder%/}" && return
    done
}

# A line for each exercise, in order: number, minutes, lines, reference, student's file, title, with tabs between.
# Fails, with sentences, if a mark is wrong or a lab has no folder.
labs_list() {
    # shellcheck disable=SC2046
    set -- $(labs_references)
    [ $# -gt 0 ] || { echo "no reference file holds the mark of an exercise" >&2; return 1; }
    list=$(awk -v MODE=list -f tools/labs_cut.awk "$@") || return 1
    for lab in $(printf '%s\n' "$list" | cut -c 1-2 | sort -u); do
        [ -n "$(lab_folder "$lab")" ] || {
            echo "lab $lab has marks in a reference file, but there is no folder exercises/$lab-...; make one, with README.md and hints.md" >&2
            return 1
        }
    done
    # A second reference of the same name would take the first one's place in exercises/.
    printf '%s\n' "$list" | awk -F '\t' '{ n = split($4, part, "/"); key = substr($1, 1, 2) "/" part[n]
        if (key in seen && seen[key] != $4) { print $4 " and " seen[key] " would both be " part[n] " in lab " substr($1, 1, 2) "; rename one" > "/dev/stderr"; exit 1 }
        seen[key] = $4 }' || return 1
    folders=$(for folder in exercises/[0-9][0-9]-*/; do echo "$folder"; done)
    printf '%s\n' "$list" | awk -F '\t' -v OFS='\t' -v folders="$folders" '
        BEGIN { n = split(folders, f, "\n"); for (i = 1; i <= n; i++) at[substr(f[i], 11, 2)] = f[i] }
        { m = split($4, part, "/"); print $1, $2, $3, $4, at[substr($1, 1, 2)] part[m], $5 }' | sort -t . -k 1,1n -k 2,2n
}

# The numbers of all labs: "01 02".
labs_all() {
    labs_list | cut -c 1-2 | sort -u | tr '\n' ' ' | sed 's/ $//'
}

# "2" is "02", "2.3" is "02.3"; anything else is left as it is.
lab_number() {
    case $1 in
    [0-9] | [0-9].*) echo "0$1" ;;
    *) echo "$1" ;;
    esac
}

# The reference files of lab $1, and the one of exercise $1.
lab_references() {
    labs_list | awk -F '\t' -v want="$1" '(substr($1, 1, 2) == want || $1 == want) && !seen[$4]++ { print $4 }'
}

# Ends with a sentence unless $1 is a lab ("02") or, with $2 = exercises, an exercise ("02.3").
lab_must_exist() {
    list=$(labs_list) || exit 2
    case $1 in
    *.*)
        printf '%s\n' "$list" | grep -q "^$1$tab" && [ "${2:-}" = exercises ] && return
        lab=${1%%.*}
        if printf '%s\n' "$list" | grep -q "^$lab\\."; then
            usage "there is no exercise $1; lab $lab has $(printf '%s\n' "$list" | grep "^$lab\\." | cut -f 1 | tr '\n' ' ' | sed 's/ $//; s/ /, /g')"
        fi
        ;;
    *)
        printf '%s\n' "$list" | grep -q "^$1\\." && return
        ;;
    esac
    usage "there is no lab '$1'; there are $(printf '%s\n' "$list" | cut -c 1-2 | sort -u | tr '\n' ' ' | sed 's/ $//; s/ /, /g')"
}

# Keeps a copy of file $1, if there is one, and says where.
keep_backup() {
    [ -f "$1" ] || return 0
    kept=$keep/backup/${1#exercises/}.$(date +%Y-%m-%d_%H%M%S)
    n=1
    while [ -e "$kept" ]; do # twice in one second
        n=$((n + 1))
        kept=${kept%_again*}_again$n
    done
    mkdir -p "$(dirname "$kept")" && cp "$1" "$kept" && echo "your $1 is kept as $kept"
}

# Is reference file $1 one of a handout, its solutions taken out?
blanked() {
    grep -q 'EXERCISE_NOT_SOLVED(' "$1"
}

# The names of the files of lab $1: "mlp.c, softmax_gradient.c".
lab_files() {
    labs_list | awk -F '\t' -v want="$1" 'substr($1, 1, 2) == want && !seen[$5]++ {
        n = split($5, part, "/"); printf "%s%s", separator, part[n]; separator = ", " }'
}
