# CUDA C to C++: what no header can do. Reads one .cu or .cuh file, writes it with the same lines to standard output.
#
#     kernel<16><<<grid, block>>>(x, n);         emulator_launch("kernel<16>", __FILE__, __LINE__, kernel<16>, EmulatorShape(grid, block), x, n);
#     __shared__ float tile[16][17], sum;        static EmulatorSite emulator_site_tile = {..}; auto &tile = emulator_shared<float[16][17]>(..); ..
#     extern __shared__ float buffer[];          float *buffer = (float *)emulator_dynamic_shared();
#
# Nothing is found in comments and strings: `mask` is the text with blanks in their place, but for the quote that begins a string.
# SPDX-License-Identifier: MIT

{ text = text $0 "\n" }

END {
    mask = masked(text)
    printf "#line 1 \"%s\"\n", name != "" ? name : FILENAME
    launches()
    shared_arrays()
    printf "%s", text
    exit failed
}

# Ends with the line number of the place.
function complain(at, what,    before)
{
    before = substr(text, 1, at)
    printf "%s:%d: %s\n", FILENAME, gsub(/\n/, "", before) + 1, what >"/dev/stderr"
    failed = 1
}

# Comments, strings and characters become blanks, line ends stay.
function masked(text,    out, piece, rest, at, kind, length_of)
{
    rest = text
    while (match(rest, /\/\/|\/\*|R"|"|'/)) {
        at = RSTART
        kind = substr(rest, at, RLENGTH)
        # 1'000'000 is a number; so is a prefix of a name no raw string.
        if (kind == "'" && substr(rest, at - 1, 1) ~ /[0-9a-fA-F]/ && substr(rest, at + 1, 1) ~ /[0-9a-fA-F]/) {
            out = out substr(rest, 1, at)
            rest = substr(rest, at + 1)
            continue
        }
        out = out substr(rest, 1, at - 1)
        rest = substr(rest, at)
        length_of = end_of(rest, kind)
        piece = substr(rest, 1, length_of)
        gsub(/[^\n]/, " ", piece)
        # Of a string its first character stays: an argument is there.
        out = out (kind ~ /\// ? "" : substr(kind, 1, 1)) (kind ~ /\// ? piece : substr(piece, 2))
        rest = substr(rest, length_of + 1)
    }
    return out rest
}

# How many characters the comment or string at the beginning of rest has.
function end_of(rest, kind,    at, mark)
{
    if (kind == "//") {
        at = index(rest, "\n") - 1
    } else if (kind == "/*") {
        at = index(substr(rest, 3), "*/")
        at = at ? at + 3 : 0
    } else if (kind == "R\"") {
        mark = ")" substr(rest, 3, index(rest, "(") - 3) "\""
        at = index(rest, mark)
        at = at ? at + length(mark) - 1 : 0
    } else if (kind == "'" ? match(substr(rest, 2), /^([^\\'\n]|\\.)*'/) : match(substr(rest, 2), /^([^\\"\n]|\\(.|\n))*"/)) {
        at = RLENGTH + 1
    }
    return at ? at : length(rest)
}

# Puts `by` in the place of the characters from..to, with as many line ends. The mask follows; what is new is in it, so that it is
# looked through again.
function replace(from, to, by,    old, added)
{
    old = substr(text, from, to - from + 1)
    added = by
    gsub(/[^\n]/, "", old)
    gsub(/[^\n]/, "", added)
    by = by substr(old, length(added) + 1)
    text = substr(text, 1, from - 1) by substr(text, to + 1)
    mask = substr(mask, 1, from - 1) masked(by) substr(mask, to + 1)
}

# The place of the bracket that closes the one at `at`, in the mask; 0: none.
function closing(at,    depth, c, n)
{
    n = length(mask)
    for (; at <= n; at++) {
        c = substr(mask, at, 1)
        if (c ~ /[([{]/) depth++
        else if (c ~ /[])}]/ && --depth == 0) return at
    }
    return 0
}

# ---- launches ------------------------------------------------------------------------------------------

# Where the kernel's name begins that ends before `at`: words, ::, and one list of template arguments.
function name_before(at,    depth, c, p)
{
    p = at - 1
    while (p > 0 && substr(mask, p, 1) ~ /[ \t\n]/) p--
    if (substr(mask, p, 1) == ">") {
        for (; p > 0; p--) {
            c = substr(mask, p, 1)
            if (c ~ /[])>]/) depth++
            else if (c ~ /[[(<]/ && --depth == 0) break
        }
        p--
        while (p > 0 && substr(mask, p, 1) ~ /[ \t\n]/) p--
    }
    while (p > 0 && substr(mask, p, 1) ~ /[A-Za-z0-9_:]/) p--
    return p + 1
}

# The place of the >>> that belongs to what stands behind a <<<; 0: none.
function shape_end(at,    depth, c, n)
{
    n = length(mask)
    for (; at <= n; at++) {
        c = substr(mask, at, 1)
        if (c ~ /[([{]/) depth++
        else if (c ~ /[])}]/) depth--
        else if (c == ";") return 0
        else if (depth == 0 && substr(mask, at, 3) == ">>>" && substr(mask, at + 3) ~ /^[ \t\n]*\(/) return at
    }
    return 0
}

function launches(    at, begin, shape, open, close_, kernel, label, arguments)
{
    while (at = index(mask, "<<<")) {
        begin = name_before(at)
        shape = shape_end(at + 3)
        open = shape ? shape + 3 + index(substr(mask, shape + 3), "(") - 1 : 0
        close_ = open ? closing(open) : 0
        if (!close_ || begin >= at) {
            complain(at, "this launch cannot be read: expected kernel<<<grid, block>>>(arguments)")
            return
        }
        kernel = substr(text, begin, at - begin)
        label = kernel
        gsub(/[ \t\n]+/, " ", label)
        sub(/ $/, "", label)
        arguments = substr(text, open + 1, close_ - open - 1)
        replace(begin, close_, "emulator_launch(\"" label "\", __FILE__, __LINE__, " kernel ", EmulatorShape(" \
            substr(text, at + 3, shape - at - 3) ")" (substr(mask, open + 1, close_ - open - 1) ~ /[^ \t\n]/ ? ", " : "") arguments ")")
    }
}

# ---- shared memory -------------------------------------------------------------------------------------

function shared_arrays(    from, to, statement, is_extern, before)
{
    while (match(mask, /(^|[^A-Za-z0-9_])__shared__[^A-Za-z0-9_]/)) {
        from = RSTART + index(substr(mask, RSTART), "__shared__") - 1
        to = from + index(substr(mask, from), ";") - 1
        if (to < from) {
            complain(from, "no ; ends this declaration of shared memory")
            return
        }
        statement = substr(mask, from, to - from)
        sub(/__shared__/, "", statement)
        # `static __shared__`, `extern __shared__` and `__shared__ extern` are the same words in another order.
        before = substr(mask, 1, from - 1)
        is_extern = before ~ /(^|[^A-Za-z0-9_])extern[ \t\n]+$/
        if (match(before, /(extern|static)[ \t\n]+$/))
            from = RSTART
        if (statement ~ /^[ \t\n]*extern[ \t\n]/) {
            is_extern = 1
            sub(/extern/, "", statement)
        }
        gsub(/[ \t\n]+/, " ", statement)
        replace(from, to, is_extern ? dynamic_array(statement, from) : static_arrays(statement, from))
    }
}

# "float4 tile[8][9]" to type = "float4", variable = "tile", dimensions = "[8][9]"
function split_declarator(declarator,    bracket)
{
    dimensions = ""
    if (bracket = first_bracket(declarator)) {
        dimensions = substr(declarator, bracket)
        declarator = substr(declarator, 1, bracket - 1)
    }
    sub(/ +$/, "", declarator)
    if (!match(declarator, /[A-Za-z_][A-Za-z0-9_]*$/))
        return 0
    variable = substr(declarator, RSTART)
    type = substr(declarator, 1, RSTART - 1)
    gsub(/^ +| +$/, "", type)
    return 1
}

# The [ of the dimensions: not one within template arguments.
function first_bracket(s,    i, c, depth)
{
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c ~ /[<(]/) depth++
        else if (c ~ /[>)]/) depth--
        else if (c == "[" && depth == 0) return i
    }
    return 0
}

# The place of the first comma outside of all brackets; 0: none.
function first_comma(s,    i, c, depth)
{
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c ~ /[[<({]/) depth++
        else if (c ~ /[]>)}]/) depth--
        else if (c == "," && depth == 0) return i
    }
    return 0
}

function dynamic_array(statement, at)
{
    if (!split_declarator(statement) || dimensions !~ /^\[ *\] *$/)
        complain(at, "expected extern __shared__ TYPE NAME[];")
    sub(/(__align__|alignas) *\([^)]*\) */, "", type)
    return "auto " variable " = (" type " *)emulator_dynamic_shared();"
}

function static_arrays(statement, at,    out, comma, first, base)
{
    sub(/(__align__|alignas) *\([^)]*\) */, "", statement)
    for (first = 1; statement != ""; first = 0) {
        comma = first_comma(statement)
        if (!split_declarator(comma ? substr(statement, 1, comma - 1) : statement)) {
            complain(at, "expected __shared__ TYPE NAME[SIZE];")
            return ""
        }
        if (first)
            base = type
        out = out (first ? "" : " ") "static const EmulatorSite emulator_site_" variable " = {__FILE__, __LINE__}; auto &" variable \
            " = emulator_shared<" base dimensions ">(&emulator_site_" variable ");"
        statement = comma ? substr(statement, comma + 1) : ""
    }
    return out
}
