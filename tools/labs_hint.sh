#!/bin/sh
# `make hint LAB=02.3`: the next hint for an exercise, and those that were shown before. ALL=1 shows every one, AGAIN=1 no
# more than last time. How many were shown is kept in .rungs/hints. Hints stand in exercises/NN-topic/hints.md:
#
#     ## 02.3 Backpropagate
#     1. A first hint,
#        of one or more lines.
#     2. A second one.
#
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/labs_lib.sh
number=$(lab_number "${LAB:-}")
list=$(labs_list) || exit 1
[ -n "$number" ] || usage "a hint for which exercise? make hint LAB=02.3; there are $(echo "$list" | cut -f 1 | tr '\n' ' ')"
lab_must_exist "$number" exercises
hints=$(lab_folder "${number%%.*}")/hints.md
[ -f "$hints" ] || { echo "$hints is missing" >&2; exit 1; }

# The hints of exercise $1, or how many there are.
show() {
    awk -v want="$1" -v most="$2" '
        /^## / { inside = $2 == want; next }
        inside && /^[0-9]+\. / { n++ }
        inside && n > 0 && n <= most { print "  " $0 }
        END { if (most == 0) print n + 0 }' "$hints"
}

case $number in
*.*) ;;
*)
    echo "Hints of lab $number; make hint LAB=$number.1 shows the first one of exercise $number.1."
    for exercise in $(echo "$list" | cut -f 1 | grep "^$number\\."); do
        echo "  $exercise  $(show "$exercise" 0) hints  $(echo "$list" | awk -F '\t' -v e="$exercise" '$1 == e { print $6 }')"
    done
    exit 0
    ;;
esac

count=$(show "$number" 0)
[ "$count" -gt 0 ] || { echo "$hints has no hint under a heading \"## $number\"" >&2; exit 1; }
seen=$(cat "$keep/hints/$number" 2>/dev/null || echo 0)
case $seen in '' | *[!0-9]*) seen=0 ;; esac
if [ -n "${ALL:-}" ]; then
    next=$count
elif [ -n "${AGAIN:-}" ] && [ "$seen" -gt 0 ]; then
    next=$seen
else
    next=$((seen + 1))
fi
more=$((count - next))
[ "$next" -le "$count" ] || next=$count
mkdir -p "$keep/hints" && echo "$next" >"$keep/hints/$number"

echo "Exercise $number: $(echo "$list" | awk -F '\t' -v e="$number" '$1 == e { print $6 " (" $5 ")" }')"
show "$number" "$next"
if [ $more -gt 0 ]; then
    echo "  Hint $next of $count. make hint LAB=$number shows the next one."
elif [ $more -eq 0 ]; then
    echo "  Hint $next of $count: the last one."
else
    solution=$(lab_folder "${number%%.*}" | sed 's/^exercises/solutions/')
    echo "  There are no more hints.$([ -d "$solution" ] && echo " What remains is $solution/.")"
fi
