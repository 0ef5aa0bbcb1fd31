#!/bin/sh
# The rules that `make lint` checks can be broken, and then it says so. Every case is a small tree with one fault in it.
# SPDX-License-Identifier: MIT
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
passed=0 failed=0

# is FOUND|CLEAN WORDS CHECKER FILE: runs the checker on the file; WORDS must stand in what it says.
is() {
    status=0
    output=$(awk -v exceptions="$exceptions" -v words="$words" -f "$root/tools/$3" "$4" 2>&1) || status=$?
    case $1 in
    FOUND) [ "$status" = 1 ] && printf '%s' "$output" | grep -q -e "$2" ;;
    CLEAN) [ "$status" = 0 ] && [ -z "$output" ] ;;
    esac && { passed=$((passed + 1)); return; }
    failed=$((failed + 1))
    echo "failed: $4 should be $1 ($2), status $status: $output"
}

# write FILE TEXT: makes the file, the text as printf's format.
write() {
    mkdir -p "$(dirname "$1")"
    # shellcheck disable=SC2059
    printf "$2" >"$1"
}

lines() { awk -v n="$1" -v line="$2" 'BEGIN { for (i = 0; i < n; i++) print line }'; }
licence='/* SPDX-License-Identifier: MIT */\n'
exceptions='' words=$root/tools/private_words.txt

includes() { # FOUND|CLEAN FILE TARGET
    write "$2" "#include $3\n"
    is "$1" includes check_includes.awk "$2"
}
includes FOUND src/core/a.c '"nn/net.h"'
includes FOUND src/core/b.c '"data/dataset.h"'
includes FOUND src/data/a.c '"ladder/ladder.h"'
includes FOUND src/ladder/a.c '"cli/cli.h"'
includes FOUND src/nn/a.c '"cpu/gemm/gemm.h"'
includes FOUND src/nn/b.c '"cpu/backend.h"'
includes FOUND src/nn/c.c '<mpi.h>'
includes FOUND src/perceptron.c '"nn/net.h"'
includes FOUND cpu/gemv/a.c '"cpu/gemm/gemm.h"'
includes FOUND cpu/gemv/b.c '"nn/net.h"'
includes FOUND cpu/gemv/c.c '"ladder/verify.h"'
includes FOUND cpu/gemv/d.c '<mpi.h>'
includes FOUND src/core/c.c '<check.h>'
includes FOUND gpu/compare.c '"nn/net.h"'
includes FOUND gpu/library.c '"gpu/ladders.h"'
includes FOUND cpu/step.c '"cpu/gemm/gemm.h"'
includes CLEAN src/core/d.c '"core/error.h"'
includes CLEAN src/nn/d.c '"data/dataset.h"'
includes CLEAN src/nn/e.c '"nn/backend.h"'
includes CLEAN cpu/gemv/e.c '"gemv.h"'
includes CLEAN cpu/gemv/f.c '"cpu/chunks.h"'
includes CLEAN cpu/gemv/ladder.c '"ladder/verify.h"'
includes CLEAN cpu/backend.c '"cpu/gemv/gemv.h"'
includes CLEAN gpu/emulated.c '"gpu/ladders.h"'
includes CLEAN cpu/step.c '"nn/net.h"'
includes CLEAN src/cli/a.c '"cpu/backend.h"'
includes CLEAN tests/nn/a.c '<check.h>'

style() { is "$1" "$2" check_style.awk "$3"; }
write a.c "${licence}int x;\n"
style CLEAN - a.c
write b.c 'int x;\n'
style FOUND 'no line .SPDX' b.c
write c.c "$licence\tint x;\n"
style FOUND 'c.c:2: a tab' c.c
write d.c "${licence}int x; \n"
style FOUND 'd.c:2: blanks' d.c
write e.mk "# SPDX-License-Identifier: MIT\nx:\n\tgcc -O""fast x.c\n"
style FOUND 'e.mk:3: fast-math' e.mk
write f.mk "# SPDX-License-Identifier: MIT\n# never -O""fast\n"
style CLEAN - f.mk
{ printf '%b' "$licence" && lines 2000 'int x;'; } >g.c
style CLEAN - g.c
{ printf '%b' "${licence}void\nlong_one(void)\n{\n" && lines 61 '    f();' && echo '}'; } >i.c
style FOUND 'function long_one has 61 lines' i.c
{ printf '%b' "${licence}void\nlong_one(void)\n{\n" && lines 60 '    f();' && echo '}'; } >j.c
style CLEAN - j.c
printf 'i.c: function long_one  # a reason\n' >allow.txt
exceptions=allow.txt
style CLEAN - i.c
{ printf '%b' "$licence" && lines 140 x | tr -d '\n' && echo; } >k.c
style FOUND '140 characters' k.c

# The words are cut by quotes here, or this file would be found itself.
word() { is "$1" "$2" check_words.awk "$3"; }
write l.c "/* Room for so"" many floats. */\nint tea""m; /* of the second cac""he */\n"
word FOUND 'l.c:1: "so ''many": the number' l.c
word FOUND 'l.c:2: "tea''m": process group' l.c
word FOUND 'l.c:2: "second ''cache": L1' l.c
write m.c "/* Measured by\n * tur""ns. */\nputs(\"It sa""ys \"\n     \"nothing here.\");\n"
word FOUND 'm.c:2: "by ''turns": interleaved' m.c
word FOUND 'm.c:4: "says ''nothing": is ignored' m.c
write n.md 'Steam, the second cached copy, team_size, a commendation and so much.\n'
word CLEAN - n.md
write words.txt 'tea''m  # process group\nallow o.c: tea''m  # OpenMP has them\n'
words=words.txt
write o.c "/* A tea""m. */\n"
word CLEAN - o.c
write p.c "/* A tea""m. */\n"
word FOUND 'p.c:1' p.c
words=none.txt
word FOUND 'no words' p.c

echo "cli/lint: $passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
