#!/bin/sh
# The machinery of the labs, tried with made-up student files: what each one scores, and that no file can score without being right,
# end the grading, or spoil results.json. SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 1
name=machinery
# shellcheck source=tests/labs/labs.sh
. tests/labs/labs.sh
reference=src/perceptron.c
if is_handout; then
    skip 1 "machinery: this is a handout, without the solutions that the test starts from"
    finish
fi
build_objects

# A student's folder with the solution of lab 01, and $2 inserted as the first statement of exercise $1.
student() {
    rm -rf "$work/student" && mkdir "$work/student"
    {
        printf '#include <%s.h>\n' pthread stdio stdlib string unistd
        code=$2 awk -v number="$1" '{ print } /BEGIN SOLUTION/ && $4 == number { print ENVIRON["code"] }' $reference
    } >"$work/student/perceptron.c"
}

# grades NAME POINTS STATUS [TEXT]: the student's folder scores this much, ends so, and the table says TEXT.
grades() {
    status=0
    FROM=$work/student LAB=${LAB:-01} JSON=$work/results.json JUNIT=$work/junit.xml sh tools/labs_grade.sh grade \
        >"$work/log" 2>&1 || status=$?
    "$BUILD/labs/table" --check "$work/results.json" >>"$work/log" 2>&1
    grep -q "^All labs: $2 of ${MOST:-100} points\$" "$work/log" && [ $status -eq "$3" ] && grep -q -e "${4:-}" "$work/log" &&
        [ "$(grep -c '<testcase' "$work/junit.xml")" -eq "$(grep -c '"max_score"' "$work/results.json")" ]
    verdict $? "$1"
}

# ---- what is right, and what is not yet there ---------------------------------------------------------------------------
student none ''
grades "the solution scores all" 100 0
SEED=7 grades "another seed, other inputs" 100 0
LAB=01.2 MOST=30 grades "one exercise alone" 30 0
awk -v MODE=skeleton -f tools/labs_cut.awk $reference >"$work/student/perceptron.c"
grades "the skeleton scores nothing and says where to write" 0 1 'exercise 01.1 is not solved yet: write your lines at .*/perceptron.c:[0-9]'
awk '/EXERCISE_NOT_SOLVED\("01.1"\)/ { print "double z = w[0]; for (size_t j = 1; j <= n; j++) z += w[j] * x[j - 1]; return perceptron_sign(z);"; next } { print }' \
    "$work/student/perceptron.c" >"$work/half.c" && mv "$work/half.c" "$work/student/perceptron.c"
grades "the first exercise alone scores its points" 30 1 '01.2 is not solved yet'
student 01.1 'return 1;'
grades "a constant answer scores nothing but the sign of 0" 10 1 'x_2 alone, x = (0, 0): got 1, want -1\|got 1, want -1'
student 01.2 'r *= 2;'
grades "a wrong factor" 40 1 'of 2 wrong, first'
says 'It uses 01.2, which is not right yet: look there first'
verdict $? "a consequence names its cause"
awk -v MODE=skeleton -f tools/labs_cut.awk src/mlp.c | grep -v 'EXERCISE_NOT_SOLVED(' >"$work/student/mlp.c"
cp cpu/softmax/softmax_gradient.c "$work/student"
LAB=02 grades "what is not written is called so" 20 1 'z^2: 2 of 2 wrong, first \[0\]: not written, want 0.3775'
[ "$(grep -c '^ *z^2.*not written' "$work/log")" -eq 1 ] && says 'as above' && ! says 'got nan'
verdict $? "the same failure is told once"
sed 's/double z = mlp->b\[l\]\[j\];/double z = mlp->z[l][j];/' src/mlp.c >"$work/student/mlp.c"
LAB=02 grades "what is computed from an unwritten number" 75 1 'first \[0\]: computed from a number never written, want'
student 01.3 'if (max_epochs == 0) { for (volatile int i = 0;; i = 0) ; }'
grades "an endless loop costs one test" 90 1 'it did not end within 2 s'

# ---- what must not score ------------------------------------------------------------------------------------------------
student 01.3 '*(volatile int *)8 = 1;'
grades "a crash" 60 1 'signal 11\|a sanitizer stopped it'
student 01.3 'exit(0);'
grades "exit(0)" 60 1 'was ended (exit'
student 01.3 '_exit(0);'
grades "_exit(0)" 60 1 'was ended (exit'
student 01.3 'exit(3);'
grades "exit(3)" 60 1 'exit status 3'
student 01.3 'abort();'
grades "abort()" 60 1 'signal 6'
student 01.3 'pthread_exit(NULL);'
grades "pthread_exit" 60 1 'of the test\|a sanitizer stopped it'
student none ''
echo '__attribute__((constructor)) static void quit(void) { _exit(0); }' >>"$work/student/perceptron.c"
grades "_exit(0) before main" 0 1 'ended before its tests did'
student none ''
echo 'int broken(' >>"$work/student/perceptron.c"
grades "a file that does not compile" 0 1 'perceptron.c:[0-9]*:[0-9]*: error'
sed 's/^perceptron_update(/perceptron_update_2(/' $reference >"$work/student/perceptron.c"
grades "a function that is missing" 0 1 perceptron_update
rm "$work/student/perceptron.c"
grades "a file that is missing is called so" 0 1 "^$work/student/perceptron.c is missing.\$"
! says 'cannot be built'
verdict $? "a missing file is no compile error"
grep -q '"output":.*student/perceptron.c is missing' "$work/results.json"
verdict $? "results.json says so too"
student none ''
mkdir "$work/student/01-perceptron"
grades "an empty folder hides no file" 100 0
mv "$work/student/perceptron.c" "$work/student/01-perceptron/"
grades "files in the lab's own folder" 100 0
rm -rf "$work/student" && mkdir "$work/student" && cp src/mlp.c "$work/student"
LAB=02 grades "one of two files is missing: it costs its own points" 80 1 'student/softmax_gradient.c is missing'
BUILD=$BUILD LAB=02 FROM=$work/student sh tools/labs_grade.sh rungs >"$work/log" 2>&1
[ $? -eq 1 ] && says 'softmax_gradient.c is missing'
verdict $? "lab-rungs wants all files"

# ---- what must not disturb ----------------------------------------------------------------------------------------------
student 01.1 'printf("{\"score\": 100}\n\001\033[31m\377\376<&>\xc3\xa9"); fprintf(stderr, "]]>\n");'
grades "garbage on stdout and stderr beside right answers" 100 0
student 01.1 'printf("{\"score\": 100}\n\001\033[31m\377\376<&>\xc3\xa9"); fprintf(stderr, "]]>\n"); return 7;'
grades "garbage beside wrong answers" 0 1 '{"score": 100}'
LC_ALL=C tr -d '\t\n -~\303\251' <"$work/results.json" >"$work/log"
[ ! -s "$work/log" ]
verdict $? "results.json holds nothing but text"
student 01.1 'fclose(stdout); close(1); close(2);'
grades "closed stdout and stderr" 100 0
student 01.3 'for (;;) if (printf("%4000d\n", 1) < 0) break;'
grades "printing without end" 60 1 'it printed more than 16 MiB\|did not end'
if grep -q fsanitize "$BUILD/labs/compile.flags"; then
    skipped=$((skipped + 1))
    echo "skipped the limit of memory: sanitizers need terabytes of addresses"
else
    student 01.3 'char *volatile p = malloc((size_t)3 << 30); p[0] = 1;'
    grades "3 GiB are too much" 60 1 'signal 11'
fi

# ---- calls --------------------------------------------------------------------------------------------------------------
student none ''
for wrong in 09 01.9 x; do
    LAB=$wrong sh tools/labs_grade.sh grade >"$work/log" 2>&1
    [ $? -eq 2 ] && grep -q 'there is no\|there are' "$work/log"
    verdict $? "LAB=$wrong is refused, with what exists"
done
for expect in 'Hint 1 of' 'Hint 2 of' 'Hint 3 of 3: the last one' 'There are no more hints'; do
    LAB=1.1 sh tools/labs_hint.sh >"$work/log" 2>&1
    grep -q "$expect" "$work/log"
    verdict $? "hints come one by one: $expect"
done
LAB=01 sh tools/labs_hint.sh >"$work/log" 2>&1
grep -q '01.3  3 hints' "$work/log"
verdict $? "a lab's hints are counted"

# cut_refuses TEXT FILE'S TEXT: wrong marks get a sentence with the line.
cut_refuses() {
    printf '%b' "$2" >"$work/marks.c"
    ! awk -v MODE=list -f tools/labs_cut.awk "$work/marks.c" >"$work/log" 2>&1 && grep -q "marks.c:$1" "$work/log"
    verdict $? "marks: $1"
}
text='/* EXERCISE 01.1  One (1 min, about 1 line)\n */\n'
cut_refuses '3: END SOLUTION without' "$text/* END SOLUTION */\n"
cut_refuses '3: BEGIN SOLUTION 01.1 has no END' "$text/* BEGIN SOLUTION 01.1 */\n"
cut_refuses '4: BEGIN SOLUTION 01.1 inside' "$text/* BEGIN SOLUTION 01.1 */\n/* BEGIN SOLUTION 01.1 */\n/* END SOLUTION */\n"
cut_refuses '3: BEGIN SOLUTION 01.2 has no comment' "$text/* BEGIN SOLUTION 01.2 */\n/* END SOLUTION */\n"
cut_refuses '1: EXERCISE 01.1 has no BEGIN' "$text"
cut_refuses '1: expected' '/* EXERCISE 01.1  One (soon)\n */\n/* BEGIN SOLUTION 01.1 */\n/* END SOLUTION */\n'
cut_refuses '3: a mark must stand alone' "${text}x = 1; /* BEGIN SOLUTION 01.1 */\n/* END SOLUTION */\n"
cut_refuses '5: expected .* INSTEAD 01.1' "$text/* BEGIN SOLUTION 01.1 */\n/* END SOLUTION */\n/* INSTEAD 01.2\n*/\n"
cut_refuses '5: INSTEAD has no line' "$text/* BEGIN SOLUTION 01.1 */\n/* END SOLUTION */\n/* INSTEAD 01.1\nx = 1;\n"
printf '%b' "$text/* BEGIN SOLUTION 01.1 */\nright;\n/* END SOLUTION */\n/* INSTEAD 01.1\nwrong;\n*/\nlast;\n" >"$work/a.c"
awk -v MODE=skeleton -f tools/labs_cut.awk "$work/a.c" | sed '1,/EXERCISE 01.1  One/d' >"$work/log"
[ "$(paste -s -d ' ' "$work/log")" = ' */ EXERCISE_NOT_SOLVED("01.1"); /* TODO: take this line away, and find the mistake */ wrong; last;' ]
verdict $? "a mistake to be found stands behind the line that is to be taken away"
printf '%b' "$text/* BEGIN SOLUTION 01.1 */\n/* END SOLUTION */\n" >"$work/a.c"
cp "$work/a.c" "$work/b.c"
! awk -v MODE=list -f tools/labs_cut.awk "$work/a.c" "$work/b.c" >"$work/log" 2>&1 && grep -q 'already in .*a.c:1' "$work/log"
verdict $? "the same exercise in two files"
finish
