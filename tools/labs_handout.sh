#!/bin/sh
# `make handout LABS="01 02"`: packs the project for students, build/rungs-labs-01-02.tar.gz, without the solutions of those labs:
#   - their regions in the reference files are empty, and so are the listings of them in the lectures;
#   - their folders in solutions/ are missing, their folders in exercises/ hold fresh skeletons;
#   - src/lenet.c, which shows what labs 02 and 03 ask for, is missing with them;
#   - the library itself is built from the student's files, so that `make` and `make demo` run the student's code.
# Only files that git tracks are packed: notes, submissions and build folders that lie here stay here.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/labs_lib.sh
labs=
for lab in ${LABS:-$(labs_all)}; do
    lab=$(lab_number "$lab")
    lab_must_exist "$lab"
    labs="$labs $lab"
done
labs=${labs# }
name=rungs-labs-$(echo "$labs" | tr ' ' '-')
work=$BUILD/handout/$name
root=$(pwd)
case $BUILD in /*) archive=$BUILD/$name.tar.gz ;; *) archive=$root/$BUILD/$name.tar.gz ;; esac
references=$(for lab in $labs; do lab_references "$lab"; done)

# Rules that make object $1 of the library from the student's file $2; the second for the drop-in BLAS (tools/blas.mk).
object_rules() {
    # shellcheck disable=SC2016
    rule='\n$(BUILD)/%s.o: %s $(FLAGS_FILE)\n\t@mkdir -p $(@D)\n\t$(call say,CC,$<)\n\t$(Q)$(CC) $(CPPFLAGS) $(LAB_CFLAGS) %s -MMD -MP -c $< -o $@\n'
    # shellcheck disable=SC2059,SC2016
    printf "$rule$rule" "$1" "$2" '' "pic/$1" "$2" '$(PIC_FLAGS)'
}

# The same for kernels $1, by the emulators and by nvcc (tools/gpu.mk). What is not solved yet is no reason to stop for a warning.
kernel_rules() {
    # shellcheck disable=SC2016
    printf '\n$(EMULATOR_OUT)/source/%s.cpp: %s gpu/emulator/translate.awk\n\t$(translate)\n' "$1" "$2"
    # shellcheck disable=SC2016
    printf '$(EMULATOR_OUT)/plain/%s.o $(EMULATOR_OUT)/checked/%s.o: EMULATOR_FLAGS := $(filter-out -Werror,$(EMULATOR_FLAGS)) $(LAB_UNUSED)\n' "$1" "$1"
    # shellcheck disable=SC2016
    printf '$(GPU_OUT)/%s.cu.o: %s $(FLAGS_FILE)\n\t@mkdir -p $(@D)\n\t$(call say,NVCC,$<)\n' "$1" "$2"
    # shellcheck disable=SC2016
    printf '\t$(Q)$(NVCC) $(filter-out -Werror all-warnings,$(NVCC_FLAGS)) -diag-suppress 177 $(GPU_CODE) -MMD -MP -MF $(@:.o=.d) -c $< -o $@\n'
}

rm -rf "$BUILD/handout" && mkdir -p "$work" || exit 1
sh tools/files.sh --tracked '*' >"$BUILD/handout/files" || exit 1
tar -cf - -T "$BUILD/handout/files" | tar -xf - -C "$work" || exit 1
changed=$(git diff --name-only HEAD -- . 2>/dev/null | grep -c -v '^exercises/.*\.cu*$')
[ "${changed:-0}" -eq 0 ] || echo "handout: $changed files differ from the last commit and are packed as they are now (git status)" >&2
cd "$work" || exit 1

for reference in $references; do
    awk -v MODE=blank -f tools/labs_cut.awk "$reference" >"$reference.new" && mv "$reference.new" "$reference" || exit 1
done
# What a text says of its solutions stays, the link does not.
drop_links() { # TARGET
    for text in ./*.md lectures/*.md exercises/*.md exercises/*/*.md solutions/*/*.md; do
        [ -f "$text" ] || continue
        sed "s|\\[\\([^]]*\\)\\]([^)]*$1[^)]*)|\\1 (not in this handout)|g" "$text" >"$text.new" && mv "$text.new" "$text" || exit 1
    done
}
for lab in $labs; do
    rm -rf solutions/"$lab"-*
    drop_links "solutions/$lab-"
done
case $labs in *02* | *03*)
    rm -f src/lenet.c tests/test_lenet.c
    drop_links src/lenet.c
    ;;
esac
sh tools/labs_cut.sh >/dev/null || exit 1
rm -rf .rungs
rmdir solutions 2>/dev/null

{
    echo "# Made by \`make handout\`: the library is built from your files of lab $labs. SPDX-License-Identifier: MIT"
    for reference in $references; do
        exercise=$(labs_list | awk -F '\t' -v r="$reference" '$4 == r { print $5; exit }')
        case $reference in
        *.cu) kernel_rules "${reference%.cu}" "$exercise" ;;
        *) object_rules "${reference%.c}" "$exercise" ;;
        esac
    done
} >tools/labs_handout.mk
{
    echo "rungs, with lab $labs for you to solve."
    echo
    echo "  ./setup.sh          installs what is needed"
    echo "  make doctor         says whether this machine is ready"
    echo "  make grade LAB=${labs%% *}   your points; 0 at first"
    echo
    echo "Then read:"
    for lab in $labs; do
        echo "  $(lab_folder "$lab")/README.md"
    done
    echo
    echo "You work in exercises/. Until your files are complete, the commands that use them end with \"exercise .. is"
    echo "not solved yet\" and the place where your lines belong, and \`make test\` skips the tests that need them."
} >START-HERE.txt

if [ -f tools/lectures.sh ] && ls lectures/*.md >/dev/null 2>&1; then
    sh tools/lectures.sh listings >/dev/null || echo "handout: the listings in lectures/ could not be rewritten; look whether they show solutions" >&2
fi

# A reference file that still holds a solution must not leave.
for reference in $references; do
    if awk -v MODE=blank -f tools/labs_cut.awk "$reference" | cmp -s - "$reference" && blanked "$reference"; then :; else
        echo "handout: $reference still holds a solution; nothing was packed" >&2
        exit 1
    fi
done
cd .. && tar -czf "$archive" "$name" && cd "$root" && rm -rf "$BUILD/handout" || exit 1
echo "$archive: lab $labs without solutions, $(tar -tzf "$archive" | grep -vc '/$') files"
