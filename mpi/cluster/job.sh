#!/bin/sh
# Prints a job script for a real cluster, or a laptop: a template of templates/ with the values of a site of sites/ filled in.
# SPDX-License-Identifier: MIT
#
#   sites/slurm-example   TEMPLATE=slurm PARTITION=compute ..  ---.
#   this call             NODES=4 RANKS_PER_NODE=8 COMMAND     ---+--> templates/slurm.sh with --nodes=@NODES@ as --nodes=4
#
# A line of the template is left out if a value that it names is empty.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=job.sh
# shellcheck source=mpi/cluster/values.sh
. "$here/values.sh"
sites=$(cd "$here/sites" && echo *)

usage() {
    cat <<TEXT
usage: sh mpi/cluster/job.sh [NAME=VALUE..] COMMAND [ARGUMENT..]

Prints a job script that runs COMMAND on NODES x RANKS_PER_NODE ranks.
  SITE=slurm-example  whose values: one of $sites; or the path of a file like those in mpi/cluster/sites
  NODES=1             hosts
  RANKS_PER_NODE=1    ranks on each
  OUT=                a file to write, instead of printing
OMP_NUM_THREADS: threads of each rank (default: the site's CORES_PER_NODE shared out).
TEXT
}

# Values of the site; a site sets those that its template names.
read_site() {
    TEMPLATE='' MODULES='' PARTITION='' ACCOUNT='' TIME=00:30:00 LAUNCHER=mpirun FLAGS='' HOSTFILE='' IMAGE='' CORES_PER_NODE=''
    file=$SITE
    case $SITE in */*) ;; *) file=$here/sites/$SITE ;; esac
    [ -f "$file" ] || fail 2 "there is no site '$SITE', expected one of $sites, or the path of a file (with a /)"
    # shellcheck source=/dev/null
    . "$file"
    [ -f "$here/templates/$TEMPLATE.sh" ] ||
        fail 1 "$file says TEMPLATE=$TEMPLATE, expected one of $(cd "$here/templates" && echo *.sh | sed 's/[.]sh//g')"
    whole "CORES_PER_NODE (in $file)" "$CORES_PER_NODE" 4096
}

check_values() {
    whole NODES "$NODES" 99999
    whole RANKS_PER_NODE "$RANKS_PER_NODE" 4096
    [ "$TEMPLATE" != laptop ] || return 0
    THREADS=${OMP_NUM_THREADS:-$((RANKS_PER_NODE < CORES_PER_NODE ? CORES_PER_NODE / RANKS_PER_NODE : 1))}
    whole OMP_NUM_THREADS "$THREADS" 4096
    [ $((RANKS_PER_NODE * THREADS)) -le "$CORES_PER_NODE" ] ||
        fail 2 "$RANKS_PER_NODE ranks of $THREADS threads are more than the $CORES_PER_NODE cores of a node of site $SITE"
}

# The words of the command as the shell of the job reads them.
quote() {
    for word in "$@"; do
        case $word in
        '' | *[!A-Za-z0-9_./:=,+-]*) printf " '%s'" "$(printf %s "$word" | sed "s/'/'\\\\''/g")" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
}

fill() {
    export NODES RANKS_PER_NODE SITE COMMAND RANKS THREADS FOLDER
    export MODULES PARTITION ACCOUNT TIME LAUNCHER FLAGS HOSTFILE IMAGE CORES_PER_NODE
    awk '{
        out = ""
        left_out = 0
        while (match($0, /@[A-Z_]+@/)) {
            value = ENVIRON[substr($0, RSTART + 1, RLENGTH - 2)]
            left_out += value == ""
            out = out substr($0, 1, RSTART - 1) value
            $0 = substr($0, RSTART + RLENGTH)
        }
        if (!left_out)
            print out $0
    }' "$here/templates/$TEMPLATE.sh"
}

NODES=1 RANKS_PER_NODE=1 SITE=slurm-example OUT=''
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h) usage; exit 0 ;;
    NODES=*) NODES=${1#*=} ;;
    RANKS_PER_NODE=*) RANKS_PER_NODE=${1#*=} ;;
    SITE=*) SITE=${1#*=} ;;
    OUT=*) OUT=${1#*=} ;;
    -* | [A-Z]*=*) fail 2 "there is no option '$1'; sh mpi/cluster/job.sh --help lists them" ;;
    *) break ;;
    esac
    shift
done
[ $# -gt 0 ] || fail 2 "the command is missing; sh mpi/cluster/job.sh --help"
read_site
check_values
RANKS=$((NODES * RANKS_PER_NODE))
COMMAND=$(quote "$@")
COMMAND=${COMMAND# }
FOLDER=$(quote "$(cd "$here/../.." && pwd)")
FOLDER=${FOLDER# }
if [ -n "$OUT" ]; then
    fill >"$OUT.new"
    mv -f "$OUT.new" "$OUT"
    echo "$OUT: a job for site $SITE; what to do with it stands in its first lines"
else
    fill
fi
