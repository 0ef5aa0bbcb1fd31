#!/bin/sh
# Prints the project's own files whose names match the patterns: sh tools/files.sh '*.c' '*.h'
# What git ignores (build/) is left out; without git the folders that are never source are.
# SPDX-License-Identifier: MIT
set -u
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files --cached --others --exclude-standard -- "$@"
else
    for pattern in "$@"; do
        find . \( -name .git -o -name build -o -name .rungs \) -prune -o -type f -path "./$pattern" -print
    done | sed 's|^\./||'
fi | sort -u | while IFS= read -r file; do
    # Removed files that git still lists, and links to files that are listed themselves, are not read.
    [ -f "$file" ] && [ ! -L "$file" ] && printf '%s\n' "$file"
done
exit 0
