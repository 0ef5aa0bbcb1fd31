#!/bin/sh
# `make labs-check` must be able to fail, and say what to do: tried in a clone of this tree. SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 1
name=labs_check
# shellcheck source=tests/labs/labs.sh
. tests/labs/labs.sh
if is_handout; then
    skip 1 "labs-check: this is a handout, where there is nothing to prove"
    finish
fi
build_objects
clone_tree
verdict $? "a clone of this tree"
cd "$work/tree" || finish
mine=exercises/01-perceptron/perceptron.c

# It is stopped when it comes to the grading, which is not meant here and takes long.
check() { sed '/^for lab in .*labs_all/,$d' tools/labs_check.sh >tools/check_files.sh && sh tools/check_files.sh >"$work/log" 2>&1; }
# finds TEXT WHAT
finds() {
    check
    says "$1"
    verdict $? "$2"
    git checkout -q -- . && git clean -q -f -d
}

check
! says FAILED && says 'ok .*perceptron.c is freshly cut'
verdict $? "the tree is in order"
cp src/perceptron.c $mine
check
says "$mine holds somebody's solution" && says 'make reset LAB=01 FILE=perceptron.c' && says "FAILED  $mine is freshly cut" &&
    ! says 'make labs cuts it again'
verdict $? "a solved exercise is called so, with what to do"
LAB=01 FILE=perceptron.c sh tools/labs_reset.sh >"$work/log" 2>&1 && check && says "ok .*$mine is freshly cut"
verdict $? "and that helps"
git checkout -q -- .
sed 's/EXERCISE 01.1  Predict/EXERCISE 01.1  Foretell/' src/perceptron.c >"$work/changed.c" && cp "$work/changed.c" src/perceptron.c
finds "$mine is not what is cut from the reference now; make labs cuts it again" "an old skeleton"
rm $mine
finds "$mine is missing: make labs" "a skeleton that is missing"
echo '#include "src/mlp.c"' >solutions/01-perceptron/perceptron.c
finds 'FAILED  solutions/01-perceptron/perceptron.c includes the reference' "another file in solutions/"
printf 'void leak(void)\n{\n        w[0]  += r * (y - yhat);\n}\n' >>tests/labs/lab_01.c
finds 'FAILED  no line of a solution stands in tests/labs' "a line of a solution in a test"
finish
