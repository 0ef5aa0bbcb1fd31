#!/bin/sh
# rungs train perceptron, train xor and gradcheck: what they print, write and refuse.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"

check "AND has the golden weights" prints 'w0 = -3 w1 = 2 w2 = 1$' train perceptron --data and
check "AND takes 6 epochs" prints '^converged after 6 epochs, 11 updates' train perceptron --data and
check "OR takes 4 epochs" prints '^converged after 4 epochs, 5 updates' train perceptron --data or
check "NAND converges" prints '^converged after 6 epochs' train perceptron --data nand
check "XOR says why not" prints 'No line separates XOR' train perceptron --data xor
check "XOR repeats" prints 'from here on the epochs repeat' train perceptron --data xor
check "setosa converges" prints '150 of 150 (100.0 %)' train perceptron --data iris --class setosa
check "a class by its number" prints 'setosa is +1 (50)' train perceptron --data iris --class 0
check "virginica does not" prints '^not converged after 50 epochs' train perceptron --class versicolor --against virginica --epochs 50
check "a random start converges too" prints '^converged' train perceptron --data and --start random --seed 3
check "two features" prints '150 samples of 2 inputs' train perceptron --features 3,4

check "no such class" refuses 2 "did you mean 'versicolor'" train perceptron --class versicolour
check "no such feature" refuses 2 'iris has 4 features' train perceptron --features 3,5
check "one class twice" refuses 2 'both' train perceptron --class 1 --against versicolor
check "a class of a function" refuses 2 'function of two bits' train perceptron --data and --class 1
check "rate 1" refuses 2 '0 < r < 1' train perceptron --rate 1
check "rate 0" refuses 2 '0 < r < 1' train perceptron --rate 0
check "no such file" refuses 1 'nowhere.csv' train perceptron --data "$folder/nowhere.csv"
check "no such folder" refuses 1 'nowhere' train perceptron --csv "$folder/nowhere/x.csv"
for command in "train perceptron" "train xor" gradcheck "bench mlp"; do
    # shellcheck disable=SC2086 # a command is one word or two
    check "$command: one file for two results" refuses 2 'are the same file' $command --csv "$folder/f" --json "$folder/./f"
done
check "four inputs have no boundary" refuses 2 '--features' train perceptron --boundary "$folder/boundary.csv"
check "no epochs" refuses 2 '--epochs' train perceptron --epochs 0

printf '1,0.5,no\n2,0.25,yes\n3,0.5,yes\n' >"$folder/own.csv"
check "a file of one's own" prints '3 samples of 2 inputs' train perceptron --data "$folder/own.csv"

writes_epochs() {
    call 0 train perceptron --data and --csv "$folder/epochs.csv" &&
        [ "$(head -n 1 "$folder/epochs.csv")" = epoch,mistakes,w0,w1,w2 ] && [ "$(tail -n 1 "$folder/epochs.csv")" = 6,0,-3,2,1 ]
}
check "every epoch as CSV" writes_epochs
writes_boundary() {
    call 0 train perceptron --data or --boundary "$folder/or.csv" &&
        [ "$(sed -n 3p "$folder/or.csv")" = 0,1,1,1,-1,1,1 ] && [ "$(wc -l <"$folder/or.csv")" = 5 ]
}
check "samples and weights as CSV" writes_boundary
writes_json() { call 0 train perceptron --data or --json "$folder/or.json" && grep -q '"epochs":[[:space:]]*4,' "$folder/or.json"; }
check "the perceptron's result as JSON" writes_json

check "XOR by two layers" prints '^solved: since epoch' train xor --hidden 3
check "XOR by three layers" prints '^   *2000  ' train xor --hidden 4,4 --epochs 2000 --batch 1
check "XOR without a hidden layer" prints 'no line separates XOR' train xor --hidden '' --epochs 200
check "XOR unsolved" prints '^not solved: ' train xor --epochs 2
check "an empty layer" refuses 2 '--hidden' train xor --hidden 2,0
writes_cost() {
    call 0 train xor --epochs 7 --csv "$folder/cost.csv" --boundary "$folder/grid.csv" --json "$folder/xor.json" &&
        [ "$(wc -l <"$folder/cost.csv")" = 8 ] && [ "$(wc -l <"$folder/grid.csv")" = 3722 ] && grep -q '"solved":' "$folder/xor.json"
}
check "XOR's files" writes_cost
repeats() {
    call 0 train xor --epochs 100 --seed 5 && cp "$folder/out" "$folder/first" && call 0 train xor --epochs 100 --seed 5 &&
        cmp -s "$folder/out" "$folder/first"
}
check "the same seed prints the same" repeats

check "a convolution as a matrix" prints '^   1   2   \.   3   4   \.   \.   \.   \.   y\[0\] = 37$' toeplitz
check "its other end, with a bias" prints '^   \.   \.   \.   \.   1   2   \.   3   4   y\[3\] = 78$' toeplitz --bias 1
check "a kernel that does not fit" call 2 toeplitz --height 2 --kernel 3

check "a list with a slip" refuses 2 '--bytes is "1,x,3,4", expected numbers' timeline --bytes 1,x,3,4
check "lists of two lengths" refuses 2 '--backward has 4 layers and --bytes 3' timeline --bytes 1,2,3
if call 0 timeline; then
    check "a step, layer by layer" prints '^  wfbp  *16.5  *9  *7.5  *1.5   {4} {3} {2} {1}$' timeline --latency 1
    check "the same in buckets" prints '^  ddp  *20  *14  *9  *5   {4} {3 2} {1}$' timeline --first-bucket 4 --bucket 5
    check "where the greedy rule loses" prints '^  optimal  *20.5 ' timeline --backward 2,2,2,2,2,2 --bytes 0.1,0.1,0.1,0.1,0.1,5 --per-byte 1
else
    echo "skipped: steps of data-parallel SGD: this build is without MPI"
    skipped=$((skipped + 1))
fi

check "all derivatives" prints '^all 29 ok at 20 points each' gradcheck --points 20
check "other points" prints '^all 29 ok at 1 point each' gradcheck --points 1 --seed 99
check "a tolerance nobody meets" call 1 gradcheck --tolerance 1e-15
check "the tape" prints '^   6  add .* 7 ' gradcheck --tape
writes_points() {
    call 0 gradcheck --points 3 --csv "$folder/points.csv" --json "$folder/points.json" &&
        [ "$(wc -l <"$folder/points.csv")" = 88 ] && grep -q '"failed":[[:space:]]*0' "$folder/points.json"
}
check "every point as CSV" writes_points

is_svg() { grep -q '<svg' "$1" && grep -q '</svg>' "$1" && [ "$(wc -c <"$1")" -lt 60000 ]; }
draws() {
    call 0 train perceptron --features 3,4 --svg "$folder/iris.svg" && is_svg "$folder/iris.svg" &&
        call 0 train xor --epochs 100 --svg "$folder/xor.svg" --svg-loss "$folder/loss.svg" && is_svg "$folder/xor.svg" &&
        is_svg "$folder/loss.svg"
}
without_gnuplot() {
    status=0
    PATH=/nonexistent "$rungs" train xor --epochs 1 --svg "$folder/none.svg" >"$folder/out" 2>"$folder/err" || status=$?
    [ "$status" = 1 ] && [ "$(wc -l <"$folder/err")" = 1 ] && grep -q gnuplot "$folder/err" && [ ! -e "$folder/none.svg" ]
}
if command -v gnuplot >/dev/null 2>&1; then
    check "figures" draws
else
    echo "skipped: figures: gnuplot is not installed"
    skipped=$((skipped + 1))
fi
case $rungs in
/*) ;;
*) rungs=./$rungs ;;
esac
check "no gnuplot, one sentence" without_gnuplot

finish "lecture commands"
