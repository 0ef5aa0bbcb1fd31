#!/bin/sh
# `rungs train --stream`: samples that stay in their files train the very bytes of samples in memory; alone, on several ranks, and
# broken off.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
command_words='train mlp'

# Lines of octal numbers, "\005\013..", as bytes.
bytes() {
    while read -r row; do
        # shellcheck disable=SC2059
        printf "$row"
    done
}

# The first 600 of the digits as IDX files.
write_idx() {
    gzip -dc data/digits.csv.gz | awk -F, 'NR > 1 && NR <= 601 { for (i = 1; i <= NF; i++) printf "\\%03o%s", $i, i < NF - 1 ? "" : i < NF ? " " : "\n" }' >"$folder/octal"
    { printf '\0\0\010\3\0\0\2\130\0\0\0\10\0\0\0\10' && cut -d ' ' -f 1 "$folder/octal" | bytes; } >"$folder/images"
    { printf '\0\0\010\1\0\0\2\130' && cut -d ' ' -f 2 "$folder/octal" | bytes; } >"$folder/labels"
    data=$folder/images,$folder/labels
}

# Options that must not change what is trained.
same_bytes() {
    call 0 --data "$data" --epochs 3 --save "$folder/memory" "$@" && grep -q '; in memory$' "$folder/out" && accuracy=$(tail -n 1 "$folder/out") &&
        call 0 --data "$data" --epochs 3 --save "$folder/stream" --stream "$@" && grep -q '; read from its files in every epoch$' "$folder/out" &&
        [ "$(tail -n 1 "$folder/out")" = "$accuracy" ] && cmp "$folder/memory" "$folder/stream"
}

is_refused() {
    hint=$1
    shift
    call 1 --stream "$@" && one_sentence "$hint"
}
compressed_is_refused() {
    gzip -k "$folder/images" && is_refused 'images.gz: is compressed.*unpack it' --data "$folder/images.gz,$folder/labels" &&
        call 0 --data "$folder/images.gz,$folder/labels" --epochs 1
}

# Ends the run in the background by signal $1 after its second epoch; it must end with status $2.
break_off() {
    rm -f "$folder/broken"
    start --data "$data" --stream --batch 2 --epochs 100000 --save "$folder/broken"
    wait_for '^epoch *2/' && stops_with "$1" "$2"
}

# cut_ends COMMAND..: the images lose their end while the command trains on them. It ends with one sentence; of ranks that take no
# step together, each may say it.
apart=
cut_ends() {
    cp "$folder/images" "$folder/cut"
    : >"$folder/out"
    timeout -k 5 120 "$@" train mlp --data "$folder/cut,$folder/labels" --stream --epochs 100000 >"$folder/out" 2>"$folder/err" </dev/null &
    pid=$! status=0
    wait_for '^epoch *2/' || return 1
    : >"$folder/cut"
    wait "$pid" || status=$?
    [ $status = 1 ] && { [ -n "$apart" ] || [ "$(grep -c '^rungs train mlp: ' "$folder/err")" = 1 ]; } && grep -q 'cut: cannot be read: it has become shorter' "$folder/err"
}

# On from memory, to two epochs more than were done; the same without a break.
goes_on() {
    break_off "$@" && call 1 --resume "$folder/broken" --epochs 1 || return 1
    epochs=$(sed -n 's/.*has done \([0-9]*\) epochs.*/\1/p' "$folder/err")
    call 0 --resume "$folder/broken" --epochs $((epochs + 2)) && call 0 --data "$data" --stream --batch 2 --epochs $((epochs + 2)) --save "$folder/whole" &&
        cmp "$folder/whole" "$folder/broken"
}

# on RANKS ARGUMENT..: trains there.
on() {
    ranks=$1 status=0
    shift
    timeout -k 5 120 sh tools/mpirun.sh "$ranks" "$rungs" train mlp --data "$data" "$@" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    [ "$status" = 0 ]
}
same_bytes_on() {
    ranks=$1
    shift
    on "$ranks" --epochs 3 --validation 0.2 --save "$folder/memory" --json "$folder/memory.json" "$@" &&
        on "$ranks" --epochs 3 --validation 0.2 --save "$folder/stream" --json "$folder/stream.json" --stream "$@" || return 1
    for key in test_loss test_accuracy; do
        [ "$(grep "\"$key\"" "$folder/memory.json")" = "$(grep "\"$key\"" "$folder/stream.json")" ] || return 1
    done
    cmp "$folder/memory" "$folder/stream"
}

write_idx
# Two ranks that train by strategy $2, for cut_ends.
# shellcheck disable=SC2016
echo 'program=$1 parallel=$2 && shift 4 && exec sh tools/mpirun.sh 2 "$program" train mlp --parallel "$parallel" "$@"' >"$folder/on2"
check "the same bytes" same_bytes
check "the same bytes, with a validation part and a partial batch" same_bytes --validation 0.1 --batch 7 --normalize minmax
check "the same bytes, as they are in the file" same_bytes --normalize none --drop-last --lr 0.0001
check "the same bytes in micro-batches" same_bytes --micro-batches 3
check "goes on after Ctrl-C" goes_on INT 130
check "goes on after kill -9" goes_on KILL 137
check "a file that is cut while it is read" cut_ends "$rungs"
check "compressed files" compressed_is_refused
check "a table" is_refused 'digits: cannot be read sample by sample: --stream takes mnist, fashion or two IDX files' --data digits
check "no such file" is_refused 'nowhere: cannot be opened' --data "$folder/nowhere,$folder/labels"
if [ "${MPI:-0}" = 1 ] && command -v "${MPIRUN:-mpirun}" >/dev/null 2>&1; then
    check "the same bytes on 3 ranks" same_bytes_on 3
    check "the same bytes on 2 ranks, of which one is a server" same_bytes_on 2 --parallel server
    check "the same bytes on 2 ranks, by gossip" same_bytes_on 2 --parallel gossip
    check "a file that is cut while 3 ranks read it" cut_ends sh tools/mpirun.sh 3 "$rungs"
    check "a file that is cut, server" cut_ends sh "$folder/on2" "$rungs" server
    apart=1
    check "a file that is cut, gossip" cut_ends sh "$folder/on2" "$rungs" gossip
    check "a file that is cut, async" cut_ends sh "$folder/on2" "$rungs" async
else
    skipped=1
    echo "skipped training on several ranks: there is no MPI here"
fi
finish "cli/train_stream"
