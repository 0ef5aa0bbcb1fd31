#!/bin/sh
# Prints the project's own files whose names match the patterns:
#   sh tools/files.sh '*.c' '*.h'       also new ones that git does not know yet, but none that it ignores (build*/): for lint, format
#   sh tools/files.sh --tracked '*'     only those that git tracks: for what leaves this folder. What else lies here is private
# Without git the first form leaves out the folders that are never source, and the second one fails.
# SPDX-License-Identifier: MIT
set -u
tracked=
[ "${1:-}" != --tracked ] || { tracked=1 && shift; }

list() {
    if [ -n "$tracked" ]; then
        git -c core.quotepath=off ls-files --cached -- "$@"
    elif git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git -c core.quotepath=off ls-files --cached --others --exclude-standard -- "$@"
    else
        for pattern in "$@"; do
            find . -type d \( -name .git -o -name 'build*' -o -name .rungs \) -prune -o -type f -path "./$pattern" -print
        done | sed 's|^\./||'
    fi
}

if [ -n "$tracked" ] && [ -z "$(git ls-files --cached -- "$@" 2>/dev/null | head -n 1)" ]; then
    echo "tools/files.sh: git tracks no file in $(pwd), so nobody can say which belong to the project and which are private;" \
        "do this in a clone (git clone), not in an unpacked archive" >&2
    exit 1
fi
list "$@" | sort -u | while IFS= read -r file; do
    # Removed files that git still lists, and links to files that are listed themselves, are not read.
    [ -f "$file" ] && [ ! -L "$file" ] && printf '%s\n' "$file"
done
exit 0
