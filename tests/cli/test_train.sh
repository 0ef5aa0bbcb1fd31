#!/bin/sh
# `rungs train mlp` end to end: what it prints, how well it learns, what it writes, what it refuses. Breaking off and going on
# is test_resume.sh's; what is in the JSON is test_train_mlp.c's.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
command_words='train mlp'

# is_refused STATUS HINT ARGUMENT..: one sentence of one line on stderr that contains HINT.
is_refused() {
    wanted=$1 hint=$2
    shift 2
    call "$wanted" "$@" && [ "$(wc -l <"$folder/err")" = 1 ] && grep -q -e "$hint" "$folder/err" &&
        grep -q '^rungs train mlp: ' "$folder/err"
}

# The last line of the last call: its accuracy, the samples that were right, and how many there were.
last_line() { tail -n 1 "$folder/out"; }
accuracy() { last_line | sed -n 's/^test accuracy \([01]\.[0-9]\{4\}\) ([0-9]*\/[0-9]*)$/\1/p'; }

last_line_is_exact() {
    call 0 --data iris --epochs 2 && last_line | grep -Eq '^test accuracy [01]\.[0-9]{4} \([0-9]+/30\)$' || return 1
    last_line | sed 's/[^0-9./]/ /g; s/\// /' | awk '{ exit !(sprintf("%.4f", $2 / $3) == $1) }'
}

says_what_it_trains_on() {
    call 0 --data iris --epochs 2 --hidden 5,4 --activation tanh || return 1
    for text in 'iris: 150 samples of 1 x 1 x 4, 3 classes' '120 to train, 0 to validate, 30 to test' \
        '2 epochs of 15 steps of 8 samples' 'adam, rate 0.01' 'seed 1' 'kernels best' 'tanh'; do
        grep -q -e "$text" "$folder/out" || { echo "not said: $text"; return 1; }
    done
}

has_a_line_for_each_epoch() { call 0 --data iris --epochs 7 && [ "$(grep -c '^epoch  *[1-7]/7  loss [0-9.]*  rate ' "$folder/out")" = 7 ]; }

# The mean over five seeds; no single one may be far off.
learns_digits() {
    sum=0
    for seed in 1 2 3 4 5; do
        call 0 --data digits --seed $seed || return 1
        value=$(accuracy)
        echo "${value:-0}" | awk '{ exit !($1 >= 0.94) }' || { echo "seed $seed: ${value:-none}"; return 1; }
        sum="$sum $value"
    done
    echo "$sum" | awk '{ for (i = 1; i <= NF; i++) sum += $i; exit !(sum / 5 >= 0.965) }' || { echo "accuracies:$sum"; return 1; }
}

learns_iris() {
    call 0 --data iris --seed 1 && accuracy | awk '{ exit !($1 >= 0.85) }'
}

learns_with_every_optimizer() {
    for optimizer in sgd momentum nesterov adam; do
        rate=0.1
        [ $optimizer = adam ] && rate=0.003
        call 0 --data digits --epochs 15 --optimizer $optimizer --lr $rate || return 1
        accuracy | awk '{ exit !($1 >= 0.9) }' || { echo "$optimizer"; return 1; }
    done
}

learns_a_file() {
    printf 'x,y,class\n' >"$folder/xor.csv"
    awk 'BEGIN { srand(3); for (i = 0; i < 200; i++) { a = rand(); b = rand(); print a "," b "," ((a > 0.5) != (b > 0.5) ? "odd" : "even") } }' \
        >>"$folder/xor.csv"
    call 0 --data "$folder/xor.csv" --epochs 100 --lr 0.01 && accuracy | awk '{ exit !($1 >= 0.8) }'
}

# Options that must not change a bit of the result: $1 and $2 are two sets of them.
same_bytes() {
    # A set is several arguments.
    # shellcheck disable=SC2086
    call 0 --data digits --epochs 3 --save "$folder/a" $1 && call 0 --data digits --epochs 3 --save "$folder/b" $2 &&
        cmp -s "$folder/a" "$folder/b"
}
other_bytes() { ! same_bytes "$1" "$2" && [ "$status" = 0 ]; }

naive_is_close_to_best() {
    call 0 --data digits --epochs 5 --kernels naive --csv "$folder/naive.csv" && call 0 --data digits --epochs 5 --csv "$folder/best.csv" &&
        awk -F, 'NR == FNR { loss[$1] = $2; next } FNR > 1 && ($2 - loss[$1]) ^ 2 > 1e-6 { bad = 1 } END { exit bad || FNR != 6 }' \
            "$folder/naive.csv" "$folder/best.csv"
}

csv_is_right() {
    call 0 --data iris --epochs 4 --validation 0.2 --schedule step:15:0.5 --csv "$folder/h.csv" || return 1
    [ "$(head -n 1 "$folder/h.csv")" = epoch,loss,validation_accuracy,rate,seconds,ranks,parallel,overlap,collectives,samples_per_second ] &&
        awk -F, 'NR > 1 && (NF != 10 || $1 != NR - 1 || $2 + 0 <= 0 || $3 + 0 < 0 || $3 + 0 > 1 || $5 + 0 < 0 || $6 != 1 || $7 != "none" || $8 $9 != "" || $10 + 0 <= 0) { bad = 1 }
                 NR > 1 && ($4 - 0.01 * 0.5 ^ (NR - 2)) ^ 2 > 1e-12 { bad = 1 } END { exit bad || NR != 5 }' "$folder/h.csv"
}

writes_to_stdout() { call 0 --data iris --epochs 2 --csv /dev/stdout && grep -q '^epoch,loss,' "$folder/out"; }

checkpoint_has_no_date() {
    call 0 --data iris --epochs 2 --save "$folder/c" || return 1
    ! grep -q "$(date +%Y)-" "$folder/c" && ! grep -q '"seconds"' "$folder/c"
}

no_test_samples() { call 0 --data iris --epochs 2 --test 0 && last_line | grep -q '^test accuracy unknown (no test samples)$'; }
no_hidden_layer() { call 0 --data iris --epochs 20 --hidden '' && grep -q '^15 parameters' "$folder/out"; }

# A default batch is made to fit, in words; a given one is refused if it does not.
small_data_get_a_small_batch() {
    printf '1,2,a\n2,1,b\n3,2,a\n4,1,b\n5,2,a\n' >"$folder/small.csv"
    call 0 --data "$folder/small.csv" --test 0 --epochs 2 --save "$folder/small" &&
        grep -q '^training  2 epochs of 1 step of 5 samples' "$folder/out" &&
        grep -q '^note  *the default batch of 32 is more than the 5 samples to train' "$folder/out" || return 1
    call 0 --resume "$folder/small" --epochs 3 && call 0 --data "$folder/small.csv" --test 0 --epochs 3 --batch 5 --save "$folder/five" &&
        ! grep -q '^note' "$folder/out" && cmp "$folder/small" "$folder/five" &&
        is_refused 2 '--batch 6 is more than the 5 training samples of small.csv' --data "$folder/small.csv" --test 0 --batch 6
}

# Without OpenMP --threads 2 is 1.
says_how_many_threads() {
    call 0 --data iris --epochs 1 --threads 2 || return 1
    if grep -q '^machine .* 2 threads' "$folder/out"; then
        ! grep -q 'no OpenMP' "$folder/out"
    else
        grep -q '^machine .* 1 thread,' "$folder/out" && grep -q '^note  *--threads 2 is 1 here: this build has no OpenMP' "$folder/out"
    fi
}

keeps_pairs_of_files_apart() {
    mkdir -p "$folder/pair" && cp "$0" "$folder/pair/images" && cp "$0" "$folder/pair/labels" && cd "$folder/pair" || return 1
    is_refused 2 '--save and --data are the same file, labels' --data images,labels --save labels
    result=$?
    cd "$OLDPWD" && return $result
}

names_step_and_cause() {
    is_refused 1 'in step [0-9]* (epoch 1): the learning rate 1e+25 is probably too high, so try 0.1' --data iris --optimizer sgd --lr 1e25
}

nan_in_the_data() {
    printf '1,2,a\n3,nan,b\n1,1,a\n2,2,b\n1,3,a\n' >"$folder/nan.csv"
    is_refused 1 "nan.csv" --data "$folder/nan.csv"
}

full_disk() {
    status=0
    # A limit on the size of files stands for a full disk.
    (trap '' XFSZ && ulimit -f 4 && "$rungs" train mlp --data digits --epochs 2 --save "$folder/full" >/dev/null 2>"$folder/err") || status=$?
    : >"$folder/out"
    [ "$status" = 1 ] && grep -q "cannot write $folder/full" "$folder/err" && [ ! -e "$folder/full" ] &&
        [ "$(find "$folder" -name '*.tmp' | wc -l)" = 0 ]
}

# idx NAME COUNT: COUNT images of 2 x 2 and their labels in the form of MNIST; class 1 is bright.
idx() {
    count=$(printf '\\%o' "$2")
    # Escapes are in the formats on purpose.
    # shellcheck disable=SC2059
    {
        printf "\\0\\0\\10\\3\\0\\0\\0$count\\0\\0\\0\\2\\0\\0\\0\\2" >"$folder/mnist/$1-images-idx3-ubyte"
        printf "\\0\\0\\10\\1\\0\\0\\0$count" >"$folder/mnist/$1-labels-idx1-ubyte"
        for i in $(seq "$2"); do
            [ $((i % 2)) = 0 ] && printf '\3\7\1\5' || printf '\310\311\312\310'
        done >>"$folder/mnist/$1-images-idx3-ubyte"
        for i in $(seq "$2"); do printf "\\$((i % 2))"; done >>"$folder/mnist/$1-labels-idx1-ubyte"
    }
}

keeps_the_test_part_of_mnist() {
    mkdir -p "$folder/mnist" && idx train 40 && idx t10k 10 && export RUNGS_DATA="$folder" &&
        call 0 --data mnist --epochs 20 --batch 8 --hidden 4 --lr 0.03 --validation 0.25 --test 0.9 || return 1
    grep -q '30 to train, 10 to validate, 10 to test' "$folder/out" && last_line | grep -q '^test accuracy 1.0000 (10/10)$'
}

hints_at_a_wrong_rate() {
    call 0 --data digits --epochs 2 --optimizer sgd --lr 1000 && grep -q '^hint  *guessing has a loss of 2.3026' "$folder/out" &&
        call 0 --data digits --epochs 2 && ! grep -q '^hint' "$folder/out"
}

says_what_adds_to_the_loss() { call 0 --data iris --epochs 1 --weight-decay 0.25 && grep -q 'weight decay 0.25' "$folder/out"; }

# The result of a long run is not lost with a file that cannot be written at its end.
prints_the_result_all_the_same() {
    [ -c /dev/full ] || return 0
    for option in --csv --json; do
        is_refused 1 'cannot write /dev/full' --data iris --epochs 1 $option /dev/full && last_line | grep -q '^test accuracy' || return 1
    done
    call 1 --data iris --epochs 1 --csv /dev/full --json "$folder/saved.json" && [ -s "$folder/saved.json" ] &&
        is_refused 1 'cannot write /dev/full' --data iris --epochs 1 --trace /dev/full
}

keeps_files_apart() {
    printf '1,2,a\n3,4,b\n' >"$folder/own.csv"
    ln -s own.csv "$folder/link.csv"
    ln "$folder/own.csv" "$folder/hard"
    is_refused 2 '--csv and --json are the same file' --data iris --csv "$folder/f" --json "$folder/f" &&
        is_refused 2 '--save and --trace are the same file' --data iris --save "$folder/f" --trace "$folder/./f" &&
        is_refused 2 '--save and --data are the same file' --data "$folder/own.csv" --save "$folder/link.csv" &&
        is_refused 2 '--data and --csv are the same file' --data "$folder/own.csv" --csv "$folder/hard" &&
        call 0 --data iris --epochs 1 --save "$folder/s" && is_refused 2 '--json and --resume are the same file' --resume "$folder/s" --json "$folder/s" &&
        is_refused 1 'cannot create' --csv "$folder/no/x" --json x && grep -q '^1,2,a' "$folder/own.csv" &&
        call 0 --data iris --epochs 1 --csv /dev/null --json /dev/null &&
        (cd "$folder" && call 0 --data iris --epochs 1 --save iris && call 0 --data iris --epochs 1 --save iris)
}

check "the last line has the promised form" last_line_is_exact
check "the plan is printed" says_what_it_trains_on
check "a log has a line for each epoch" has_a_line_for_each_epoch
check "digits: mean over five seeds at least 0.965" learns_digits
check "iris is learnt" learns_iris
check "every optimiser learns" learns_with_every_optimizer
check "a CSV file is learnt" learns_a_file
check "same seed, same bytes" same_bytes "" ""
check "1 and 2 threads, same bytes" same_bytes "--threads 1" "--threads 2"
check "1 and 3 threads, same bytes, naive kernels" same_bytes "--kernels naive --threads 1" "--kernels naive --threads 3"
check "saving more often, same bytes" same_bytes "--save-every 1" "--save-every 3"
check "another seed, other bytes" other_bytes "--seed 1" "--seed 2"
check "another rate, other bytes" other_bytes "--lr 0.01" "--lr 0.011"
check "naive and best kernels have nearly the same losses" naive_is_close_to_best
check "the CSV has the promised columns" csv_is_right
check "the CSV can go to stdout" writes_to_stdout
check "a checkpoint has no date" checkpoint_has_no_date
check "no test samples are no error" no_test_samples
check "small data get a small batch" small_data_get_a_small_batch
check "too many threads are said" says_how_many_threads
check "no file serves two purposes, images and labels" keeps_pairs_of_files_apart
check "no hidden layer is no error" no_hidden_layer
check "divergence names step and cause" names_step_and_cause
check "a NaN in the data is refused" nan_in_the_data
check "a full disk is an error and leaves nothing" full_disk
check "the test part of mnist stays one" keeps_the_test_part_of_mnist
check "a loss worse than guessing gets a hint" hints_at_a_wrong_rate
check "weight decay is said" says_what_adds_to_the_loss
check "the result is printed whatever happens to the files" prints_the_result_all_the_same
check "no file serves two purposes" keeps_files_apart

check "--epochs 0" is_refused 2 '--epochs: 0 is out of range' --epochs 0
check "--batch 0" is_refused 2 '--batch: 0 is out of range' --batch 0
check "--batch above the data" is_refused 2 '--batch 5000 is more than the 1438 training samples of digits: give --batch 1438 or less' --batch 5000
check "--hidden 0" is_refused 2 '--hidden: 0 is out of range' --hidden 0
check "--hidden beyond memory" is_refused 2 'a network of 1000009000003 parameters needs 14.6 TiB' --data iris --hidden 1000000,1000000
check "--hidden with a word" is_refused 2 '--hidden: "ten" is not a whole number' --hidden 64,ten
check "--threads -1" is_refused 2 '--threads: -1 is out of range' --threads=-1
check "--lr nan" is_refused 2 '--lr: "nan" is not a number' --lr nan
check "--lr 0" is_refused 2 '--lr: 0 is out of range' --lr 0
check "--lr -1" is_refused 2 '--lr: -1 is out of range' --lr=-1
check "--momentum 1" is_refused 2 '--momentum: 1 is out of range' --momentum 1
check "--activation with a wrong word" is_refused 2 'did you mean relu' --activation rely
check "--optimizer with a wrong word" is_refused 2 'sgd|momentum|nesterov|adam' --optimizer newton
check "--schedule with a wrong word" is_refused 2 'schedule' --schedule sinus
check "--validation and --test above 1" is_refused 2 '1 at most together' --validation 0.6 --test 0.6
check "nothing left to train on" is_refused 2 'no samples are left for training' --data iris --validation 0.5 --test 0.5
check "an unknown data set" is_refused 1 'there is no data set "digit"' --data digit
check "a missing file" is_refused 1 'nowhere.csv: cannot be opened' --data "$folder/nowhere.csv"
check "mnist that is not there" env RUNGS_DATA="$folder/none" sh -c "\"$rungs\" train mlp --data mnist 2>&1 | grep -q 'mnist is not in'"
check "--save into a missing folder" is_refused 1 'cannot create' --save "$folder/no/where"
check "--csv onto a folder" is_refused 1 'it is a folder' --csv "$folder"
check "--resume of a missing file" is_refused 1 'cannot be opened' --resume "$folder/nowhere"
check "--resume without a name" is_refused 1 'the name of the file to read is empty' --resume ""
check "an argument that is no option" is_refused 2 'unexpected argument "digits"' digits

finish "cli/train"
