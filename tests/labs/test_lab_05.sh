#!/bin/sh
# The tests of lab 05 must be able to fail: mistakes that students make cost the points of the right test, and the message leads to
# them. A mistake is made in the reference by one sed command. SPDX-License-Identifier: MIT
# Thorough: one compilation for each of many wrong answers.
set -u
cd "$(dirname "$0")/../.." || exit 1
name=lab_05
# shellcheck source=tests/labs/labs.sh
. tests/labs/labs.sh
wrong_answers gpu/gemm/0[234]_*.cu gpu/practice/*.cu
if ! [ -s "$BUILD/labs/checked.objects" ] || [ -z "$(cat "$BUILD/labs/kernel.compiler")" ]; then
    skip 1 "wrong answers: no emulator was built"
    finish
fi
if ! grep -q HAVE_DLOPEN "$BUILD/labs/compile.flags"; then
    skip 1 "wrong answers: this build opens no libraries (sanitizers, or BLAS=0)"
    finish
fi
if grep -q clang "$BUILD/labs/kernel.compiler"; then
    skip 1 "wrong answers: clang compiles the kernels, whose counts are rough then"
    finish
fi


none='no mistake is found'
f=02_coalesced.cu
mistake 05.1 $f 's/threadIdx.x;/threadIdx.Z;/; s/threadIdx.y;/threadIdx.x;/; s/Z/y/' 0/4 'sectors for each load' '16.5; up to' "the threads of a warp stand below each other"
also 0/2 'sectors for each store' "so do their stores"
also 6/6 'every shape' "but their results are right"
mistake 05.1 $f '/if (m >= M/,+1d' 0/5 "$none" "$f:[0-9]*: out of bounds: gemm_coalesced, block (0,0,0), thread (" "no bounds"
mistake 05.1 $f 's/beta == 0 ? alpha \* sum : //' 0/3 'alpha and beta' 'computed from a number never written' "beta = 0 reads C"
also 0/5 "$none" "which the emulator finds, too"
mistake 05.1 $f 's/alpha \* sum + beta/sum + beta/' 0/3 'alpha and beta' 'alpha = 0.5' "alpha forgotten"
mistake 05.1 $f 's/ldb + n\]/ldb + n + 1]/' 0/6 'every shape' 'M = ' "B one to the right"
mistake 05.1 $f 's/float sum = 0;/float sum = 0;\n return;/' 0/6 'every shape' 'not written' "nothing is done"
also 0/5 "$none" "no work is no good work"
mistake 05.1 $f 's/float sum = 0;/float sum = 0/' 0/20 '' "$f:[0-9]*:[0-9]*: error: expected" "a file that does not compile"

f=03_shared_tile.cu
mistake 05.2 $f '/a\[y\]\[x\] =/,/sum +=/{/__syncthreads/d;}' 0/8 "$none" "$f:[0-9]*: race in a block: .*$f:[0-9]*" "the first barrier forgotten"
mistake 05.2 $f '/sum +=/,/}/{/__syncthreads/d;}' 0/8 "$none" "$f:[0-9]*: race in a block" "the second barrier forgotten"
mistake 05.2 $f 's/^    float sum = 0;/    if (m >= M || n >= N) return;\n    float sum = 0;/' 0/8 "$none" 'barrier' "threads outside of C leave before a barrier"
mistake 05.2 $f 's/m < M && k0 + x < K/m < M/' 0/8 "$none" 'out of bounds' "tiles of A are always full"
mistake 05.2 $f 's/b\[y\]\[x\] =/b[x][y] =/; s/b\[k\]\[x\]/b[x][k]/' 0/3 'conflicts in shared memory' 'passes for each access' "a tile of B that lies on its side"
also 8/8 "$none" "which is slow, not wrong"
mistake 05.2 $f 's/a\[y\]\[k\] \* b/A[(size_t)m * lda + k0 + k] * b/; s/k < SIDE;/k < SIDE \&\& k0 + k < K \&\& m < M;/' '[1-4][.0-9]*/6' 'bytes from memory' 'bytes loaded from memory for each flop: [12][.]' "A is read from memory all the same"

f=04_register_tile_1d.cu
mistake 05.3 $f 's/a\[y + i\]\[k\]/a[y][k]/' 0/7 'every shape' 'M = ' "all rows are the first"
mistake 05.3 $f 's/m0 + y + i >= M || //' 0/8 "$none" 'out of bounds' "rows beyond C are written"
mistake 05.3 $f 's/\* one;/* ((volatile float *)b[k])[x];/' '[0-4][.0-9]*/9' 'accesses to shared memory' 'elements read from shared memory for each flop: 1' "b is read again for each row"

f=row_sums.cu
mistake 05.4 $f '/part\[t + half\]/,+1{/__syncthreads/d;}' 0/4 "$none" "$f:[0-9]*: race in a block: row_sums" "no barrier in the loop"
also 0/4 'the sums, in three orders of threads' "which changes the sums in one of the orders"
mistake 05.4 $f 's/if (t < half)$/if (t < half) {/; s/part\[t + half\];/&  __syncthreads(); }/' 0/4 "$none" 'barrier' "a barrier that some do not reach"
mistake 05.4 $f 's/if (t < half)$/__syncthreads();\n if (t < half)/' 0.19/2 'no more barriers than needed' 'barriers of a block: 15' "two barriers in the loop"

f=axpy.cu
mistake 05.5 $f 's/i + FOUR <= n/i < n/' 0/6 "$none" "$f:[0-9]*: out of bounds: axpy, block (0,0,0), thread (0,0,0)" "the last four is not whole"
also 2/2 'the results' "and the results are right"
mistake 05.5 $f 's/i + FOUR <= n/false/; s/k < n; k/k < n \&\& k < i + FOUR; k/' 0/2 'fours are loaded at once' 'loads of a warp for each 128 floats: 4' "one by one"
mistake 05.5 $f 's/const int i = FOUR/while (n > 0) ;\n const int i = FOUR/' 0/2 'the results' 'an endless loop' "an endless loop"
mistake 05.5 $f 's/const int i = FOUR/*(volatile int *)8 = 1;\n const int i = FOUR/' 0/2 'the results' 'host pointer: axpy' "a pointer to nowhere"

# What students are given, its first line taken away and nothing fixed.
rm -rf "$work/student" && mkdir "$work/student"
for f in row_sums.cu axpy.cu; do
    awk -v MODE=skeleton -f tools/labs_cut.awk "gpu/practice/$f" | sed '/EXERCISE_NOT_SOLVED(/d' >"$work/student/$f"
done
grade_student 05.4
says "  $none  *0/4  " && says "row_sums.cu:[0-9]*: race in a block"
verdict $? "the race that is handed out is found"
grade_student 05.5
says "  $none  *0/6  " && says "axpy.cu:[0-9]*: out of bounds" && also 2/2 'the results' "the overrun that is handed out gives right results"
verdict $? "the overrun that is handed out is found"
cp gpu/practice/row_sums.cu "$work/student"
grade_student 05
says '^ *total  *12/100 ' && says '02_coalesced.cu is missing'
verdict $? "a file that is missing costs its own exercises"
finish
