#!/bin/sh
# Rewrites or checks the lectures and lab texts.
#   tools/lectures.sh update    listings from the source, outputs of deterministic commands
#   tools/lectures.sh measure   the measured tables too (minutes; leave the machine alone)
#   tools/lectures.sh listings  listings alone: needs no build (the handout uses it)
#   tools/lectures.sh check     nothing is changed: exit 1 if a listing or an output is stale or a link is broken
# BUILD names the folder with `rungs`; TEXTS, by default all of them, the texts: make lectures-measure TEXTS=lectures/06-all-reduce.md.
# SPDX-License-Identifier: MIT
set -u
mode=${1:-check}
build=${BUILD:-build}
failures=0
checked=0

stamp() {
    machine=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
    printf 'Measured on %s, %s cores, %s, %s.' "${machine:-$(uname -m)}" "$(getconf _NPROCESSORS_ONLN)" \
        "$(${CC:-gcc} --version | head -n 1)" "$(date -u +%Y-%m-%d)"
}

case $mode in
update | check) run=output ;;
measure) run=all ;;
listings) run=none ;;
*)
    echo "tools/lectures.sh: '$mode' is not one of update, measure, listings, check" >&2
    exit 2
    ;;
esac

# The text without what stands between ``` lines: no links and no headings are there.
without_blocks() {
    awk '/^ *```/ { fenced = !fenced; next } !fenced' "$1"
}

# The anchor that GitHub makes of a heading: lower case, spaces to dashes, punctuation dropped.
anchors() {
    without_blocks "$1" | sed -n 's/^##* //p' | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# Every relative link and picture must lead to a file, every #anchor to a heading, and a picture has a text.
check_links() {
    folder=$(dirname "$1")
    if without_blocks "$1" | grep -q '!\[ *\]('; then
        echo "$1: a picture has no text in its brackets: say what it shows, for those who cannot see it" >&2
        failures=$((failures + 1))
    fi
    for link in $(without_blocks "$1" | sed 's/`[^`]*`//g' | grep -o '](<*[^)> ]*' | sed 's/^](<*//' | grep -v '^[a-z]*:'); do
        path=${link%%#*}
        anchor=${link#"$path"}
        target=${path:+$folder/$path}
        target=${target:-$1}
        if [ ! -e "$target" ]; then
            echo "$1: the link $link leads nowhere" >&2
            failures=$((failures + 1))
        elif [ -n "$anchor" ] && ! anchors "$target" | grep -qx -- "${anchor#\#}"; then
            echo "$1: $target has no heading for $anchor" >&2
            failures=$((failures + 1))
        fi
        checked=$((checked + 1))
    done
}

new=$(mktemp) || exit 1
trap 'rm -f "$new"' EXIT
set +f
texts=${TEXTS:-$(ls lectures/*.md exercises/*.md exercises/*/*.md solutions/*/*.md README.md CONTRIBUTING.md data/README.md 2>/dev/null)}
set -f # from here on links are text, not patterns of file names
for text in $texts; do
    [ -f "$text" ] || continue
    if ! env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS LC_ALL=C RUNGS_PROGRESS=off awk -v BUILD="$build" -v RUN="$run" -v STAMP="$(stamp)" -f tools/lectures.awk "$text" >"$new"; then
        failures=$((failures + 1))
        continue
    fi
    checked=$((checked + 1))
    if [ "$mode" != check ]; then
        cmp -s "$new" "$text" || { cat "$new" >"$text" && echo "updated $text"; }
    else
        if ! cmp -s "$new" "$text"; then
            echo "$text: a listing or an output is not what the source gives; run \`make lectures\`:" >&2
            diff "$text" "$new" | head -n 20 >&2
            failures=$((failures + 1))
        fi
        check_links "$text"
    fi
done
[ "$mode" != check ] || echo "lectures: $checked texts and links checked, $failures wrong"
[ "$failures" -eq 0 ]
