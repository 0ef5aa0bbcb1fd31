# Prints "target  what it does" for every Makefile line of the form `target: ... ## what it does`.
# SPDX-License-Identifier: MIT
/^[a-z][a-zA-Z0-9_-]*:.*## / {
    target = $1
    sub(/:.*/, "", target)
    text = $0
    sub(/.*## /, "", text)
    printf "  %-17s %s\n", target, text
}
END {
    printf "\n  %-17s %s\n", "make FAT=1 ..", "programs for several processors, the widest vectors chosen at start: build/fat (tools/variants.mk)"
}
