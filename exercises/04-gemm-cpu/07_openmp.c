/* LAB 04, exercise 04.4. This copy of cpu/gemm/07_openmp.c is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=04       points for each exercise, and the first wrong value
 *     make hint LAB=04.4      the next hint for an exercise
 *     make watch LAB=04       grade again whenever this file is saved
 *     make reset LAB=04       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from cpu/gemm/07_openmp.c; change it there. */
/* gemm, rung 7: OpenMP.
 * Idea      threads share the longer side of C; each multiplies its part by rung 6, as if it were alone.
 *
 *               thread 0   rows 0 .. M/2-1    [ C ]  =  [ A ] [   B   ]        both read all of B, and both pack all of it
 *               thread 1   rows M/2 .. M-1    [ C ]  =  [ A ] [   B   ]
 *
 * Before    one core of all.
 * Now       all of them. No sum is divided, so the result has the same bits with any number of threads.
 * Still     where rows are shared, every thread packs its own copy of B; rung 8 partitions columns where it packs one.
 * Wants     nothing; one thread below PARALLEL_MIN multiplications, where waking the others costs more than they save.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "core/host.h"
#include "cpu/gemm/strided.h"

#define PARALLEL_MIN 2e6

/* EXERCISE 04.4  Threads (25 min, about 12 lines)
 * Let `threads` threads share the product: thread t computes its part of C by one call of gemm_vector, with all of K. Cut the
 * longer side of C: rows partition_begin(t, threads, M) .. partition_begin(t + 1, threads, M) - 1 if M >= N, else columns
 * likewise (cpu/partition.h). gemm_a(&p, m, 0) points to row m of op(A), stored transposed or not;
 * gemm_b(&p, 0, n) to column n of op(B), gemm_c(&p, m, n) to an element of C. A loop over t with `#pragma omp parallel
 * for` above it gives each t to a thread; num_threads(threads) and schedule(static) belong to it. What a thread changes must be
 * its own.
 */
void
gemm_openmp(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
            const float *B, int ldb, float beta, float *C, int ldc)
{
    const StridedGemm p = strided_gemm(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    const int threads = (double)M * N * K < PARALLEL_MIN ? 1 : host_threads();
    EXERCISE_NOT_SOLVED("04.4"); /* TODO: about 12 lines */
}
