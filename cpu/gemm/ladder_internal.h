/* The parts of gemm's ladder: what cpu/gemm/ladder.c puts together. A size is M, N, K and the index of "nn", "nt", "tn", "tt":
 * which of A and B is stored transposed.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_LADDER_INTERNAL_H
#define CPU_GEMM_LADDER_INTERNAL_H

#include "cpu/gemm/gemm.h"
#include "ladder/ladder.h"

/* ---- one problem: ladder_problem.c, the functions of an Operation ---- */

enum { GEMM_M, GEMM_N, GEMM_K, GEMM_TRANSPOSES };

/* op(A) has its element (m, k) at A[m * a_row + k * a_k], op(B) its element (k, n) at B[k * b_k + n * b_column]. */
typedef struct GemmOperands {
    int M, N, K;
    const float *A, *B;
    size_t a_row, a_k, b_k, b_column;
} GemmOperands;

/* C[M][N] = op(A) op(B), summed in double, by all threads: ladder_reference.c. */
void gemm_reference(const GemmOperands *operands, double *C);

/* Also what the ladders of narrower numbers begin with (cpu/gemm_bf16, cpu/gemm_int8): they convert A and B. */
typedef struct GemmProblem {
    bool transpose_a, transpose_b;
    int lda, ldb;
    uint64_t seed;
    float step; /* elements are multiples of it; 0: all that floats can be */
    float *A, *B;
    GemmOperands operands; /* the same two, with their steps */
    double *product;       /* [M][N], of A and B as they are now */
} GemmProblem;

void *gemm_problem_create(const int *size, uint64_t seed, Error *error);
/* A and B hold multiples of `step`, which is 1/4 divided by a power of two. */
GemmProblem *gemm_problem_create_in_steps(const int *size, uint64_t seed, float step, Error *error);
void gemm_problem_refresh(void *problem, uint64_t round); /* rounds 1, 2, .. in this order */
void gemm_problem_reference(const void *problem, double *want, double *tolerance);
void gemm_problem_call(LadderFunction *function, const void *problem, void *output);
void gemm_problem_destroy(void *problem);

static inline bool
gemm_transposes_a(const int *size)
{
    return size[GEMM_TRANSPOSES] >= 2;
}

static inline bool
gemm_transposes_b(const int *size)
{
    return size[GEMM_TRANSPOSES] % 2 == 1;
}

/* ---- what each rung should take, and what it moves: ladder_models.c ---- */

double gemm_predict_naive(const int *size, int threads, const Machine *machine);
double gemm_predict_reordered(const int *size, int threads, const Machine *machine);
double gemm_predict_blocked(const int *size, int threads, const Machine *machine);
double gemm_predict_register_tile(const int *size, int threads, const Machine *machine);
double gemm_predict_packed(const int *size, int threads, const Machine *machine);
double gemm_predict_vector(const int *size, int threads, const Machine *machine);
double gemm_predict_openmp(const int *size, int threads, const Machine *machine);
double gemm_predict_in_place(const int *size, int threads, const Machine *machine);
double gemm_predict_masked(const int *size, int threads, const Machine *machine);
double gemm_predict_prefetch(const int *size, int threads, const Machine *machine);
double gemm_predict_tall_skinny(const int *size, int threads, const Machine *machine);
double gemm_predict_expert(const int *size, int threads, const Machine *machine);

Traffic gemm_traffic_naive(const int *size, int threads, const Machine *machine);
Traffic gemm_traffic_reordered(const int *size, int threads, const Machine *machine);
Traffic gemm_traffic_blocked(const int *size, int threads, const Machine *machine);
Traffic gemm_traffic_register_tile(const int *size, int threads, const Machine *machine);
Traffic gemm_traffic_packed(const int *size, int threads, const Machine *machine);
Traffic gemm_traffic_vector(const int *size, int threads, const Machine *machine);
Traffic gemm_traffic_openmp(const int *size, int threads, const Machine *machine);
Traffic gemm_traffic_in_place(const int *size, int threads, const Machine *machine);
Traffic gemm_traffic_masked(const int *size, int threads, const Machine *machine);
Traffic gemm_traffic_prefetch(const int *size, int threads, const Machine *machine);
Traffic gemm_traffic_tall_skinny(const int *size, int threads, const Machine *machine);
Traffic gemm_traffic_expert(const int *size, int threads, const Machine *machine);

#endif
