# Rewrites the generated parts of a lecture, and leaves every other line alone:
#
#   <!-- listing: src/perceptron.c perceptron_update -->   a function, or the typedef of a struct, from the source
#   <!-- listing: cpu/gemm/low_precision.c words-along -->              what stands there between BEGIN LISTING words-along and END LISTING
#   <!-- output: rungs train perceptron --data and -->     what the command prints; the same on every machine
#   <!-- measured: rungs bench gemv -->                    what it printed here, with machine, compiler and date
#   ...
#   <!-- end -->
#
# Commands are run only with RUN=output (all `output` parts) or RUN=all (the measured ones too); otherwise what stands there
# is kept. A part that cannot be made ends the run with one sentence. Variables: BUILD (where `rungs` is), RUN, STAMP.
# SPDX-License-Identifier: MIT

function fail(sentence) {
    printf "%s:%d: %s\n", FILENAME, FNR, sentence > "/dev/stderr"
    failed = 1
    exit 1
}

# The lines of region `name` in C file `path`, or of a function: from the line of its return type to its closing brace.
function print_listing(path, name,    line, before, inside, found, region) {
    found = 0
    inside = 0
    region = 0
    before = ""
    if (path == "" || name == "")
        fail("a listing needs a file and a name: <!-- listing: src/perceptron.c perceptron_update -->")
    if ((getline line < path) < 0)
        fail("there is no file " path " to list " name " from")
    close(path)
    while ((getline line < path) > 0) {
        if (!inside && (index(line, name "(") == 1 || line ~ ("^typedef (struct|enum) " name " "))) {
            inside = found = 1
            if (index(line, name "(") == 1)
                print before
        }
        if (region && line ~ /\/\* END LISTING/)
            inside = region = 0
        if (inside && line !~ /\/\* (BEGIN|END) (SOLUTION|LISTING)/) # the labs' marks, and other regions'
            print line
        if (!inside && line == "/* BEGIN LISTING " name " */")
            inside = region = found = 1
        if (inside && !region && line ~ /^}/)
            inside = 0
        before = line
    }
    close(path)
    if (!found)
        fail("no function, type or region " name " in " path)
    if (inside)
        fail("the end of " name " in " path " was not found: " (region ? "no END LISTING" : "no line begins with a closing brace"))
}

function print_output(command,    line, status) {
    sub(/^rungs /, BUILD "/rungs ", command)
    while (((command " 2>/dev/null; echo \"status $?\"") | getline line) > 0) {
        if (line ~ /^status [0-9]+$/)
            status = line
        else
            print line
    }
    close(command " 2>/dev/null; echo \"status $?\"")
    if (status != "status 0" && status != "status 1")
        fail("`" command "` ended with " status ", expected 0 or 1")
}

# Blocks of the writer's own: a marker in them is text, and so is anything else.
!generated && /^ *```/ {
    fenced = !fenced
}

fenced {
    print
    next
}

# A marker with a slip would be kept as text, and what stands below it would never be checked again.
/^[ \t]*<!-- *(listing|output|measured|end)/ && !/^<!-- (listing|output|measured): [^ ].* -->$/ && !/^<!-- end -->$/ && !/^<!-- end of / {
    fail("`" $0 "` is not a marker: expected <!-- listing: FILE NAME -->, <!-- output: COMMAND -->, " \
         "<!-- measured: COMMAND --> or <!-- end -->, alone on its line")
}

/^<!-- (listing|output|measured): .* -->$/ {
    if (generated)
        fail("a generated part inside another: the one before has no <!-- end -->")
    kind = $2
    sub(/:$/, "", kind)
    text = $0
    sub(/^<!-- [a-z]+: /, "", text)
    sub(/ -->$/, "", text)
    print
    command = text
    keep = kind != "listing" && !(RUN == "all" || (RUN == "output" && kind == "output"))
    generated = 1
    if (keep)
        next
    if (kind == "listing") {
        split(text, word, " ")
        print "```c"
        print_listing(word[1], word[2])
    } else {
        print "```text"
        print "$ " text
        print_output(text)
    }
    print "```"
    if (kind == "measured")
        print "\n*" STAMP "*"
    next
}

# What is kept must at least come from the command in the marker.
keep && /^\$ / && $0 != "$ " command {
    fail("here stands the output of `" substr($0, 3) "`, but the marker above says `" command "`: make lectures-measure")
}

/^<!-- end -->$/ {
    if (!generated)
        fail("<!-- end --> without a beginning: no marker stands above it, or it has a slip")
    generated = keep = 0
}

!generated || keep

END {
    if (!failed && generated)
        fail("the last generated part has no <!-- end -->")
    if (!failed && fenced)
        fail("a block that ``` opened has no end")
}
