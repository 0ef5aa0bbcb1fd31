#!/bin/sh
# rungs model: what it prints, writes and refuses.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
# shellcheck disable=SC2034
command_words=model

# Number of cells of the slides that are not what is counted; where some are, text follows.
differs() {
    cells=$1 model=$2
    call 0 "$model" --no-layers || return 1
    [ "$(grep -c '  differs$' "$folder/out")" = "$cells" ] || return 1
    [ "$cells" = 0 ] || grep -A 99 '  differs$' "$folder/out" | grep -q 'slides'
}

# The column of that name of the file's rows, added up.
sum_of() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { s += $c } END { printf "%.0f\n", s }' "$2"
}

# What the rows of the layers add up to is the row of the list.
layers_add_up() {
    call 0 --batch 3 --csv "$folder/list.csv" && call 0 "$1" --batch 3 --csv "$folder/layers.csv" || return 1
    { head -n 1 "$folder/list.csv" && grep "^$1," "$folder/list.csv"; } >"$folder/row.csv"
    for column in weights parameters macs_forward macs_weight_gradient macs_input_gradient weight_bytes activation_bytes \
        gradient_bytes moved_bytes; do
        [ "$(sum_of $column "$folder/row.csv")" = "$(sum_of $column "$folder/layers.csv")" ] || { echo "$column"; return 1; }
    done
    [ "$(sum_of weights "$folder/row.csv")" != 0 ]
}

lists_every_model() {
    call 0 && sed -n '2,/^$/s/^\([a-z][^ ]*\) .*/\1/p' "$folder/out" >"$folder/names" && [ "$(wc -l <"$folder/names")" -ge 12 ] || return 1
    while read -r name; do
        prints "^$name: " "$name" || return 1
    done <"$folder/names"
}

writes_json() {
    call 0 resnet50 --json "$folder/model.json" && grep -q '"macs_forward":.*3857973248' "$folder/model.json" &&
        grep -q '"layer":.*"conv2d 7x7 /2"' "$folder/model.json" || return 1
    call 0 --json "$folder/all.json" && grep -q '"name":.*"vgg16"' "$folder/all.json" && ! grep -q '"reads"' "$folder/all.json"
}

check "every model that is listed" lists_every_model
check "the list shows the slides' numbers" prints '^googlenet .* 7M  *1,582,671,872  *1.43G ' --batch 1
check "a layer of AlexNet" prints '^ *4  conv2d 5x5 2g  *3 .*27 x 27 x 256  *307,456  *223,948,800  *447,897,600 ' alexnet
check "a batch" prints '^ *4  conv2d 5x5 2g  *3 .*27 x 27 x 256  *307,456  *2,239,488,000 ' alexnet --batch 10
check "the counts of one image do not depend on the batch" prints '^MACs  *3,857,973,248  *3.9G$' resnet50 --batch 64
check "without layers" sh -c "'$rungs' model vgg16 --no-layers | grep -q '138,357,544 parameters' && ! '$rungs' model vgg16 --no-layers | grep -q maxpool"
check "the paper's LeNet-5 is explained" prints '= 340,908' lenet
check "LeNet: three networks in one column" differs 6 lenet
check "AlexNet agrees" differs 0 alexnet
check "OverFeat: swapped with VGG" differs 1 overfeat
check "VGG: swapped with OverFeat" differs 1 vgg16
check "GoogLeNet: rounded down" differs 2 googlenet
check "GoogLeNet rounded down agrees" differs 0 googlenet-floor
check "ResNet-50 agrees" differs 0 resnet50
check "ResNet-50 v1.5 is another form" differs 2 resnet50-v1.5
check "a model that the slides do not have" differs 0 vgg-small
check "the layers of googlenet add up" layers_add_up googlenet
check "the layers of lenet add up" layers_add_up lenet
check "JSON" writes_json
check "a mistyped name" refuses 2 "there is no model 'resnet5'; did you mean 'resnet50'?" resnet5
check "an unknown name" refuses 2 "there is no model 'zzzzzzzzzzzz'; 'rungs model' lists them" zzzzzzzzzzzz
check "two names" refuses 2 . lenet vgg16
check "no image" refuses 2 "batch" lenet --batch 0
check "one file for both" refuses 2 "same file" lenet --csv "$folder/x" --json "$folder/x"
check "a file that cannot be written" call 1 lenet --csv "$folder/no/such/folder/x"

finish "cli/model"
