#!/bin/sh
# `make labs-check`, for changes of a lab: exercises/ is what the tool cuts, every skeleton compiles without a warning and
# fails every test by naming its exercise, file and line, every solution scores full marks, every exercise has tests, hints and a
# place in its README, every last hint names the place in the lecture, and no line of a solution stands in a test that students get.
# A line for each kind of proof; the exit status is 1 if one fails. SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/labs_lib.sh
work=$BUILD/labs/check
failures=0

# proved COMMAND'S STATUS, WHAT
proved() {
    if [ "$1" -eq 0 ]; then
        echo "ok      $2"
    else
        echo "FAILED  $2"
        failures=$((failures + 1))
    fi
}

list=$(labs_list)
proved $? "marks in reference files: $(echo "$list" | wc -l | tr -d ' ') exercises in $(labs_references | wc -l | tr -d ' ') files"
[ $failures -eq 0 ] || exit 1
for exercise in $(echo "$list" | cut -f 5 | sort -u); do
    if blanked "$(echo "$list" | awk -F '\t' -v e="$exercise" '$5 == e { print $4; exit }')"; then
        echo "this is a handout: $exercise has no solution here, so there is nothing to prove"
        exit 0
    fi
done

# Is exercise file $1 the skeleton that was just cut? If not: is it a student's, or an old one?
is_fresh() {
    cmp -s "$work/$1" "$1" && return
    if [ ! -f "$1" ]; then
        echo "$1 is missing: make labs" >&2
    elif [ "$(grep -c 'EXERCISE_NOT_SOLVED(' "$1")" -lt "$(grep -c 'EXERCISE_NOT_SOLVED(' "$work/$1")" ]; then
        echo "$1 holds somebody's solution. Put the skeleton back with" >&2
        echo "    make reset LAB=$(echo "$1" | cut -c 11-12) FILE=${1##*/}" >&2
        echo "which keeps that version in .rungs/backup." >&2
    else
        echo "$1 is not what is cut from the reference now; make labs cuts it again. The difference begins:" >&2
        diff "$1" "$work/$1" | head -n 10 >&2
    fi
    return 1
}

# Lines of the solutions, without blanks, that are long enough to be an answer and stand in a test of the labs.
leaks() {
    # shellcheck disable=SC2046
    awk '/BEGIN SOLUTION/ { inside = 1; next } /END SOLUTION/ { inside = 0 } { gsub(/[ \t]/, "") }
        inside && length($0) > 15 && /=/ && !/^(for|while|if|size_t|int)/' $(labs_references) >"$work/answers"
    for file in tests/labs/*.[ch]; do
        tr -d ' \t' <"$file" | grep -n -F -f "$work/answers" | sed "s|^|$file:|"
    done
}

# The lecture and heading that the last hint of exercise $1 in file $2 names: lectures/01-perceptron.md, "The rule".
hint_leads() {
    place=$(awk -v want="$1" '/^## / { inside = $2 == want } inside && match($0, /lectures\/[^ ,]*, "[^"]*"/) {
        last = substr($0, RSTART, RLENGTH) } END { print last }' "$2")
    heading=${place#*, \"}
    [ -n "$place" ] && grep -q -x -F "## ${heading%\"}" "${place%%,*}"
}

# Grades the solutions of lab $1. All points, but where speed is graded any will do: how fast a solution is depends on the machine,
# and on who else uses it. Shows what was said if a point is missing.
solved() {
    FROM=solutions LAB=$1 JSON=$2 sh tools/labs_grade.sh grade >"$work/log" && return
    awk '/^ *[0-9]+\.[0-9]+ .* [0-9.]+\/[0-9]+ +[0-9.]+ s$/ {
             split($(NF - 2), points, "/")
             tests++
             if (points[1] != points[2] && !(/ speed / && points[1] > 0)) lost = 1
         }
         END { exit lost || !tests }' "$work/log" && return
    cat "$work/log"
    return 1
}

rm -rf "$work" && mkdir -p "$work"
sh tools/labs_cut.sh "$work" >/dev/null || exit 1
for exercise in $(echo "$list" | cut -f 5 | sort -u); do
    is_fresh "$exercise"
    proved $? "$exercise is freshly cut"
    solution=solutions/${exercise#exercises/}
    cmp -s "$work/$solution" "$solution"
    proved $? "$solution includes the reference"
done
[ -z "$(leaks)" ] || { leaks >&2; false; }
proved $? "no line of a solution stands in tests/labs"

for lab in $(labs_all); do
    FROM=$work/exercises LAB=$lab JSON=$work/shipped.json sh tools/labs_grade.sh shipped
    proved $? "lab $lab: skeletons compile without a warning, and each test fails as \`not solved\`, with file and line"
    solved "$lab" "$work/solved.json"
    proved $? "lab $lab: the solutions score $(awk '$1 == "total" { print $2 }' "$work/log") points"

    folder=$(lab_folder "$lab")
    [ -f "$folder/README.md" ] && [ -f "$folder/hints.md" ] && [ -f "solutions/${folder#exercises/}/answers.md" ]
    proved $? "lab $lab: README.md, hints.md and the answers are there"
    for number in $(echo "$list" | cut -f 1 | grep "^$lab\\."); do
        grep -q "\"number\":[^\"]*\"$number\"" "$work/solved.json"
        proved $? "$number has a test"
        hints=$(awk -v want="$number" '/^## / { inside = $2 == want } inside && /^[0-9]+\. / { n++ } END { print n + 0 }' "$folder/hints.md")
        [ "$hints" -ge 2 ] && grep -q -F "$number" "$folder/README.md"
        proved $? "$number has $hints hints and stands in $folder/README.md"
        hint_leads "$number" "$folder/hints.md"
        proved $? "the hints of $number name a place in the lecture"
    done
    strangers=$(awk '/^## / { print $2 }' "$folder/hints.md" | while read -r number; do
        echo "$list" | grep -q "^$number$tab" || echo "$number"
    done)
    [ -z "$strangers" ]
    proved $? "lab $lab: hints.md has no exercise that does not exist${strangers:+, but $strangers}"
done
solved all "$work/all.json"
proved $? "all labs in one program, with every solution"

echo "labs-check: $failures failed"
[ $failures -eq 0 ]
