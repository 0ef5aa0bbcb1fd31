#!/bin/sh
# `make handout` of a lab with kernels (.cu): no solution is in it, both emulators are built from the student's files, and grading works
# there without git and without the solutions. SPDX-License-Identifier: MIT
# Thorough: compiles the kernels of a handout.
set -u
cd "$(dirname "$0")/../.." || exit 1
name=handout_kernels
# shellcheck source=tests/labs/labs.sh
. tests/labs/labs.sh
if is_handout || grep -q EXERCISE_NOT_SOLVED gpu/gemm/02_coalesced.cu; then
    skip 1 "handout of kernels: this is a handout"
    finish
fi
command -v git >/dev/null 2>&1 || { skip 1 "handout of kernels: there is no git here"; finish; }
command -v "${CXX:-g++}" >/dev/null 2>&1 || { skip 1 "handout of kernels: there is no C++ compiler for the emulator"; finish; }
[ "${EMULATOR:-1}" != 0 ] || { skip 1 "handout of kernels: EMULATOR=0"; finish; }
clone_tree
verdict $? "a clone of this tree"
solutions=$(pwd)
cd "$work/tree" || finish
unset BUILD MAKEFLAGS MAKELEVEL MFLAGS RUNGS_STATE SANITIZE
BUILD=$work/out LABS=5 LAB='' MAKE=make sh tools/labs_handout.sh >"$work/log" 2>&1 && tar -xzf "$work/out/rungs-labs-05.tar.gz" -C "$work"
verdict $? "make handout"
cd "$work/rungs-labs-05" || finish
! grep -q 'int n = blockIdx.x [*] SIDE + threadIdx.x' gpu/gemm/02_coalesced.cu exercises/05-gemm-gpu/*.cu lectures/05-gemm-gpu.md && [ ! -d solutions/05-gemm-gpu ] &&
    grep -q EXERCISE_NOT_SOLVED lectures/05-gemm-gpu.md
verdict $? "no solution is in it, nor in the lecture"
tail -n 20 gpu/practice/axpy.cu >"$work/log" && says 'if (i < n)' && ! says 'FOUR <= n'
verdict $? "but the mistakes that are to be found"

make -s MPI=0 BLAS=0 WERROR=1 build/emulator/plain/gpu/gemm/02_coalesced.o >"$work/log" 2>&1 &&
    grep -q '^#line 1 "exercises/05-gemm-gpu/02_coalesced.cu"' build/emulator/source/gpu/gemm/02_coalesced.cpp
verdict $? "the emulator's library is built from the student's files, without a warning"
make -n MPI=0 build/cuda/gpu/gemm/02_coalesced.cu.o NVCC=true >"$work/log" 2>&1 && says 'exercises/05-gemm-gpu/02_coalesced.cu'
verdict $? "so is the device's"

# What lab 05 does not need is left out, to save time.
grade_here() {
    make -j2 grade LAB="$1" OPTIMIZE=-O0 MPI=0 \
        SOURCES="$(echo src/*.c src/core/*.c src/ladder/*.c src/cli/main.c cpu/[fo]*.c cpu/ladder_arrays.c cpu/softmax/*.c cpu/gemm/*.c cpu/conv/matrices.c cpu/pool/01_naive.c gpu/library.c gpu/counters.c)" \
        >"$work/log" 2>&1
}
! grade_here 05 && says '^ *total  *0/100 ' && says 'exercise 05.4 is not solved yet: write your lines at exercises/05-gemm-gpu/row_sums.cu'
verdict $? "the skeletons have no points"
cp "$solutions/gpu/practice/row_sums.cu" exercises/05-gemm-gpu
grade_here 05.4 && says '^ *total  *10/10 '
verdict $? "the solution of an exercise has all of its points"
finish
