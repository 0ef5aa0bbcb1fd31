#!/bin/sh
# `make watch LAB=02`: grades again whenever a file of the lab is saved. It looks at the files once a second, because messages
# about changed files do not pass between Windows and WSL, nor over network drives. Keys, on a terminal: r grades now, h shows a
# hint for the first exercise that has not full marks, q ends. Ctrl-C ends too, also in the middle of a grading.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/labs_lib.sh
lab=$(lab_number "${LAB:-}")
[ -n "$lab" ] || usage "watch which lab? make watch LAB=02; there are $(labs_all)"
lab_must_exist "$lab" exercises
folder=${FROM:-$(lab_folder "${lab%%.*}")}
[ -d "$folder" ] || usage "FROM=$folder is no folder"
# For tools/labs_grade.sh: all labs' results are kept in one file, from which `hint` chooses.
export LAB="$lab" FROM="${FROM:-}" JSON='' JUNIT=''

state() { cksum "$folder"/*.c "$folder"/*.cu "$folder"/*.h "$folder"/*/*.c "$folder"/*/*.cu 2>/dev/null; }

grade() {
    seen=$(state)
    [ ! -t 1 ] || clear 2>/dev/null
    date '+%H:%M:%S'
    # shellcheck disable=SC2086
    attended $MAKE -s --no-print-directory lab-prepare && attended sh tools/labs_grade.sh grade
    printf '\nwatching %s (looking once a second)' "$folder"
    [ -z "$keys" ] || printf ':  r grade now   h hint   q quit'
    echo
}

hint() {
    next=$(awk -F '"' '/"status"/ { failed = $4 == "failed" } /"number"/ { if (failed) { print $4; exit } failed = 0 }' \
        "$BUILD/labs/results.json")
    if [ -n "$next" ]; then
        LAB=$next sh tools/labs_hint.sh
    else
        echo "full marks: no hint is needed"
    fi
}

keys=
trap stop INT TERM HUP
if [ -t 0 ] && saved=$(stty -g 2>/dev/null); then
    keys=1
    trap 'stty "$saved"' EXIT
    stty -icanon -echo min 0 time 10 # a read waits for a key for one second
fi
grade
while :; do
    if [ -n "$keys" ]; then
        case $(dd bs=1 count=1 2>/dev/null) in
        q) exit 0 ;;
        r) grade ;;
        h) hint ;;
        esac
    else
        attended sleep 1
    fi
    [ "$seen" = "$(state)" ] || grade
done
