# Cuts labs out of reference files. A reference file marks what a student is to write:
#
#     /* EXERCISE 01.1  Predict (10 min, about 4 lines)
#      * What to compute. */
#     int
#     perceptron_predict(const double *w, const double *x, size_t n)
#     {
#         /* BEGIN SOLUTION 01.1 */
#         ...
#         /* END SOLUTION */
#     }
#
#   awk -v MODE=list     -f tools/labs_cut.awk FILE..   a line for each exercise: number, minutes, lines, file, title (tabs between)
#   awk -v MODE=skeleton -f tools/labs_cut.awk FILE     the student's copy: a header, and EXERCISE_NOT_SOLVED for each region
#   awk -v MODE=blank    -f tools/labs_cut.awk FILE     the same file with empty regions, marks kept: what a handout holds
#
# Blanking changes nothing that the other two modes print, so that all of this also works inside a handout. An exercise may have
# several parts in one file, each with its own text. Wrong marks get a sentence each; the exit status is then 1.
#
# Where a mistake is to be found, what students get instead stands behind the solution, as a comment:
#
#     /* INSTEAD 05.4
#     ...
#     */
#
# They take the line EXERCISE_NOT_SOLVED away and fix what stands below it.
# SPDX-License-Identifier: MIT

function fail(line, sentence) {
    printf "%s:%d: %s\n", file, line, sentence > "/dev/stderr"
    failed = 1
}

function well_formed(number) {
    return number ~ /^[0-9][0-9]\.[1-9][0-9]*$/
}

function lines_text(n) {
    return "about " n (n == 1 ? " line" : " lines")
}

# What the file that has just ended still owes.
function end_file() {
    if (file == "")
        return
    if (open_number != "")
        fail(open_line, "BEGIN SOLUTION " open_number " has no END SOLUTION below it")
    else if (waiting)
        fail(text_line, "EXERCISE " text_number " has no BEGIN SOLUTION " text_number " below it")
    if (instead)
        fail(instead, "INSTEAD has no line `*/` below it")
}

function start_file() {
    end_file()
    file = FILENAME
    open_number = text_number = lab = ""
    includes = insert_after = unsolved_at = instead = 0
    unsolved_header = FILENAME ~ /\.cu$/ ? "gpu/unsolved.h" : "core/checked.h"
    waiting = 0
}

# The line "/* EXERCISE 01.1  Predict (10 min, about 4 lines)".
function read_text(    title, numbers, word) {
    if (waiting)
        fail(text_line, "EXERCISE " text_number " has no BEGIN SOLUTION " text_number " before the next exercise, in line " FNR)
    text_number = $3
    text_line = FNR
    waiting = 1
    title = $0
    sub(/^\/\* EXERCISE [^ ]+ */, "", title)
    if (!well_formed(text_number) || !match(title, /\([0-9]+ min, about [0-9]+ lines?\)/)) {
        fail(FNR, "expected `/* EXERCISE 01.1  Title (10 min, about 4 lines)`")
        text_lines = 0
        return
    }
    numbers = substr(title, RSTART + 1, RLENGTH - 2)
    title = substr(title, 1, RSTART - 1)
    sub(/ +$/, "", title)
    split(numbers, word, /[^0-9]+/)
    text_lines = word[2]
    if (lab != "" && lab != substr(text_number, 1, 2))
        fail(FNR, "EXERCISE " text_number " stands in a file of lab " lab "; a reference file belongs to one lab")
    lab = substr(text_number, 1, 2)
    add_exercise(title, word[1], word[2])
}

function add_exercise(title, minutes, lines) {
    if (!(text_number in owner)) {
        owner[text_number] = file
        first_line[text_number] = FNR
        order[++exercises] = text_number
        titles[text_number] = title
    } else if (owner[text_number] != file) {
        fail(FNR, "EXERCISE " text_number " is already in " owner[text_number] ":" first_line[text_number] "; take another number")
    } else {
        sub(/,.*/, "", titles[text_number]) # "Backpropagate, first half: the errors"
    }
    total_minutes[text_number] += minutes
    total_lines[text_number] += lines
}

function begin_region(number) {
    if (open_number != "") {
        fail(FNR, "BEGIN SOLUTION " number " inside the solution of " open_number " that line " open_line " began; end that one first")
        return
    }
    if (!well_formed(number))
        fail(FNR, "expected `/* BEGIN SOLUTION 01.1 */`, alone in its line")
    else if (!waiting || number != text_number)
        fail(FNR, "BEGIN SOLUTION " number " has no comment `EXERCISE " number "  Title (10 min, about 4 lines)` of its own above it")
    open_number = number
    open_line = FNR
    waiting = 0
}

function end_region(number) {
    if (open_number == "")
        fail(FNR, "END SOLUTION without a BEGIN SOLUTION above it")
    else if (number != "*/" && number != open_number)
        fail(FNR, "END SOLUTION " number " ends the solution of " open_number ", which line " open_line " began")
    open_number = ""
}

function keep(line) {
    out[++kept] = line
    if (line ~ /^#include /)
        remember_include(line)
}

# Where the #include of EXERCISE_NOT_SOLVED belongs: behind the file's own header, in the order of the alphabet.
function remember_include(line,    own) {
    own = file
    sub(/.*\//, "", own)
    sub(/\.[a-z]+$/, ".h\"", own)
    if (index(line, "#include \"" unsolved_header "\"") == 1)
        has_unsolved = 1
    if (index(line, "\"" own) || index(line, "/" own) || (line ~ /^#include "/ && line < "#include \"" unsolved_header "\""))
        insert_after = kept
    else if (!includes)
        insert_after = kept - 1
    includes++
}

function print_header(    which) {
    which = exercises == 1 ? "exercise " order[1] : "exercises " order[1] " to " order[exercises]
    printf "/* LAB %s, %s. This copy of %s is yours to complete: it takes that file's place\n", lab, which, file
    print " * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:"
    print " *"
    printf " *     make grade LAB=%s       points for each exercise, and the first wrong value\n", lab
    printf " *     make hint LAB=%-10sthe next hint for an exercise\n", order[1]
    printf " *     make watch LAB=%s       grade again whenever this file is saved\n", lab
    printf " *     make reset LAB=%s       begin again; your version is kept in .rungs/backup\n", lab
    print " *"
    printf " * Teachers: `make labs` cuts this file from %s; change it there. */\n", file
}

FNR == 1 {
    start_file()
}

/^\/\* EXERCISE / {
    read_text()
}

/(BEGIN|END) SOLUTION/ && $0 !~ /^ *\/\* (BEGIN SOLUTION [^ ]+|END SOLUTION( [^ ]+)?) \*\/$/ {
    fail(FNR, "a mark must stand alone in its line: `/* BEGIN SOLUTION 01.1 */` or `/* END SOLUTION */`")
    next
}

/BEGIN SOLUTION/ {
    begin_region($4)
    if (MODE == "blank")
        keep($0)
    indent = $0
    sub(/[^ ].*/, "", indent)
    keep(indent "EXERCISE_NOT_SOLVED(\"" open_number "\"); /* TODO: " lines_text(text_lines) " */")
    unsolved_at = kept
    next
}

/END SOLUTION/ {
    end_region($4)
    if (MODE == "blank")
        keep($0)
    next
}

/^ *\/\* INSTEAD/ {
    if ($3 != text_number || NF != 3 || open_number != "" || waiting)
        fail(FNR, "expected `/* INSTEAD " text_number "`, alone in its line, behind END SOLUTION")
    instead = FNR
    if (MODE == "skeleton") {
        sub(/\/\* TODO.*/, "/* TODO: take this line away, and find the mistake */", out[unsolved_at])
        next
    }
}

instead && /^ *\*\/$/ {
    instead = 0
    if (MODE == "skeleton")
        next
}

open_number == "" {
    keep($0)
}

END {
    end_file()
    if (failed)
        exit 1
    if (MODE == "list") {
        for (i = 1; i <= exercises; i++)
            printf "%s\t%d\t%d\t%s\t%s\n", order[i], total_minutes[order[i]], total_lines[order[i]], owner[order[i]], titles[order[i]]
        exit 0
    }
    if (MODE == "skeleton")
        print_header()
    for (i = 0; i <= kept; i++) {
        if (i > 0)
            print out[i]
        if (i == insert_after && !has_unsolved)
            print "#include \"" unsolved_header "\""
    }
}
