# What the compiler and clang-format do not say. Reads text files, prints one line for each finding, exits with 1 if there is one.
#   length     a function of more than 60 lines (the body, braces not counted)
#   SPDX       a source without its licence line within the first 40 lines
#   layout     tabs (but in makefiles), blanks at the end of a line, a C line of more than 132 characters (clang-format holds code to 120)
#   fast-math  the flag, in anything that builds: it lets the compiler assume that NaN does not exist
# -v exceptions=FILE names the exceptions: "path: function NAME", one a line, # and a reason behind.
# SPDX-License-Identifier: MIT

BEGIN {
    while (exceptions != "" && (getline line < exceptions) > 0) {
        sub(/[ \t]*#.*/, "", line)
        if (line != "")
            excepted[line] = 1
    }
}

function complain(where, text)
{
    printf "%s: %s\n", where, text
    wrong++
}

function finish_file()
{
    if (name == "")
        return
    if (!licensed)
        complain(name, "no line 'SPDX-License-Identifier: MIT' near its beginning")
}

FNR == 1 {
    finish_file()
    name = FILENAME
    is_c = name ~ /[.](c|h|cpp|cu|cuh)$/
    is_make = name ~ /(^|\/)Makefile$|[.]mk$/
    licensed = 0
    begin = 0
}

FNR <= 40 && /SPDX-License-Identifier: / { licensed = 1 }
/[ \t]$/ { complain(FILENAME ":" FNR, "blanks at the end of the line") }
!is_make && /\t/ { complain(FILENAME ":" FNR, "a tab") }
is_c && length($0) > 132 { complain(FILENAME ":" FNR, length($0) " characters; 132 is the limit") }
# A comment may speak of it.
/-Ofast|-ffast-math|-funsafe-math|-ffinite-math-only/ && !/^[ \t]*(#|\/?\*|\/\/)/ && FILENAME !~ /check_style[.]awk$/ {
    complain(FILENAME ":" FNR, "fast-math breaks every check for NaN")
}

# A function: its name is the last word before a parenthesis at the beginning of a line, its body lies between { and } there.
is_c && /^[A-Za-z_].*\(/ {
    heading = $0
    if (heading ~ /^TEST\(/) { sub(/^TEST\(/, "", heading); sub(/\).*/, "", heading) }
    else { sub(/\(.*/, "", heading); sub(/.*[ *]/, "", heading) }
}
is_c && /^\{/ { begin = FNR }
is_c && /^\}/ {
    if (begin && FNR - begin - 1 > 60 && !((FILENAME ": function " heading) in excepted))
        complain(FILENAME ":" begin, "function " heading " has " FNR - begin - 1 " lines; 60 is the limit")
    begin = 0
}

END {
    finish_file()
    exit wrong > 0
}
