#!/bin/sh
# tools/lectures.sh: what it writes between the markers, and that every mistake in a text is one sentence and exit status 1.
# It runs on a small project of its own in a temporary folder, with a `rungs` that is a script: nothing needs to be built.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 skipped=0

# A new project with one good text, made by `update`.
project() {
    rm -rf "$folder/p"
    mkdir -p "$folder/p/tools" "$folder/p/lectures" "$folder/p/src" "$folder/p/build" "$folder/p/exercises"
    cp "$root/tools/lectures.sh" "$root/tools/lectures.awk" "$folder/p/tools"
    cat >"$folder/p/src/add.c" <<'C'
typedef struct Pair {
    int a, b;
} Pair;

/* The sum. */
int
add(Pair p)
{
    /* BEGIN SOLUTION 01.1 */
    if (p.a) {
        return p.a + p.b;
    }
    /* END SOLUTION */
    return p.b;
}

/* BEGIN LISTING both-of-them */
/* Comes after. */
int
after(void)
{
    return add((Pair){1, 2});
}

int last;
/* END LISTING both-of-them */
int behind;
C
    printf '/* BEGIN LISTING half */\nint\nopen(void)\n{\n    return 1;\n' >"$folder/p/src/endless.c"
    cat >"$folder/p/build/rungs" <<'C'
#!/bin/sh
case $1 in
sum) echo "the sum of $2 and $3 is $(($2 + $3))" ;;
unhappy) echo "did not converge"; exit 1 ;;
*) echo "rungs: no command '$1'" >&2; exit 2 ;;
esac
C
    chmod +x "$folder/p/build/rungs"
    text <<'T'
# A text

See [the source](../src/add.c) and [the end](#the-end-of-it). `[not a link](nowhere.md)`

<!-- listing: src/add.c add -->
<!-- end -->
<!-- listing: src/add.c Pair -->
<!-- end -->
<!-- listing: src/add.c both-of-them -->
<!-- end -->
<!-- output: rungs sum 1 2 -->
<!-- end -->
<!-- measured: rungs sum 3 4 -->
<!-- end -->

```md
<!-- listing: nothing of this block is read -->
[nor](this.md)
# Nor this
```

## The end (of it)
T
    lectures update
}

# The text of the project, from standard input.
text() {
    cat >"$folder/p/lectures/01-a.md"
}

# lectures MODE: runs the tool in the project; the text it printed is in $folder/out and /err.
lectures() {
    status=0
    (cd "$folder/p" && BUILD=build sh tools/lectures.sh "$1") >"$folder/out" 2>"$folder/err" || status=$?
    [ "$status" = 0 ]
}

# check TEXT COMMAND..: one test.
check() {
    name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $name (exit status $status)"
        sed 's/^/    stdout: /' "$folder/out" | head -n 5
        sed 's/^/    stderr: /' "$folder/err" | head -n 5
    fi
}

# has TEXT: a line of the lecture is exactly this.
has() {
    grep -Fqx -e "$1" "$folder/p/lectures/01-a.md"
}

# refuses SENTENCE [MODE]: exit status 1, one line on stderr, which says this; the text is not touched.
refuses() {
    cp "$folder/p/lectures/01-a.md" "$folder/before"
    ! lectures "${2:-check}" && [ "$status" = 1 ] && [ "$(wc -l <"$folder/err")" = 1 ] && grep -Fq -e "$1" "$folder/err" &&
        cmp -s "$folder/before" "$folder/p/lectures/01-a.md"
}

# refuses_text SENTENCE: the same for the text on standard input, by update and by check. The sentence begins with file and line.
refuses_text() {
    text
    refuses "$1" update && refuses "$1" check && grep -q '^lectures/01-a.md' "$folder/err"
}

# stale SENTENCE: exit status 1 and a line that says this (a difference follows).
stale() {
    ! lectures check && [ "$status" = 1 ] && grep -Fq -e "$1" "$folder/err"
}

project
check "update writes the text" grep -q '^updated lectures/01-a.md' "$folder/out"
check "a listing has the line of the return type" has 'int'
check "a listing has the function" has 'add(Pair p)'
check "a listing ends with its function" [ "$(grep -c -x 'after(void)' "$folder/p/lectures/01-a.md")" = 1 ]
check "a region is listed, comments and all" eval 'has "/* Comes after. */" && has "int last;" && ! has "int behind;"'
check "its marks are not" eval '! grep -q LISTING "$folder/p/lectures/01-a.md"'
check "the marks of the labs are left out" eval '! grep -q SOLUTION "$folder/p/lectures/01-a.md"'
check "a struct is listed" has '    int a, b;'
check "an output is run" has 'the sum of 1 and 2 is 3'
check "its command stands above it" has '$ rungs sum 1 2'
check "measured parts are left alone by update" eval '! has "the sum of 3 and 4 is 7"'
check "what update wrote passes check" lectures check
check "the sum of what was checked" grep -q '^lectures: 3 texts and links checked, 0 wrong$' "$folder/out"
cp "$folder/p/lectures/01-a.md" "$folder/once"
check "a second update changes nothing" eval 'lectures update && [ ! -s "$folder/out" ] && cmp -s "$folder/once" "$folder/p/lectures/01-a.md"'
check "measure runs the measured parts" eval 'lectures measure && has "the sum of 3 and 4 is 7" && grep -q "^\*Measured on .* cores, .*\*$" "$folder/p/lectures/01-a.md"'
check "what was measured is kept" eval 'lectures update && has "the sum of 3 and 4 is 7" && lectures check'
check "listings needs no program" eval 'rm "$folder/p/build/rungs" && lectures listings'

project
sed 's/p.b;/p.b + 1;/' "$folder/p/src/add.c" >"$folder/c" && cp "$folder/c" "$folder/p/src/add.c"
check "a stale listing is found" stale 'lectures/01-a.md: a listing or an output is not what the source gives'
project
sed 's/the sum/The sum/' "$folder/p/build/rungs" >"$folder/c" && cat "$folder/c" >"$folder/p/build/rungs"
check "a stale output is found" stale 'lectures/01-a.md: a listing or an output is not what the source gives'
project
lectures measure
sed 's/measured: rungs sum 3 4/measured: rungs sum 3 5/' "$folder/p/lectures/01-a.md" >"$folder/c" && text <"$folder/c"
check "a measured part of another command" refuses 'here stands the output of `rungs sum 3 4`, but the marker above says `rungs sum 3 5`'

project
check "no such function" refuses_text 'no function, type or region subtract in src/add.c' <<'T'
<!-- listing: src/add.c subtract -->
<!-- end -->
T
check "no such file" refuses_text 'lectures/01-a.md:2: there is no file src/none.c to list add from' <<'T'
# Title
<!-- listing: src/none.c add -->
<!-- end -->
T
check "a listing without a name" refuses_text 'a listing needs a file and a name' <<'T'
<!-- listing: src/add.c -->
<!-- end -->
T
check "a function without an end" refuses_text 'the end of open in src/endless.c was not found' <<'T'
<!-- listing: src/endless.c open -->
<!-- end -->
T
check "a region without an end" refuses_text 'the end of half in src/endless.c was not found: no END LISTING' <<'T'
<!-- listing: src/endless.c half -->
<!-- end -->
T
check "an unknown command" refuses_text '`build/rungs nonsense` ended with status 2' <<'T'
<!-- output: rungs nonsense -->
<!-- end -->
T
check "a program that is not there" refuses_text '`no-such-program` ended with status 127' <<'T'
<!-- output: no-such-program -->
<!-- end -->
T
check "no end at the end" refuses_text 'the last generated part has no <!-- end -->' <<'T'
<!-- output: rungs sum 1 2 -->
Text
T
check "no end before the next" refuses_text 'the one before has no <!-- end -->' <<'T'
<!-- output: rungs sum 1 2 -->
<!-- output: rungs sum 1 2 -->
<!-- end -->
T
check "an end without a beginning" refuses_text '<!-- end --> without a beginning' <<'T'
Text
<!-- end -->
T
check "a misspelled kind" refuses_text '<!-- end --> without a beginning: no marker stands above it, or it has a slip' <<'T'
<!-- outptu: rungs sum 1 2 -->
<!-- end -->
T
check "a marker without its colon" refuses_text 'is not a marker: expected' <<'T'
<!-- output rungs sum 1 2 -->
T
check "a marker that is not alone on its line" refuses_text 'is not a marker: expected' <<'T'
<!-- output: rungs sum 1 2 --> below
T
check "a marker that is indented" refuses_text 'is not a marker: expected' <<'T'
  <!-- output: rungs sum 1 2 -->
T
check "an empty marker" refuses_text 'is not a marker: expected' <<'T'
<!-- output:  -->
T
check "a block without an end" refuses_text 'a block that ``` opened has no end' <<'T'
```c
int a;
T

project
text <<'T'
A command that ends with 1 is a result.
<!-- output: rungs unhappy -->
<!-- end -->
T
check "exit status 1 is a result" eval 'lectures update && has "did not converge" && lectures check'

text <<'T'
See [this](../src/none.c).
T
check "a broken link" refuses 'lectures/01-a.md: the link ../src/none.c leads nowhere'
text <<'T'
![A picture](figures/none.svg)
T
check "a picture that is not there" refuses 'lectures/01-a.md: the link figures/none.svg leads nowhere'
text <<'T'
![](../src/add.c)
T
check "a picture without a text" refuses 'lectures/01-a.md: a picture has no text in its brackets'
text <<'T'
## Here

See [there](#there).
T
check "a broken anchor" refuses 'lectures/01-a.md: lectures/01-a.md has no heading for #there'
text <<'T'
## Here and there

See [there](#here).
T
check "a part of an anchor is not enough" refuses 'lectures/01-a.md has no heading for #here'
printf '# Other\n\n```sh\n# there\n```\n' >"$folder/p/lectures/02-b.md"
text <<'T'
See [there](02-b.md#there).
T
check "a comment in a block is no heading" refuses 'lectures/02-b.md has no heading for #there'
text <<'T'
See [other](02-b.md#other) and [the web](https://example.org/nothing).
T
check "a good anchor in another text" lectures check
printf 'See [this](none.md).\n' >"$folder/p/exercises/README.md"
check "the README of the exercises is checked too" refuses 'exercises/README.md: the link none.md leads nowhere'

project
check "an unknown mode" eval '! lectures nonsense && [ "$status" = 2 ] && grep -q "is not one of update, measure, listings, check" "$folder/err"'

echo "lectures: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
