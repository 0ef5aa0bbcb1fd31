#!/bin/sh
# tools/mpirun.sh: what it refuses before it starts anything, each with one sentence and a status of its own.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"

# refuses STATUS PATTERN ARGUMENT..: one line on stderr, which matches.
refuses() {
    expected=$1 pattern=$2
    shift 2
    status=0
    timeout 60 sh tools/mpirun.sh "$@" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    [ "$status" = "$expected" ] && [ "$(wc -l <"$folder/err")" = 1 ] && grep -Eq -e "$pattern" "$folder/err" && [ ! -s "$folder/out" ]
}

for number in 0 abc -1 1.5 '' 007 123456 '2 3' 99999999999999999999; do
    check "$number ranks" refuses 2 "^mpirun.sh: the number of ranks is \"$number\", expected one from 1 to 99999" "$number" true
done
check "no program" refuses 2 '^usage: ' 2
check "a program that is not there" refuses 127 '^mpirun.sh: the program ./nowhere was not found; give its path' 2 ./nowhere
check "a command that is not there" refuses 127 '^mpirun.sh: the program no-such-command was not found' 2 no-such-command
check "a program that is not built" refuses 127 \
    'the program build/tests/mpi/none was not found; make build/tests/mpi/none builds it' 2 build/tests/mpi/none
check "a folder" refuses 126 '^mpirun.sh: the program /etc is a folder' 2 /etc
echo 'echo never' >"$folder/plain"
check "a file that may not be executed" refuses 126 'plain may not be executed; chmod \+x' 2 "$folder/plain"

# What only the launcher finds out: its status must not be taken for a signal alone.
broken_script() {
    printf '#!/nowhere/sh\necho never\n' >"$folder/script"
    chmod +x "$folder/script"
    status=0
    timeout 60 sh tools/mpirun.sh 2 "$folder/script" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    [ "$status" != 0 ] && [ "$status" != 124 ] && ! grep -q never "$folder/out" &&
        tail -n 1 "$folder/err" | grep -Eq '^mpirun.sh: a rank .*(could not start it|ended with status).* what (they|it) said stands above$'
}
starts() {
    status=0
    timeout 60 sh tools/mpirun.sh "$@" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    [ "$status" = 0 ] && grep -q '^here$' "$folder/out"
}
mkdir "$folder/a b"
printf '#!/bin/sh\necho "$@"\n' >"$folder/a b/say"
chmod +x "$folder/a b/say"
if command -v "${MPIRUN:-mpirun}" >/dev/null 2>&1; then
    check "a script without its interpreter" broken_script
    check "a command of the PATH" starts 1 echo here
    check "a path with a space" starts 1 "$folder/a b/say" here
else
    echo "skipped what starts: ${MPIRUN:-mpirun} is not installed"
    skipped=$((skipped + 1))
fi
finish "mpi/launch"
