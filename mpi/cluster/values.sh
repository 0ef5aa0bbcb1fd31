# What cluster.sh and job.sh share: refusing wrong values. The caller has set `program`, the name that it is called by.
# shellcheck shell=sh
# SPDX-License-Identifier: MIT

# fail STATUS WORDS..: 2 for a wrong call, 1 for what went wrong here.
fail() {
    status=$1
    shift
    # shellcheck disable=SC2154
    echo "$program: $*" >&2
    exit "$status"
}

# whole NAME VALUE MOST: refuses what is not a whole number from 1 to MOST.
whole() {
    case $2 in
    '' | *[!0-9]* | ??????*) ;;
    *) if [ "$2" -ge 1 ] && [ "$2" -le "$3" ]; then return; fi ;;
    esac
    fail 2 "$1 is '$2', expected a whole number from 1 to $3"
}
