#!/bin/sh
# `make grade` and `make lab-rungs`: compiles a student's files, links them in the place of the reference files that they were
# cut from, and runs the tests, or builds `rungs`. `make lab-objects` has built everything else.
#   LAB=      every lab, each in a program of its own: the student's files of that lab, the reference for the others
#   LAB=02    one lab;  LAB=02.3 one exercise;  LAB=all every lab in one program, with all of the student's files
# `tools/labs_grade.sh shipped` asks instead whether the skeletons fail as they should (tools/labs_check.sh).
#   FROM=DIR  the student's files lie in DIR, or in DIR/02-backpropagation, and not in exercises/
# A file that is missing costs its own exercises: the skeleton takes its place.
# Kernels (.cu) become a library beside the program: of the emulator that watches, for the tests; of both emulators, for rungs.
# Exit status: 0 full marks, 1 less, 2 called wrongly. SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 2
. tools/labs_lib.sh
what=${1:-grade}
out=$BUILD/labs
CC=$(cat "$out/compiler") || exit 2
CXX=$(cat "$out/kernel.compiler") || exit 2
[ "$what" = rungs ] && plain=plain || plain=
unset RUNGS_GPU_LIBRARIES # the tests open the library that lies beside their program
# A folder of this run's own: `make watch` may be grading in another window.
run=$out/run.$$
results=${JSON:-$run/results.json}
trap 'rm -rf "$run"' EXIT
trap stop INT TERM HUP
lab=$(lab_number "${LAB:-}")
only=
labs=$(labs_all) && [ -n "$labs" ] || exit 2
case $lab in
'') [ "$what" = grade ] || lab=all ;;
all) ;;
*.*) lab_must_exist "$lab" exercises && only=$lab && lab=${lab%%.*} ;;
*) lab_must_exist "$lab" ;;
esac
[ -z "${FROM:-}" ] || [ -d "$FROM" ] || usage "FROM=$FROM is no folder"
case ${SEED:-1} in *[!0-9]*) usage "SEED=$SEED is no whole number" ;; esac
limit=
command -v timeout >/dev/null 2>&1 && limit="timeout 120"

# The student's file for exercises/NN-topic/x.c: the one that is there, or where it should be.
student_file() {
    folder=$(dirname "$1")
    if [ -z "${FROM:-}" ]; then
        echo "$1"
    elif [ -f "$FROM/${folder##*/}/${1##*/}" ]; then
        echo "$FROM/${folder##*/}/${1##*/}"
    else
        echo "$FROM/${1##*/}"
    fi
}

# Lines of reference and student's file for the files of lab $1 that were cut.
student_files() {
    labs_list | awk -F '\t' -v want="$1" 'substr($1, 1, 2) == want && !seen[$5]++ { print $4 "\t" $5 }' |
        while IFS="$tab" read -r reference cut; do
            printf '%s\t%s\n' "$reference" "$(student_file "$cut")"
        done
}

# Helpers: further files of the student beside those of $dir/files. A name that another lab's file has is none (in a folder FROM
# that holds the files of several labs).
helpers() {
    while IFS="$tab" read -r reference file; do
        [ ! -f "$file" ] || dirname "$file"
    done <"$dir/files" | sort -u | while read -r folder; do
        for file in "$folder"/*.c "$folder"/*.cu; do
            [ ! -f "$file" ] || labs_references | grep -q "/${file##*/}\$" || echo "$file"
        done
    done
}

# Compiles file $1 into object $2; the compiler's messages go to $log.
compile() {
    mkdir -p "$(dirname "$2")"
    case $1 in *.cu) compile_kernel "$1" "$2"; return ;; esac
    # shellcheck disable=SC2086
    attended env LC_ALL=C $limit $CC "@$out/compile.flags" -c "$1" -o "$2" >>"$log" 2>&1 </dev/null || echo "$1" >>"$dir/failed"
}

# The same for kernels: C++ is made of them first, in which lines and file are called as in $1.
compile_kernel() {
    if [ -z "$CXX" ]; then
        echo "$1: kernels run on the emulator, which needs a C++ compiler, and none was found: ./setup.sh installs one" >>"$log"
        echo "$1" >>"$dir/failed"
        return
    fi
    awk -f gpu/emulator/translate.awk "$1" >"$2.cpp" 2>>"$log" || echo "$1" >>"$dir/failed"
    for how in checked $plain; do
        # shellcheck disable=SC2086
        attended env LC_ALL=C $limit $CXX "@$out/kernel.flags" "@$out/$how.flags" -c "$2.cpp" -o "${2%.o}.$how" >>"$log" 2>&1 </dev/null ||
            { echo "$1" >>"$dir/failed"; return; }
    done
}

# Links the student's kernels, if there are any, to library $2; $1: checked, plain. The tests need no others; rungs needs all, the
# reference's where the student has none.
link_kernels() {
    find "$dir" -name "*.cu.$1" >"$dir/$1.students"
    [ -s "$dir/$1.students" ] || return 0
    if [ "$what" = rungs ]; then
        sed 's|.*/\(.*\)[.]cu[.].*|/\1.o|' "$dir/$1.students" >"$dir/$1.replaced"
        tr ' ' '\n' <"$out/all.$1.objects" | grep -v -F -f "$dir/$1.replaced" >"$dir/$1.objects"
    else
        cp "$out/$1.objects" "$dir/$1.objects"
    fi
    cat "$dir/$1.students" >>"$dir/$1.objects"
    # shellcheck disable=SC2086
    attended env LC_ALL=C $limit $CXX "@$dir/$1.objects" "@$out/kernel.libraries" -o "$dir/$2" >>"$log" 2>&1
}

# File $2 of lab $1 is missing: says so, and compiles the skeleton of reference $3 as if it were that file.
compile_missing() {
    echo "$2 is missing.$([ -n "${FROM:-}" ] || echo " make reset LAB=$1 brings the skeleton back.")" >>"$dir/missing"
    skeleton=$dir/$1/skeleton/${2##*/}
    mkdir -p "$(dirname "$skeleton")"
    { echo "#line 1 \"$2\""; awk -v MODE=skeleton -f tools/labs_cut.awk "$3"; } >"$skeleton"
    compile "$skeleton" "$dir/$1/${2##*/}.o"
}

# Compiles the student's files of the labs $1, and adds the objects to $objects.
compile_labs() {
    for number in $1; do
        student_files "$number" >"$dir/files"
        helpers >"$dir/helpers"
        while IFS="$tab" read -r reference file <&3; do
            if [ -f "$file" ]; then
                compile "$file" "$dir/$number/${file##*/}.o"
            else
                compile_missing "$number" "$file" "$reference"
            fi
        done 3<"$dir/files"
        while read -r file <&3; do
            compile "$file" "$dir/$number/${file##*/}.o"
        done 3<"$dir/helpers"
    done
    find "$dir" -name '*.c.o' >>"$objects"
    [ ! -s "$dir/failed" ]
}

# The reference objects of every lab but those in $1. A build without MPI has none of mpi/.
other_references() {
    labs_list | cut -f 1,4 | while IFS="$tab" read -r number reference; do
        object=$out/reference/${reference%.c}.o
        case " $1 $reference" in
        *" ${number%%.*} "* | *.cu) ;;
        *" mpi/"*) [ ! -f "$object" ] || echo "$object" ;;
        *) echo "$object" ;;
        esac
    done | sort -u
}

# Compiles and links program $1 (grade, rungs) for the labs $3 in folder $dir; a failure leaves its reason in $log.
build() {
    rm -rf "$dir" && mkdir -p "$dir"
    : >"$log"
    cp "$out/plain.objects" "$objects"
    compile_labs "$2" || return 1
    other_references "$2" >>"$objects"
    if [ "$1" = rungs ]; then
        echo "$BUILD/src/cli/main.o" >>"$objects"
    else
        find "$BUILD/tests/labs" -name 'grade_*.o' >>"$objects"
        for number in $2; do
            find "$BUILD/tests/labs" -name "lab_${number}*.o" >>"$objects"
        done
    fi
    link_kernels checked librungs_emulator_checked.so || return 1
    [ -z "$plain" ] || link_kernels plain librungs_emulator.so || return 1
    # shellcheck disable=SC2086
    attended env LC_ALL=C $limit $CC "@$out/link.flags" "@$objects" "@$out/link.libraries" -o "$dir/$1" >>"$log" 2>&1
}

# Says which files are missing, if any are.
show_missing() {
    [ ! -s "$dir/missing" ] || { echo; cat "$dir/missing"; }
}

show_log() {
    sed 's/^/  /' "$log" | head -n 60
}

# Grades the labs $2 in one program, named $1.
grade() {
    dir=$run/$1
    log=$dir/log objects=$dir/objects
    set -- "$1" "$2" --exercises "$run/exercises" --json "$results" --seed "${SEED:-1}" ${only:+--only "$only"}
    name=$1 members=$2
    shift 2
    case $name in all) choose= ;; *) choose="--lab $name" ;; esac
    built=0
    build grade "$members" || built=1
    show_missing
    if [ $built -ne 0 ]; then
        printf '\nThe program of lab %s cannot be built; 0 points until the compiler has no more errors:\n\n' "$name"
        show_log
        # shellcheck disable=SC2086
        "$out/table" "$@" $choose --broken "$log"
        return 1
    fi
    if [ "$what" = shipped ]; then
        show_log >&2
        # shellcheck disable=SC2086
        attended "$dir/grade" "$@" --quiet --shipped && [ ! -s "$log" ] && [ ! -s "$dir/missing" ]
        return
    fi
    [ ! -s "$log" ] || { printf '\nThe compiler warns:\n\n'; show_log; }
    # Rows of 0 points first: a student's code could end the program before main.
    echo "the program ended before this test: does your code call exit or abort?" >"$dir/unfinished"
    # shellcheck disable=SC2086
    "$out/table" "$@" $choose --broken "$dir/unfinished" --quiet
    attended "$dir/grade" "$@" --finished "$dir/finished" </dev/null
    status=$?
    [ -f "$dir/finished" ] || { printf '\nThe program of lab %s ended before its tests did; those that are missing count 0.\n' "$name"; return 1; }
    [ "$status" = "$(cat "$dir/finished")" ] && return "$status"
    return 1
}

if [ "$what" = rungs ]; then
    dir=$run/$lab
    log=$dir/log objects=$dir/objects
    [ "$lab" = all ] && members=$labs || members=$lab
    if ! build rungs "$members" || [ -s "$dir/missing" ]; then
        show_missing >&2
        show_log >&2
        exit 1
    fi
    show_log
    mkdir -p "$out/$lab" && mv -f "$dir/rungs" "$out/$lab/rungs" || exit 1
    for library in "$dir"/*.so; do
        [ ! -f "$library" ] || mv -f "$library" "$out/$lab" || exit 1
    done
    echo "$out/$lab/rungs is rungs with your files of lab $members in it; try $out/$lab/rungs --help"
    exit 0
fi

mkdir -p "$run" && rm -f "$results" || exit 1
labs_list | while IFS="$tab" read -r number minutes lines reference file title; do
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$number" "$minutes" "$lines" "$reference" "$(student_file "$file")" "$title"
done >"$run/exercises"
worst=0
if [ "$lab" = all ]; then
    grade all "$labs" || worst=1
else
    for each in ${lab:-$labs}; do
        grade "$each" "$each" || worst=1
    done
fi
quiet=
[ -z "$lab" ] || quiet=--quiet
[ "$what" = shipped ] || "$out/table" --check "$results" $quiet ${JUNIT:+--junit "$JUNIT"} || worst=1
[ -n "${JSON:-}" ] || mv -f "$results" "$out/results.json"
exit $worst
