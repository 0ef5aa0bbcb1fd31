#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/fetch_data.sh against a mirror that is a folder: what it fetches, resumes, and refuses. No network is used.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

finish() {
    echo "fetch: $passed passed, $failed failed, $skipped skipped"
    [ $failed -eq 0 ]
    exit
}

if ! command -v curl >/dev/null 2>&1; then
    echo "skipped fetch: curl was not found, and only it reads file:// addresses"
    skipped=1
    finish
fi

# ---- a set of two files and one of an archive ----
mirror=$work/mirror
mkdir "$mirror"
sha() { sh -c 'sha256sum 2>/dev/null || shasum -a 256' | cut -d ' ' -f 1; }
awk 'BEGIN { for (i = 0; i < 5000; i++) print i * 7919 % 65521 }' >"$work/long"
echo "a short one" >"$work/short"
gzip -9nc "$work/long" >"$mirror/long.gz"
gzip -9nc "$work/short" >"$mirror/short.gz"
mkdir "$work/inner" && cp "$work/short" "$work/inner/data.bin"
tar -C "$work" -czf "$mirror/set.tar.gz" inner
cat >"$work/table" <<EOF
note toy Two files of nobody.
mirror toy file://$work/nowhere
mirror toy file://$mirror
file toy long.gz $(wc -c <"$work/long" | tr -d ' ') $(sha <"$work/long")
file toy short.gz $(wc -c <"$work/short" | tr -d ' ') $(sha <"$work/short")
mirror tar file://$mirror
archive tar set.tar.gz $(wc -c <"$mirror/set.tar.gz" | tr -d ' ') $(sha <"$mirror/set.tar.gz") inner/data.bin
EOF
export DATA_SETS="$work/table"

# fresh NAME: an empty folder for the next test; with a blank in its path.
fresh() {
    test_name=$1
    RUNGS_DATA=$work/data\ $1
    MIRROR=$mirror
    folder=$RUNGS_DATA/toy
    mkdir -p "$folder"
    export RUNGS_DATA MIRROR
}

# fetch STATUS SET: runs the script, and its exit status must be that.
fetch() {
    status=0
    sh tools/fetch_data.sh "$2" >"$work/out" 2>&1 </dev/null || status=$?
    [ $status -eq "$1" ] || problem="$problem exit status $status instead of $1;"
}
says() { grep -q -e "$1" "$work/out" || problem="$problem does not say \"$1\";"; }
silent_about() { grep -q -e "$1" "$work/out" && problem="$problem says \"$1\";"; }
holds() { gzip -dc <"$folder/$1" 2>/dev/null | cmp -s - "$2" || problem="$problem $1 is not right;"; }
absent() { [ ! -e "$1" ] || problem="$problem ${1##*/} is there;"; }
there() { [ -f "$1" ] || problem="$problem ${1##*/} is not there;"; }
verdict() {
    if [ -z "$problem" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $test_name:$problem"
        sed 's/^/    /' "$work/out"
    fi
    problem=
}
problem=

fresh fetches_all_files
fetch 0 toy
says "Two files of nobody"
says "toy is in $folder"
holds long.gz "$work/long"
holds short.gz "$work/short"
absent "$folder/long.gz.part"
verdict

test_name=second_run_needs_no_mirror
MIRROR=$work/nowhere
fetch 0 toy
says "long.gz: already there"
silent_about "fetching"
verdict

fresh next_mirror_is_tried
MIRROR=
fetch 0 toy
says "fetching file://$work/nowhere/long.gz"
says "fetching file://$mirror/long.gz"
holds long.gz "$work/long"
verdict

fresh part_is_resumed
head -c 3000 "$mirror/long.gz" >"$folder/long.gz.part"
fetch 0 toy
says "resuming long.gz behind 3000 bytes"
silent_about "long.gz: its"
holds long.gz "$work/long"
verdict

fresh complete_part_is_taken
cp "$mirror/long.gz" "$folder/long.gz.part"
fetch 0 toy
silent_about "fetching.*long.gz"
holds long.gz "$work/long"
verdict

fresh damaged_part_is_fetched_anew
{ head -c 2000 "$mirror/long.gz" && head -c 1000 /dev/zero; } >"$folder/long.gz.part"
fetch 0 toy
says "resuming long.gz behind 3000 bytes"
says "cut off or damaged"
holds long.gz "$work/long"
verdict

fresh part_longer_than_the_file_is_fetched_anew
head -c 100000 /dev/zero >"$folder/long.gz.part"
fetch 0 toy
holds long.gz "$work/long"
verdict

fresh other_compression_of_the_same_data_is_right
mkdir "$work/other" && gzip -1c "$work/long" >"$work/other/long.gz" && gzip -1c "$work/short" >"$work/other/short.gz"
MIRROR=$work/other
fetch 0 toy
holds long.gz "$work/long"
verdict

fresh unpacked_file_is_right_too
cp "$work/long" "$folder/long"
cp "$work/short" "$folder/short"
MIRROR=$work/nowhere
fetch 0 toy
absent "$folder/long.gz"
verdict

# refuses NAME WORDS: the mirror's long.gz is what stands in $work/bad; it must not get its name.
refuses() {
    fresh "$1"
    mkdir -p "$work/mirror_$1"
    cp "$mirror/short.gz" "$work/mirror_$1"
    mv "$work/bad" "$work/mirror_$1/long.gz"
    MIRROR=$work/mirror_$1
    fetch 1 toy
    says "$2"
    says "could not be had: long.gz$"
    absent "$folder/long.gz"
    absent "$folder/long.gz.part"
    there "$folder/short.gz"
    verdict
}
echo '<!DOCTYPE HTML><html><body>Forbidden</body></html>' >"$work/bad"
refuses web_page "it is a web page"
echo '<html>login</html>' | gzip -c >"$work/bad"
refuses compressed_web_page "it holds 19 bytes of data"
head -c 5000 "$mirror/long.gz" >"$work/bad"
refuses cut_file "cut off or damaged"
sed 's/^7919$/7918/' "$work/long" | gzip -9c >"$work/bad"
refuses one_changed_digit "its checksum is not the known one"
{ cat "$work/long" && echo; } | gzip -9c >"$work/bad"
refuses one_byte_too_many "it holds more than"
head -c 50000000 /dev/zero | gzip -9c >"$work/bad"
refuses bomb "it holds more than"

fresh wrong_file_is_set_aside
echo "what the user had there" >"$folder/long.gz"
fetch 0 toy
says "it is now called long.gz.wrong"
there "$folder/long.gz.wrong"
holds long.gz "$work/long"
verdict

fresh without_a_network_it_says_what_to_do
MIRROR=file://$work/nowhere
fetch 1 toy
says "could not be had: long.gz short.gz$"
says "put them into $folder and run this again"
verdict

fresh failed_mirror_keeps_the_part
head -c 3000 "$mirror/long.gz" >"$folder/long.gz.part"
MIRROR=$work/nowhere
fetch 1 toy
there "$folder/long.gz.part"
verdict

fresh archive_is_unpacked
fetch 0 tar
cmp -s "$RUNGS_DATA/tar/inner/data.bin" "$work/short" || problem=" data.bin is not right;"
fetch 0 tar
silent_about ": unpacked"
verdict

fresh unknown_set_gets_the_list
fetch 2 imagenet
says "expected the name of one data set: toy tar"
verdict

fresh default_folder_is_the_readers
unset RUNGS_DATA
mkdir "$work/home"
status=0
HOME=$work/home sh tools/fetch_data.sh toy >"$work/out" 2>&1 || status=$?
[ $status -eq 0 ] || problem=" exit status $status;"
there "$work/home/$(sed -n 's/^#define DATA_FOLDER_DEFAULT "\(.*\)"/\1/p' src/data/data_folder.h)/toy/long.gz"
verdict

test_name=table_is_well_formed
unset DATA_SETS
awk '/^#/ || NF == 0 || ($1 == "note" && NF > 2) || ($1 == "mirror" && NF == 3 && $3 ~ /^https?:\/\//) { next }
     $1 == "file" && NF == 5 && $4 > 0 && length($5) == 64 && $5 !~ /[^0-9a-f]/ { next }
     $1 == "archive" && NF == 6 && $4 > 0 && length($5) == 64 && $5 !~ /[^0-9a-f]/ { next }
     { print "line " NR ": " $0; bad = 1 } END { exit bad }' tools/data_sets.txt >"$work/out" || problem=" see below;"
verdict

test_name=shipped_files_are_unchanged
for file in digits.csv.gz iris.csv; do
    grep -q "^$(sha <"data/$file")  $file\$" data/README.md || problem="$problem $file is not what data/README.md states;"
done
verdict

finish
