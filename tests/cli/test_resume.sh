#!/bin/sh
# Breaking off and going on: whatever happens to `rungs train mlp` (kill -9 at any moment, Ctrl-C, a full disk), starting it
# again with --resume ends with the very bytes of a run that nothing happened to.
#   KILLS=20 tests/cli/test_resume.sh     more kills (default 4)
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
command_words='train mlp'

# Trains to the end.
train() { call 0 "$@"; }

is_refused() {
    hint=$1
    shift
    call 1 "$@" && [ "$(wc -l <"$folder/err")" = 1 ] && grep -q -e "$hint" "$folder/err"
}

# Number $1 of a fixed sequence of random numbers in 0 .. $2, small ones more often: the moments do not depend on the clock.
moment() { awk -v n="$1" -v high="$2" 'BEGIN { srand(4); for (i = 0; i < n; i++) x = rand(); printf "%.3f", rand() ^ 2 * high }'; }

# ---- kill -9 ----

# A second or so on one core; a checkpoint after every epoch, so that many kills fall into the writing of one.
options="--data digits --hidden 96,64 --batch 16 --epochs 60 --schedule cosine --validation 0.1"

# Starts the run, or goes on with it; kills it after $1 seconds. 0: it was killed; 1: it was done before.
run_and_kill() {
    # shellcheck disable=SC2086
    start $options --save "$folder/killed" --resume "$folder/killed"
    sleep "$1"
    stops_with KILL 137 2>/dev/null
}

# Kills until there were KILLS of them, comparing and starting afresh whenever a run is through.
survives_kills() {
    enough=${KILLS:-4} kills=0 before=0 tries=0
    # shellcheck disable=SC2086
    train $options --save "$folder/whole" || return 1
    while [ $kills -lt "$enough" ] && [ $tries -lt $((20 * enough)) ]; do
        tries=$((tries + 1))
        if run_and_kill "$(moment $tries 0.3)"; then
            kills=$((kills + 1))
            [ -e "$folder/killed" ] || before=$((before + 1))
        elif [ $status = 0 ]; then
            cmp "$folder/whole" "$folder/killed" || return 1
            rm "$folder/killed"
        else
            return 1
        fi
    done
    # shellcheck disable=SC2086
    train $options --save "$folder/killed" --resume "$folder/killed" && cmp "$folder/whole" "$folder/killed" || return 1
    echo "$kills kills in $tries starts, $before of them before the first checkpoint"
    [ "$kills" -ge "$enough" ]
}

# ---- signals ----

# Trains iris for a long time, sends signal $1 in the middle; then the same number of epochs without a break.
stops_and_goes_on() {
    rm -f "$folder/stopped"
    start --data iris --epochs 1000000 --save-every 1000000 --save "$folder/stopped"
    wait_for '^epoch  *20/' && stops_with "$1" "$2" &&
        grep -q "go on with: rungs train mlp --resume $folder/stopped" "$folder/err" || return 1
    epochs=$(sed -n 's/^stopped after \([0-9]*\) epochs and [0-9]* steps;.*/\1/p' "$folder/err")
    [ "${epochs:-0}" -ge 20 ] || return 1
    train --resume "$folder/stopped" --epochs $((epochs + 2)) && train --data iris --epochs $((epochs + 2)) --save "$folder/unbroken" &&
        cmp "$folder/unbroken" "$folder/stopped"
}

without_save_it_says_so() {
    start --data iris --epochs 1000000
    wait_for '^epoch' && stops_with INT 130 && grep -q 'nothing is saved (--save FILE would have done it)' "$folder/err"
}

# ---- what a resumed run is ----

begins_without_a_checkpoint() {
    train --data iris --epochs 3 --save "$folder/new" --resume "$folder/new" && grep -q 'does not exist yet: starting from the beginning' "$folder/out" &&
        train --data iris --epochs 3 --save "$folder/plain" && cmp "$folder/new" "$folder/plain"
}

# Options that are not given are those of the file; the file is also where it saves.
takes_the_options_of_the_file() {
    train --data iris --epochs 4 --hidden 7,5 --activation tanh --batch 9 --drop-last --lr 0.02 --optimizer nesterov --save "$folder/o" &&
        cp "$folder/o" "$folder/four" && train --resume "$folder/o" --epochs 6 && cmp -s "$folder/o" "$folder/four"
    [ $? = 1 ] && train --data iris --epochs 6 --hidden 7,5 --activation tanh --batch 9 --drop-last --lr 0.02 --optimizer nesterov \
        --save "$folder/six" && cmp "$folder/o" "$folder/six"
}

# Only the seconds of what another process did are not known.
has_the_whole_history() {
    train --data iris --epochs 6 --validation 0.2 --csv "$folder/a.csv" && train --data iris --epochs 3 --validation 0.2 --save "$folder/h" &&
        train --resume "$folder/h" --epochs 6 --csv "$folder/b.csv" || return 1
    for file in a b; do
        cut -d, -f1-4 "$folder/$file.csv" >"$folder/$file.cut"
    done
    cmp "$folder/a.cut" "$folder/b.cut" && [ "$(grep -c ',nan$' "$folder/b.csv")" = 3 ]
}

finished_run_is_evaluated() {
    train --data iris --epochs 3 --save "$folder/f" || return 1
    first=$(tail -n 1 "$folder/out")
    train --resume "$folder/f" && [ "$(tail -n 1 "$folder/out")" = "$first" ]
}

truncated_is_refused() {
    train --data iris --epochs 2 --save "$folder/t" || return 1
    size=$(wc -c <"$folder/t")
    for part in 0 7 100 $((size / 2)) $((size - 1)); do
        head -c "$part" "$folder/t" >"$folder/cut"
        is_refused "$folder/cut: " --resume "$folder/cut" || { echo "cut to $part bytes"; return 1; }
    done
}

full_disk_keeps_the_old() {
    train --data digits --epochs 2 --save "$folder/d" && cp "$folder/d" "$folder/d.old" || return 1
    # A limit on the size of files stands for a full disk.
    (trap '' XFSZ && ulimit -f 4 && train --resume "$folder/d" --epochs 3) && return 1
    cmp "$folder/d" "$folder/d.old" && train --resume "$folder/d" --epochs 3 && train --data digits --epochs 3 --save "$folder/d3" &&
        cmp "$folder/d" "$folder/d3"
}

# A checkpoint holds the path of its data, however long that is.
resumes_data_with_a_long_path() {
    long=$folder
    for letter in a b c d; do long=$long/$(printf "$letter%.0s" $(seq 200)); done
    mkdir -p "$long" && printf '1,2,a\n3,4,b\n' >"$long/t.csv" &&
        train --data "$long/t.csv" --test 0 --batch 1 --epochs 2 --save "$folder/long" && train --resume "$folder/long" --epochs 3
}

# The folder of --save has gone away while the run was on.
cannot_save_when_stopped() {
    mkdir "$folder/gone"
    start --data iris --epochs 1000000 --save-every 1000000 --save "$folder/gone/x"
    wait_for '^epoch' || return 1
    rm -r "$folder/gone"
    stops_with INT 1 && grep -q "cannot create $folder/gone/x" "$folder/err"
}

# ---- where its data are ----

# own NAME: a folder with a table of one's own and a checkpoint that was made there with a relative path.
own() {
    mkdir -p "$folder/$1" && cp data/iris.csv "$folder/$1/own.csv" &&
        (cd "$folder/$1" && train --data own.csv --epochs 2 --save made) && cp "$folder/$1/made" "$folder/$1/again"
}

resumes_from_another_folder() { own here && train --resume "$folder/here/made" --epochs 3; }

# The same data are the same, whatever they are called: a path through another folder, a link, a copy, the name of a set.
takes_the_same_data_by_another_name() {
    own names && ln -s own.csv "$folder/names/link.csv" && gzip -c "$folder/names/own.csv" >"$folder/names/copy.csv.gz" || return 1
    for data in "$folder/names/../names/own.csv" "$folder/names/link.csv" "$folder/names/copy.csv.gz" iris; do
        cp "$folder/names/made" "$folder/names/again" && train --resume "$folder/names/again" --data "$data" --epochs 3 || return 1
    done
}

# Two spellings of one path are one in the file.
writes_the_full_path() {
    own path && (cd "$folder" && train --data ./path/../path/own.csv --epochs 2 --save path/other) && cmp "$folder/path/made" "$folder/path/other"
}

moved_data_are_asked_for() {
    own left && mkdir "$folder/moved" && mv "$folder/left/own.csv" "$folder/moved/new.csv" || return 1
    is_refused 'left/own.csv: cannot be opened.*checkpoint .*left/made: .*give their path with --data' --resume "$folder/left/made" &&
        train --resume "$folder/left/made" --data "$folder/moved/new.csv" --epochs 3 && train --resume "$folder/left/made" --epochs 4
}

# Only what the checkpoint says is explained by the checkpoint.
mistyped_data_are_not_the_checkpoints() {
    own typed && is_refused 'nowhere.csv: cannot be opened' --resume "$folder/typed/made" --data nowhere.csv && ! grep -q checkpoint "$folder/err"
}

# Images and labels, 4 of 1 x 2 pixels, by relative names without a dot or a slash.
resumes_pairs_of_files() {
    mkdir "$folder/pair"
    printf '\0\0\10\3\0\0\0\4\0\0\0\1\0\0\0\2\1\2\3\4\5\6\7\10' >"$folder/pair/images"
    printf '\0\0\10\1\0\0\0\4\0\1\0\1' >"$folder/pair/labels"
    (cd "$folder/pair" && train --data images,labels --test 0 --batch 2 --epochs 2 --save made) && train --resume "$folder/pair/made" --epochs 3
}

train --data iris --epochs 2 --save "$folder/iris"
train --data iris --epochs 2 --schedule linear --save "$folder/linear"
cp data/iris.csv "$folder/mine.csv" && train --data "$folder/mine.csv" --epochs 2 --save "$folder/mine" && sed 's/^5.1,/5.2,/' data/iris.csv >"$folder/mine.csv"

check "kill -9 at random moments" survives_kills
check "Ctrl-C saves, and the run goes on" stops_and_goes_on INT 130
check "SIGTERM saves, and the run goes on" stops_and_goes_on TERM 143
check "Ctrl-C without --save" without_save_it_says_so
check "Ctrl-C when the checkpoint cannot be written" cannot_save_when_stopped
check "no checkpoint yet is the beginning" begins_without_a_checkpoint
check "options come from the file" takes_the_options_of_the_file
check "data with a long path are found again" resumes_data_with_a_long_path
check "the history is whole" has_the_whole_history
check "a finished run is evaluated again" finished_run_is_evaluated
check "a truncated checkpoint is refused" truncated_is_refused
check "a full disk keeps the old checkpoint" full_disk_keeps_the_old
check "another network is refused" is_refused 'was made with hidden 8, but this run has hidden 9' --resume "$folder/iris" --hidden 9
check "another activation is refused" is_refused 'activation relu, but this run has activation tanh' --resume "$folder/iris" --activation tanh
check "all differences are named" is_refused 'seed 1, batch 8, lr 0.01, but this run has seed 2, batch 9, lr 0.1' --resume "$folder/iris" --lr 0.1 --batch 9 --seed 2
check "other kernels are refused" is_refused 'kernels best' --resume "$folder/iris" --kernels naive
check "data with a relative path are found from elsewhere" resumes_from_another_folder
check "the same data by another name are taken" takes_the_same_data_by_another_name
check "a checkpoint names its data by the full path" writes_the_full_path
check "data that have moved are reported" moved_data_are_asked_for
check "a mistyped path is not the checkpoint's" mistyped_data_are_not_the_checkpoints
check "images and labels are found from elsewhere" resumes_pairs_of_files
check "other data are refused" is_refused 'data iris, checksum of the data .* data digits, checksum' --resume "$folder/iris" --data digits
check "changed data are refused" is_refused 'checksum of the data' --resume "$folder/mine"
check "fewer epochs than are done are refused" is_refused 'has done 2 epochs' --resume "$folder/iris" --epochs 1
check "more epochs under a schedule are refused" is_refused 'schedule of the rate depends' --resume "$folder/linear" --epochs 3
check "a file of weights alone is refused" is_refused 'is a safetensors file but not a checkpoint' --resume tests/golden/torch.safetensors
check "any other file is refused" is_refused 'no safetensors file' --resume Makefile
check "a folder is refused" is_refused 'is not a file' --resume "$folder"

# ---- a damaged file ----

# One bit of the byte that is $2 before the end of file $1.
flip() {
    at=$(($(wc -c <"$1") - $2))
    byte=$(od -An -tu1 -j "$at" -N 1 "$1")
    # shellcheck disable=SC2059
    printf "\\$(printf %03o $((byte & 4 ? byte - 4 : byte + 4)))" | dd of="$1" bs=1 seek="$at" conv=notrunc 2>/dev/null
}
flipped_bits_are_refused() {
    train --data iris --epochs 2 --save "$folder/sound" || return 1
    for place in 1 400 800; do
        cp "$folder/sound" "$folder/damaged"
        flip "$folder/damaged" "$place"
        cp "$folder/damaged" "$folder/as_it_was"
        is_refused 'damaged: tensor ".*" has the checksum .*; the file is damaged, go on from an older one' \
            --data iris --epochs 4 --save "$folder/damaged" --resume "$folder/damaged" || return 1
        cmp -s "$folder/damaged" "$folder/as_it_was" || return 1
        flip "$folder/damaged" "$place"
        cmp -s "$folder/damaged" "$folder/sound" || return 1
    done
    train --data iris --epochs 4 --resume "$folder/sound"
}
check "a flipped bit is refused, and the file left alone" flipped_bits_are_refused

finish "cli/resume"
