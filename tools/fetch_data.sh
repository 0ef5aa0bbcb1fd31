#!/bin/sh
# SPDX-License-Identifier: MIT
# Downloads a data set:  sh tools/fetch_data.sh mnist     (or fashion, cifar10: tools/data_sets.txt)
#
#   RUNGS_DATA=FOLDER   where to; otherwise the reader's default, which src/data/data_folder.h states
#   MIRROR=URL          from there alone; a folder will do
#   DATA_SETS=FILE      another table of files and checksums (for the tests)
#
# A download that was cut off is resumed from NAME.part. Only a file whose size and checksum are right gets its name; what is wrong is
# never left where a reader would find it. Exit status 1 if a file could not be had.
set -u
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
table=${DATA_SETS:-$root/tools/data_sets.txt}

die() {
    echo "fetch_data: $2" >&2
    exit "$1"
}

# field KIND SET NUMBER: that word of each line of this kind. text KIND SET: all of the rest.
field() { awk -v k="$1" -v s="$2" -v n="$3" '$1 == k && $2 == s { print $n }' "$table"; }
text() { awk -v k="$1" -v s="$2" '$1 == k && $2 == s { sub(/^[^ ]+ [^ ]+ /, ""); print }' "$table"; }

data_folder() {
    if [ -n "${RUNGS_DATA:-}" ]; then
        printf '%s\n' "$RUNGS_DATA"
        return
    fi
    default=$(sed -n 's/^#define DATA_FOLDER_DEFAULT "\(.*\)"$/\1/p' "$root/src/data/data_folder.h")
    [ -n "$default" ] || die 1 "src/data/data_folder.h does not state DATA_FOLDER_DEFAULT"
    [ -n "${HOME:-}" ] || die 1 "neither RUNGS_DATA nor HOME is set; set RUNGS_DATA to the folder for data sets"
    printf '%s\n' "$HOME/$default"
}

# sha256 of standard input, in hexadecimal.
sha256() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256
    else
        openssl dgst -sha256 -r
    fi | cut -d ' ' -f 1
}

is_gzip() { [ "$(head -c 2 "$1" | od -An -tx1 | tr -d ' \n')" = 1f8b ]; }

# payload KIND FILE: the bytes that the table speaks of.
payload() {
    if [ "$1" = file ] && is_gzip "$2"; then
        gzip -dc <"$2" 2>/dev/null
    else
        cat "$2"
    fi
}

# wrong KIND FILE BYTES SHA256: says what is wrong with the file; prints nothing, with status 1, if it is right.
wrong() {
    if head -c 512 "$2" | grep -aqi -e '<html' -e '<!doctype' -e '<?xml'; then
        echo "it is a web page, not data"
    elif is_gzip "$2" && ! gzip -t <"$2" 2>/dev/null; then
        echo "its compressed data is cut off or damaged"
    else
        # One byte more than expected is enough to know, however much a bomb would unpack to.
        size=$(payload "$1" "$2" | head -c $(($3 + 1)) | wc -c | tr -d ' ')
        if [ "$size" -gt "$3" ]; then
            echo "it holds more than the $3 bytes that it should"
        elif [ "$size" -ne "$3" ]; then
            echo "it holds $size bytes of data, expected $3"
        elif [ "$(payload "$1" "$2" | sha256)" != "$4" ]; then
            echo "its checksum is not the known one"
        else
            return 1
        fi
    fi
}

# download URL PART: appends what is missing. The status of curl or wget.
download() {
    if command -v curl >/dev/null 2>&1; then
        bar=--silent
        [ -t 2 ] && bar=--progress-bar
        curl --fail --location --show-error $bar --connect-timeout 20 --speed-limit 1000 --speed-time 60 \
            --continue-at - --output "$2" "$1"
    elif [ "${1#file://}" != "$1" ]; then
        cp "${1#file://}" "$2"
    elif command -v wget >/dev/null 2>&1; then
        bar=--no-verbose
        [ -t 2 ] && bar=--progress=bar
        wget $bar --timeout=60 --tries=2 --continue --output-document="$2" "$1"
    else
        die 1 "neither curl nor wget was found; install one of them (./setup.sh)"
    fi
}

# from_mirror URL KIND NAME BYTES SHA256: 0 if the file is there and right now. A part that others left may be of another
# compression of the same data, so what was resumed and is wrong gets a second chance from its beginning.
from_mirror() {
    part=$folder/$3.part
    while :; do
        resumed=0
        [ -s "$part" ] && resumed=1 && echo "resuming $3 behind $(wc -c <"$part" | tr -d ' ') bytes"
        status=0
        download "$1/$3" "$part" || status=$?
        if [ $status -eq 0 ]; then
            if ! reason=$(wrong "$2" "$part" "$4" "$5"); then
                mv "$part" "$folder/$3"
                return 0
            fi
            echo "fetch_data: $1/$3: $reason" >&2
            rm -f "$part"
        elif [ $resumed -eq 1 ]; then
            case $status in
            8 | 22 | 33 | 36) rm -f "$part" ;; # this server cannot resume, or there is nothing behind these bytes
            *) return 1 ;;                     # no network: the part is kept for the next time
            esac
        fi
        [ $resumed -eq 1 ] || return 1
    done
}

# present KIND NAME BYTES SHA256: the file is there already, perhaps unpacked. A wrong one is set aside.
present() {
    for path in "$folder/$2" "$folder/${2%.gz}" "$folder/$2.part"; do
        [ -s "$path" ] || continue
        if ! reason=$(wrong "$1" "$path" "$3" "$4"); then
            [ "$path" != "$folder/$2.part" ] || mv "$path" "$folder/$2"
            return 0
        fi
        [ "$path" = "$folder/$2.part" ] && continue
        echo "fetch_data: $path: $reason; it is now called ${path##*/}.wrong" >&2
        mv "$path" "$path.wrong"
    done
    return 1
}

# obtain KIND NAME BYTES SHA256
obtain() {
    present "$@" && echo "$2: already there" && return
    for mirror in $mirrors; do
        echo "fetching $mirror/$2"
        from_mirror "$mirror" "$@" && echo "$2: checked" && return
    done
    return 1
}

# unpack NAME HOLDS
unpack() {
    [ -f "$folder/$2" ] && return
    if tar -xzf "$folder/$1" -C "$folder" && [ -f "$folder/$2" ]; then
        echo "$1: unpacked"
    else
        die 1 "$folder/$1 could not be unpacked; is the disk full?"
    fi
}

set_name=${1:-}
[ -f "$table" ] || die 1 "$table was not found"
known=$(awk '$1 == "mirror" { print $2 }' "$table" | uniq | tr '\n' ' ')
if [ $# -ne 1 ] || [ -z "$(field mirror "$set_name" 3)" ]; then
    die 2 "expected the name of one data set: ${known% }"
fi

base=$(data_folder) || exit 1
folder=$base/$set_name
mkdir -p "$folder" || die 1 "$folder cannot be made; set RUNGS_DATA to another folder"
mirrors=${MIRROR:-$(field mirror "$set_name" 3)}
case $mirrors in /*) mirrors=file://$mirrors ;; esac
mirrors=$(printf '%s\n' "$mirrors" | sed 's|/*$||')
text note "$set_name"

missing=
for kind in file archive; do
    for name in $(field $kind "$set_name" 3); do
        facts=$(awk -v k=$kind -v s="$set_name" -v n="$name" '$1 == k && $2 == s && $3 == n { print $4, $5 }' "$table")
        obtain $kind "$name" "${facts% *}" "${facts#* }" || missing="$missing $name"
    done
done
if [ -n "$missing" ]; then
    {
        echo "fetch_data: these files of $set_name could not be had:$missing"
        echo "fetch_data: without a network, get them elsewhere, put them into $folder and run this again: it checks them"
    } >&2
    exit 1
fi
for name in $(field archive "$set_name" 3); do
    unpack "$name" "$(awk -v s="$set_name" -v n="$name" '$1 == "archive" && $2 == s && $3 == n { print $6 }' "$table")"
done
echo "$set_name is in $folder"
