#!/bin/sh
# Every command of the lectures' sections "Measure it" and of README.md is one that this program takes: its ladder, rungs, sizes and
# options exist. Each is started, and ended if it is not done in some seconds: what is wrong in a command shows before it measures.
# Targets of make must be in the Makefile.
# SPDX-License-Identifier: MIT
# Thorough: runs the commands of lectures.
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"

# Whether a command is one does not depend on the build, and under a sanitizer each takes ten times as long.
if grep -q __asan_init "$rungs"; then
    echo "skipped all: a build with sanitizers"
    echo "tools/measure it: 0 passed, 0 failed, 1 skipped"
    exit 0
fi

# Commands, one a line behind the text they stand in: what is between ` ` in "Measure it", the lines of a ```sh block in README.md. An
# option alone belongs to the command before it in the same item, or in the item before where this one says "the same".
commands() {
    awk '
        function found(text) {
            gsub(/  +/, " ", text)
            sub(/ *#.*/, "", text)
            sub(/ *(\||>).*/, "", text) # not in a quoted text: none of these commands has one
            if (text ~ /^--[a-z-]+ [^ ]/) { if (last != "") print FILENAME "\t" last " " text; return }
            if (text !~ /^([A-Z_]+=[^ ]+ )*(sh tools\/mpirun\.sh [0-9]+ )?(build\/)?rungs [a-z]/ && text !~ /^make( |$)/) return
            if (text !~ /^make/) last = text
            print FILENAME "\t" text
        }
        FNR == 1 { measure = 0; last = ""; section = "" }
        FILENAME == "README.md" { if (/^```/) block = $0 == "```sh"; else if (block) found($0); next }
        /^## / { split_section(); measure = /^## Measure it/ }
        measure { section = section (/^[0-9]+\. / ? "\001" : " ") $0 }
        function split_section(    n, i, m, j, item, part) {
            n = split(section, item, "\001")
            for (i = 2; i <= n; i++) {
                if (item[i] !~ /[Tt]he same|Run it again|Run that/) last = ""
                m = split(item[i], part, "`")
                for (j = 2; j <= m; j += 2) found(part[j])
            }
            section = ""
        }
    ' README.md lectures/*.md | sort -u
}

targets=$(make help 2>/dev/null | awk '{ print $1 }')
has_target() { printf '%s\n' "$targets" | grep -qx -- "$1"; }

# start SECONDS COMMAND: beside the others, eight at once, in a folder of its own. $text: its path.
started=0
start() {
    started=$((started + 1))
    here=$folder/$started
    mkdir "$here"
    printf '%s: %s\n' "$text" "$2" >"$here.text"
    ln -s "$PWD/tools" "$PWD/data" "$PWD/Makefile" "$here/"
    ln -s "${rungs%/rungs}" "$here/build"
    (
        status=0
        cd "$here" && timeout -k 5 "$1" sh -c "$2" >out 2>err </dev/null || status=$?
        echo "$status" >status
    ) &
    [ $((started % 8)) != 0 ] || wait
}
# A wrong option or name is refused at once, with status 2. 124: the time was up, so it was at work.
was_taken() { # NUMBER
    status=$(cat "$folder/$1/status")
    cp "$folder/$1/out" "$folder/$1/err" "$folder/"
    case $status in 0 | 124 | 143) return 0 ;; esac
    # What is missing on this machine is not the command's fault.
    [ "$status" = 1 ] && grep -Eq 'gnuplot|not installed|no GPU|without MPI|no emulator|loads no libraries|no torch|make data' "$folder/err" "$folder/out"
}
is_refused() { ! was_taken "$1" && [ "$status" = 2 ]; }

tab=$(printf '\t')
commands >"$folder/all"
{
    grep mpirun.sh "$folder/all"
    grep -v mpirun.sh "$folder/all"
    printf 'wrong\tbuild/rungs bench gemm --rungs naive,nothing\nwrong\tbuild/rungs train mlp --nothing 1\n'
} >"$folder/commands"
check "there are commands to try" [ "$(wc -l <"$folder/commands")" -ge 60 ]
mpi=$(command -v "${MPIRUN:-mpirun}")
while IFS=$tab read -r text command; do
    case $command in
    make*)
        for word in ${command%%\"*}; do
            case $word in
            make | *=*) ;;
            *) check "$text: make $word" has_target "$word" ;;
            esac
        done
        ;;
    *"--device gpu"*) ;;
    rungs*) start 2 "build/$command" ;;
    *mpirun.sh*) [ -z "$mpi" ] || start 6 "$command" ;;
    *) start 2 "$command" ;;
    esac
done <"$folder/commands"
wait
for i in $(seq "$started"); do
    case $(cat "$folder/$i.text") in
    wrong*) check "$(cat "$folder/$i.text")" is_refused "$i" ;;
    *) check "$(cat "$folder/$i.text")" was_taken "$i" ;;
    esac
done
finish "tools/measure it"
