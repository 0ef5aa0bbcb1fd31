/* Which kernels compute for the drop-in BLAS.
 *
 * A library that is loaded into a program which knows nothing of it has no one to ask: it reads the environment, once, and speaks
 * on stderr. A mistyped RUNGS_GEMM does not end the program: the results are right with any rung.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/nearest.h"
#include "cpu/blas/internal.h"
#include "cpu/gemm/choose.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Global, because the interface has no place for them. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const GemmChoice *chosen;

/* In one write, so that the lines of several processes do not mix. */
static void
complain(const char *name)
{
    char names[256] = "", hint[64] = "";
    size_t length = 0;
    Nearest nearest = nearest_to(name);
    for (const GemmChoice *choice = gemm_choices; choice->name && length < sizeof(names); choice++) {
        length += (size_t)snprintf(names + length, sizeof(names) - length, " %s", choice->name);
        nearest_offer(&nearest, choice->name);
    }
    if (nearest.name)
        snprintf(hint, sizeof(hint), "; did you mean %s?", nearest.name);
    fprintf(stderr, "librungs_blas: RUNGS_GEMM is \"%s\", which is none of%s%s (%s is used)\n", name, names, hint,
            chosen->name);
}

static void
start(void)
{
    const char *name = getenv("RUNGS_GEMM"), *verbose = getenv("RUNGS_BLAS_VERBOSE");
    const bool named = name && *name;
    chosen = named ? gemm_by_name(name) : gemm_best();
    if (!chosen) {
        chosen = gemm_best();
        complain(name);
    }
    blas_threads_start();
    if (verbose && strcmp(verbose, "1") == 0) {
        const int before = blas_threads_enter(), threads = host_threads();
        fprintf(stderr, "librungs_blas: rung %s of gemm, %d thread%s, vectors of %d bits\n", chosen->name, threads,
                threads == 1 ? "" : "s", host_get()->vector_bits);
        blas_threads_leave(before);
    }
}

void
blas_gemm(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda, const float *B,
          int ldb, float beta, float *C, int ldc)
{
    pthread_once(&once, start);
    const int threads = blas_threads_enter();
    chosen->run(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    blas_threads_leave(threads);
}

void
blas_gemv(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    pthread_once(&once, start);
    const int threads = blas_threads_enter();
    gemv_openmp(M, N, alpha, A, lda, x, beta, y);
    blas_threads_leave(threads);
}
