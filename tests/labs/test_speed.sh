#!/bin/sh
# Points for speed, tried with the made-up labs of samples/speed.c: shares, too noisy, and what ends the timed code.
# SPDX-License-Identifier: MIT
# Alone: it measures.
set -u
cd "$(dirname "$0")/../.." || exit 1
name=speed
# shellcheck source=tests/labs/labs.sh
. tests/labs/labs.sh
build_objects
out=$BUILD/labs
CC=$(cat "$out/compiler")
program=$work/speed

# shellcheck disable=SC2046,SC2086
$CC "@$out/compile.flags" -I. -c tests/labs/samples/speed.c -o "$work/speed.o" >"$work/log" 2>&1 &&
    $CC "@$out/link.flags" "$work/speed.o" $(find "$BUILD/tests/labs" -name 'grade_*.o') $(find "$out/reference" -name '*.o') \
        "@$out/plain.objects" "@$out/link.libraries" -o "$program" >>"$work/log" 2>&1
verdict $? "the labs compile without an error"
[ -x "$program" ] || finish

# grade STATUS OPTION..: runs the tests; true if it ends with this status.
grade() {
    want=$1
    shift
    rm -f "$work/results.json" "$work/junit.xml"
    status=0
    "$program" --json "$work/results.json" "$@" >"$work/log" 2>&1 || status=$?
    "$program" --check "$work/results.json" --junit "$work/junit.xml" >>"$work/log" 2>&1
    [ $status = "$want" ]
}

# field TITLE NAME: what results.json says of a test; nothing if it has no such field. Each field stands in a line of its own.
field() {
    awk -F '":[ \t]*' -v title="  $1" -v field="\"$2" '
        /^\t\t\}/ && found { print text; exit }
        /\{$/ && !/"(extra_data|ratio)"/ { text = ""; found = 0 }
        { name = $1; gsub(/[ \t]/, "", name) }
        name == field { text = $2; sub(/,$/, "", text) }
        name == "\"name" && index($2, title "\"") + index($2, title " (") > 0 { found = 1 }' "$work/results.json"
}

if grep -q fsanitize "$out/compile.flags"; then
    grade 1 --lab 90
    says 'Not graded: sanitizers'
    verdict $? "sanitized programs are not graded for speed"
    skip 20 "points for speed: sanitizers change how fast a program is"
    finish
fi

grade 1 --lab 90
verdict $? "less than all points is status 1"
row 10/10 "the share is continuous"
verdict $? "the share is continuous"
row 0/10 "slower than none" && says '31 samples: 0.5 times as fast (0.5 to 0.5); 1 gives no points, 4 gives all'
verdict $? "slower than the scale: no points, and the sentence says why"
row 5/10 "half of it"
verdict $? "2 of 1 to 4: half of the points"
row 10/10 "nearly all" && [ "$(field 'nearly all' status)" = '"passed"' ]
verdict $? "a hundredth of a point is not missed"
row 10/10 "faster than full" && says 'all: 5 times as fast'
verdict $? "faster than the scale: all points, and how fast it is"
row 10/10 "noisy, but fast enough"
verdict $? "noise does not matter where every answer gives the same points"
row -/20 "too noisy" && says 'Too noisy to grade'
verdict $? "too noisy: neither points nor loss"
row -/30 "not a number"
verdict $? "NaN is too noisy"
row 0/10 "wrong behind it" && says 'fast, but wrong'
verdict $? "a wrong result gives no points, however fast"
row 0/10 "a crash behind it" && says 'signal 11'
verdict $? "a crash behind the measurement gives no points"
row 0/10 "twice"
verdict $? "a second grade_speed is a mistake of the lab's author"
says 'total  *45/90 ' && says 'Another 50 points were too noisy to grade: neither won nor lost' && says 'All labs: 45 of 90 points'
verdict $? "sums leave out what is too noisy"
[ -z "$(field 'too noisy' score)$(field 'too noisy' max_score)$(field 'too noisy' status)" ] && [ "$(field 'too noisy' points)" = 20 ] &&
    [ "$(field 'half of it' score)" = 5 ] && [ "$(field 'half of it' max_score)" = 10 ] && [ "$(field 'half of it' status)" = '"failed"' ]
verdict $? "results.json: scores, but for the tests that are too noisy"
grep -q '^[[:blank:]]"score":[[:blank:]]70,\{0,1\}$' "$work/results.json"
verdict $? "results.json: the sum is scaled to all points: 45 of 90 are 70 of 140"
[ "$(field 'half of it' value)" = 2 ] && [ "$(field 'half of it' low)" = 2 ]
verdict $? "results.json: the ratio and its interval"
grep -q 'failures="5" errors="0" skipped="2"' "$work/junit.xml" && [ "$(grep -c '<skipped message=' "$work/junit.xml")" -eq 2 ] &&
    grep -q '<failure message="5 of 10 points: ' "$work/junit.xml"
verdict $? "JUnit: too noisy is skipped, a part of the points is a failure that says so"
grade 0 --lab 90 --only 90.2
verdict $? "all points but for what is too noisy is status 0"
grade 1 --lab 90 --only 90.3 && grep -q '^[[:blank:]]"score":[[:blank:]]0,\{0,1\}$' "$work/results.json" && says 'All labs: 0 of 0 points'
verdict $? "nothing that could be graded is status 1"

grade 1 --lab 91
row '[-0-9.]*/10' measured && says 'yours against slow, 1000: [-+.0-9a-z]* times as fast'
verdict $? "a rung is measured against the first"
row 0/10 "wrong in a timed call" && says 'timed output of round'
verdict $? "wrong in a timed call"
row 0/10 "a crash in a timed call" && says 'signal 11'
verdict $? "a crash in a timed call costs that test"
row 0/10 "an endless loop in a timed call" && says 'did not end within 3 s'
verdict $? "an endless loop in a timed call costs that test"
row 0/10 "not solved" && says 'exercise 91.5 is not solved yet'
verdict $? "an unsolved exercise"
row 0/10 refused && says 'yours, 1000: no size is good enough, 1000 neither'
verdict $? "a rung that refuses the size"
finish
