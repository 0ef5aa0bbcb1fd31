#!/bin/sh
# A program that was copied away from the folder in which it was made, and that folder is gone: what it cannot find it says, and what
# to do. The folder is not removed: in the copy its path is another one, of the same length.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
root=$(pwd -P)
gone=${root%?}_
[ "$gone" != "$root" ] || gone=${root%?}-
mkdir "$folder/away"
LC_ALL=C sed "s|$(printf '%s' "$root" | sed 's/[][\\.*^$|]/\\&/g')|$gone|g" "$rungs" >"$folder/away/rungs"
chmod +x "$folder/away/rungs"
rungs=$folder/away/rungs

data_are_asked_for() {
    call 1 train mlp --data iris && [ "$(wc -l <"$folder/err")" = 1 ] &&
        grep -q "iris.csv is in no folder data/ above the program, nor in $gone/data; put the program back .* or copy" "$folder/err"
}
advice_works() {
    mkdir "$folder/away/data" && cp data/iris.csv "$folder/away/data" && call 0 train mlp --data iris --epochs 1 || return 1
    rm -r "$folder/away/data"
}
# The doctor does not take a script that is not there for an MPI that does not work.
doctor_says_what_is_gone() {
    call 1 doctor && grep -q "^  BROKEN  *digits  *digits.csv.gz is in no folder" "$folder/out" || return 1
    if grep -q '^  missing  *MPI' "$folder/out"; then return 0; fi
    grep -q "^  note  *MPI .*not tried: $gone/tools/mpirun.sh" "$folder/out" && ! grep -q '^  BROKEN  *MPI' "$folder/out"
}
peer_is_explained() {
    call 0 bench mlp --threads 1 --rounds 2 --seconds 0.001 --torch sh &&
        grep -q "^  pytorch  *skipped: $gone/tools/peers/torch_step.py is not there; " "$folder/out"
}

if [ -e "$gone" ]; then
    skipped=4
    echo "skipped: a program that was moved: $gone exists"
else
    check "data that are not found" data_are_asked_for
    check "data beside the program" advice_works
    check "the doctor" doctor_says_what_is_gone
    check "the peer of bench mlp" peer_is_explained
fi
finish "cli/moved"
