#!/bin/sh
# The program `rungs` from outside: help, version, wrong calls.
# The commands and their options are read from the program's own help, so that a new command is tested without a change here.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"

# A wrong call: exit status 2, nothing on stdout, one sentence of one line on stderr that contains HINT.
is_refused() {
    hint=$1
    shift
    call 2 "$@" && one_sentence "$hint"
}

# Help is about the command itself and on stdout alone.
has_help() { call 0 "$@" --help && grep -q "usage: rungs $*" "$folder/out" && [ ! -s "$folder/err" ]; }

version() { call 0 --version && grep -Eq '^rungs [0-9]+\.[0-9]+\.[0-9]+ \([^ ()][^()]*\)$' "$folder/out" && [ "$(wc -l <"$folder/out")" = 1 ]; }
lists() { call 0 "$1" && grep -q 'rungs doctor' "$folder/out" && grep -q 'rungs train NETWORK' "$folder/out"; }
lists_models() { call 0 train --help && grep -q 'rungs train xor' "$folder/out" && ! grep -q doctor "$folder/out"; }

# Every option that the source of a command's option table names stands in its help.
mentions_options() {
    source=$1
    shift
    call 0 "$@" --help || return 1
    sed -n 's/^ *{ *"\([a-z][a-z0-9-]*\)", *OPTION_.*/\1/p; s/^ *{\.name = "\([a-z][a-z0-9-]*\)".*/\1/p' "$source" >"$folder/names"
    [ -s "$folder/names" ] || { echo "no options found in $source"; return 1; }
    while read -r option; do
        grep -q -e "--$option" -e "--\[no-\]$option" "$folder/out" || { echo "--$option is not in the help"; return 1; }
    done <"$folder/names"
}

full_disk() {
    status=0
    "$rungs" --help >/dev/full 2>"$folder/err" || status=$?
    : >"$folder/out"
    [ "$status" = 1 ] && grep -q 'cannot write to standard output' "$folder/err"
}

# `head` leaves early: no complaint may follow.
closed_pipe() {
    status=0
    { "$rungs" --help 2>"$folder/err" || status=$?; } | head -n 1 >"$folder/out"
    [ ! -s "$folder/err" ]
}

# Whatever this machine is like: exit status 1 if and only if a line says BROKEN, a verdict at the end, the same in the JSON file.
doctor_agrees_with_itself() {
    status=0
    "$rungs" doctor --json "$folder/doctor.json" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    broken=$(grep -c '^  BROKEN ' "$folder/out")
    case $status in
    0) [ "$broken" = 0 ] || return 1 ;;
    1) [ "$broken" -gt 0 ] || return 1 ;;
    *) return 1 ;;
    esac
    verdict=$(tail -n 1 "$folder/out")
    [ -n "$verdict" ] && grep -q "\"verdict\":.*\"$verdict\"" "$folder/doctor.json" && grep -q '"digits"' "$folder/doctor.json"
}
doctor_notes_variables() {
    status=0
    OMP_SCHEDULE=dynamic "$rungs" doctor >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    grep -q 'note  *environment  *OMP_SCHEDULE=dynamic' "$folder/out"
}
# Every one of the list by which the benchmarks clean their environment.
doctor_notes_handicaps() {
    names=$(sed -n 's/^ *{"\([A-Z0-9_]*\)", .*/\1/p' src/ladder/handicaps.c)
    status=0
    # shellcheck disable=SC2046,SC2086
    env $(printf '%s=1 ' $names) "$rungs" doctor >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    for name in $names; do
        [ "$(grep -c "note  *environment  *$name=1: " "$folder/out")" = 1 ] || { echo "$name is not noted once"; return 1; }
    done
}
doctor_needs_its_file() {
    status=0
    "$rungs" doctor --json "$folder/no/such/folder/x" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    [ "$status" = 1 ] && grep -q 'no/such/folder' "$folder/err"
}

check "--version prints one line" version
check "--help lists the commands" lists --help
check "help lists the commands" lists help
check "train --help lists the models" lists_models
check "no command is refused" is_refused "a command is missing"
check "an unknown command is refused" is_refused "there is no command 'qqqqqqqq'" qqqqqqqq
check "a mistyped command gets the right one" is_refused "did you mean 'rungs train'" tarin
check "a mistyped model gets the right one" is_refused "did you mean 'rungs train mlp'" train mpl
check "a missing model is refused" is_refused "train --help" train
check "an unknown model is refused" is_refused "there is no 'zzzzzz'" train zzzzzz
check "an option in place of a command is refused" is_refused "there is no command '--epochs'" --epochs
check "an empty command is refused" is_refused "there is no command ''" ""
check "a very long command is refused" is_refused "there is no command" "$(printf '%0600d' 7)"
[ ! -w /dev/full ] || check "a full disk is an error" full_disk
check "a closed pipe is no error" closed_pipe

check "doctor agrees with itself" doctor_agrees_with_itself
check "doctor notes variables that disturb" doctor_notes_variables
check "doctor notes what slows benchmarks down" doctor_notes_handicaps
check "doctor says that its file cannot be written" doctor_needs_its_file

{ "$rungs" --help; "$rungs" train --help; } | sed -n 's/^  rungs \([a-z][a-z0-9. -]*[a-z0-9]\)  .*/\1/p' | sort -u >"$folder/commands"
while read -r words; do
    # The words of a command are several arguments.
    # shellcheck disable=SC2086
    set -- $words
    check "rungs $words --help" has_help "$@"
    check "rungs $words refuses an unknown option" is_refused "no-such-option" "$@" --no-such-option
done <"$folder/commands"

[ "$(wc -l <"$folder/commands")" -ge 20 ] || { failed=$((failed + 1)); echo "failed: --help lists too few commands"; }
check "doctor's help names its options" mentions_options src/cli/doctor.c doctor
check "train mlp's help names its options" mentions_options src/cli/train_options.c train mlp
check "train lenet's help names the options of several ranks" mentions_options mpi/parallel/strategies.c train lenet
check "train perceptron's help names its options" mentions_options src/cli/train_perceptron.c train perceptron
check "train xor's help names its options" mentions_options src/cli/train_xor.c train xor
check "gradcheck's help names its options" mentions_options src/cli/gradcheck.c gradcheck
check "toeplitz's help names its options" mentions_options src/cli/toeplitz.c toeplitz
check "timeline's help names its options" mentions_options src/cli/timeline.c timeline
check "model's help names its options" mentions_options src/cli/model.c model
check "bench gemv's help names its options" mentions_options src/cli/bench.c bench gemv

finish "cli/main"
