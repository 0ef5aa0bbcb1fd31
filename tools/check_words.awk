# Finds words of our own where the field has a term: -v words=tools/private_words.txt names them. Reads text files, prints
# "FILE:LINE: WORDS: what to write instead" for each, exits with 1 if there is one. An expression matches across the end of a line, too:
# comment signs and quotes at both ends of lines are left out.
# SPDX-License-Identifier: MIT

BEGIN {
    while ((getline line < words) > 0) {
        at = index(line, "#")
        advice = at ? substr(line, at + 1) : ""
        if (at)
            line = substr(line, 1, at - 1)
        gsub(/^[ \t]+|[ \t]+$/, "", line)
        gsub(/^[ \t]+|[ \t]+$/, "", advice)
        if (line == "")
            continue
        if (line ~ /^allow /) {
            sub(/^allow /, "", line)
            allowed[line] = 1
            continue
        }
        count++
        plain[count] = line
        word[count] = "[^a-z0-9_](" line ")[^a-z0-9_]"
        instead[count] = advice
        any = any (count > 1 ? "|" : "") line
    }
    if (count == 0) {
        print "check_words.awk: there are no words in \"" words "\""
        wrong = 1
        exit
    }
}

FNR == 1 {
    before = ""
    measured = 0
}

# What a program printed when a lecture was measured is not edited.
/^<!-- measured: / { measured = 1 }
/^<!-- end -->/ { measured = 0 }
measured { next }

{
    text = tolower($0)
    sub(/^[ \t]*(\/?\*+|\/\/|#+|"|>)?[ \t]*/, "", text)
    sub(/[ \t]*(\*\/|\\n"[,;)]*|"[,;)]*|\\)?[ \t]*$/, "", text)
    tail = length(before) > 60 ? substr(before, length(before) - 59) : before
    both = " " tail " " text " "
    if (both ~ any)
        for (i = 1; i <= count; i++)
            find(i, both, length(tail) + 1)
    before = text
}

# All places of expression i in `both`, whose first `old` characters belong to the line before: what lies in these was found there.
function find(i, both, old,    from, begin, found)
{
    for (from = 1; match(substr(both, from), word[i]); from = begin + RLENGTH - 1) {
        begin = from + RSTART - 1
        if (begin + RLENGTH - 2 <= old)
            continue
        found = substr(both, begin + 1, RLENGTH - 2)
        if ((FILENAME ": " plain[i]) in allowed)
            continue
        printf "%s:%d: \"%s\": %s\n", FILENAME, FNR, found, instead[i]
        wrong = 1
    }
}

END { exit wrong }
