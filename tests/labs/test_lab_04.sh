#!/bin/sh
# The tests of lab 04 must be able to fail: mistakes that students make cost the points of the right test, and the message leads to
# them. A mistake is made in the reference by one sed command. Rows are compared, not totals: points for speed depend on the machine.
# SPDX-License-Identifier: MIT
# Thorough: one compilation for each of many wrong answers.
set -u
cd "$(dirname "$0")/../.." || exit 1
name=lab_04
# shellcheck source=tests/labs/labs.sh
. tests/labs/labs.sh
wrong_answers cpu/gemm/0[2347]_*.c

f=02_reordered.c
mistake 04.1 $f '/ scale_row(&C/d' 0/5 'every shape' 'computed from a number never written' "beta forgotten"
mistake 04.1 $f 's/transpose_a ? A\[k \* lda + m\] : A/A/' 0/4 'A and B transposed' ', A transposed' "A is never transposed"
mistake 04.1 $f 's/transpose_b ? (size_t)ldb : 1)/1)/' 0/4 'A and B transposed' ', B transposed' "B has no stride"
mistake 04.1 $f 's/float a = alpha \* /float a = /' 0/4 'alpha and beta' 'alpha = -2' "alpha forgotten"
mistake 04.1 $f 's/\* ldc\], (size_t)N, beta/* ldc], (size_t)ldc, beta/' 0/5 'every shape' 'what lies behind row 0 of C was changed' "rows of ldc"

f=03_blocked.c
mistake 04.2 $f 's/smaller(K_BLOCK, K - k)/K_BLOCK/' 0/5 'every shape' 'M = ' "the last rows of tiles are not fewer"
mistake 04.2 $f 's/smaller(N_BLOCK, N - n)/N_BLOCK/' 0/5 'every shape' 'M = \|signal' "edge columns are computed as full tiles"
mistake 04.2 $f 's/beta == 0 ? 0 : beta \*/beta */' 0/4 'alpha and beta' 'computed from a number never written' "beta = 0 reads C"
mistake 04.2 $f 's/, p->b_column);/, 1);/' 0/4 'A and B transposed' ', B transposed' "B has no stride"
mistake 04.2 $f 's/K_BLOCK = 128/K_BLOCK = 4096/' 0/5 'a tile serves all rows' 'row 511 of B was read before' "tiles as high as B"
mistake 04.2 $f 's/N_BLOCK = 512/N_BLOCK = 4096/' 0/5 'a tile serves all rows' 'column 2047 of B was read before' "tiles as wide as B"

f=04_register_tile.c
mistake 04.3 $f 's/a\[(size_t)m \* p->a_row\]/a[(size_t)m * p->a_k]/' 0/8 'whole tiles' 'M = 4, N = 32' "rows and k of A exchanged"
mistake 04.3 $f 's/b += p->b_k;/b += COLUMNS;/' 0/8 'whole tiles' 'M = 4, N = 32' "B as if it were a tile"
mistake 04.3 $f 's/product_b(p, part->k, part->n + n)/product_b(p, part->k, part->n) + n/' 0/6 'edges alone' ', B transposed' "an edge without stride"
mistake 04.3 $f 's/float sum = 0;/float sum = sums[m][n];/' 0/6 'edges alone' 'M = ' "an edge that begins with anything"

f=07_openmp.c
mistake 04.4 $f '/#pragma omp/d' 0/5 'both threads have work' 'computed by the same thread' "no threads"
mistake 04.4 $f 's/if (M >= N)/if (M >= 0)/' 0/5 'both threads have work' 'the last column of C' "rows only"
mistake 04.4 $f 's/product_c(&p, m, 0)/C/' 0/5 'every shape' 'M = 160' "all threads write the first rows"
mistake 04.4 $f 's/int threads = .*;/int threads = host_threads();\nK -= threads > 2;/' 0/5 'the same bits for 1, 2, 3, 7 threads' 'by 3 threads, compared with one' "other bits"
mistake 04.4 $f 's/if (M >= N) {/{ *(volatile int *)8 = t;/; s/} else {/} if (M < N) {/' 0/5 'every shape' 'signal 11' "a crash in a thread"
finish
