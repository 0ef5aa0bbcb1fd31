/* gemm's ladder: the inputs, and what is right.
 *
 * The reference of a large product costs as much as the product itself, so it is computed once. What a round changes is little: a
 * column of op(A) and a row of op(B), whose effect on every element of C is two multiplications in double:
 *
 *     column ka of op(A): a becomes a', of the other sign     C += (a' - a) (row ka of op(B))       1 <= |a' - a| <= 2
 *     row kb of op(B): b becomes b', a quarter up or down     C += (column kb of op(A)) (b' - b)    |b' - b| = 1/4
 *
 * All elements of A and B are between 1/2 and 1 in magnitude. So the first term is at least 1/2, the second between 1/8 and 1/4,
 * and each element of C moves by at least 1/4: 80 tolerances at K = 4096. An output of the round before is wrong in every
 * element, and so is, up to K = 80,000, one made from a copy of A or of B that was packed then. The rounding of these updates
 * in double, some 1e-16 of each element in each round, is nothing beside a tolerance.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/gemm/ladder_internal.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Random streams of the seed. */
enum { STREAM_A = 0, STREAM_B = 1, STREAM_CHANGE = 2 };

static int
at_least_1(int n)
{
    return n > 0 ? n : 1;
}

void
gemm_problem_destroy(void *problem)
{
    GemmProblem *in = problem;
    array_free(in->A);
    array_free(in->B);
    array_free(in->product);
    array_free(in);
}

/* Numbers between 1/2 and 1 in magnitude, of either sign. */
static void
draw(const GemmProblem *in, uint64_t stream, uint64_t first, float *x, size_t n)
{
    rng_fill_uniform(in->seed, stream, first, x, n, -0.5, 0.5);
    for (size_t i = 0; i < n; i++) {
        x[i] += x[i] < 0.0f ? -0.5f : 0.5f;
        if (in->step > 0.0f)
            x[i] = truncf(x[i] / in->step) * in->step;
    }
}

static bool
allocate(GemmProblem *in, Error *error)
{
    const GemmOperands *o = &in->operands;
    const size_t M = (size_t)o->M, N = (size_t)o->N, K = (size_t)o->K;
    size_t a, b, c;
    if (!size_multiply(M, K, &a) || !size_multiply(K, N, &b) || !size_multiply(M, N, &c))
        return error_set(error, "gemm %d x %d x %d: the number of elements exceeds size_t", o->M, o->N, o->K);
    in->A = array_try_create(a, sizeof(float), error);
    in->B = in->A != NULL ? array_try_create(b, sizeof(float), error) : NULL;
    in->product = in->B != NULL ? array_try_create(c, sizeof(double), error) : NULL;
    if (in->product == NULL)
        return false;
    draw(in, STREAM_A, 0, in->A, a);
    draw(in, STREAM_B, 0, in->B, b);
    return true;
}

GemmProblem *
gemm_problem_create_in_steps(const int *size, uint64_t seed, float step, Error *error)
{
    const int M = size[GEMM_M], N = size[GEMM_N], K = size[GEMM_K];
    GemmProblem *in = ARRAY(GemmProblem, 1);
    *in = (GemmProblem){
        .transpose_a = gemm_transposes_a(size), .transpose_b = gemm_transposes_b(size), .seed = seed, .step = step};
    in->lda = at_least_1(in->transpose_a ? M : K);
    in->ldb = at_least_1(in->transpose_b ? K : N);
    in->operands = (GemmOperands){.M = M, .N = N, .K = K};
    in->operands.a_row = in->transpose_a ? 1 : (size_t)in->lda;
    in->operands.a_k = in->transpose_a ? (size_t)in->lda : 1;
    in->operands.b_k = in->transpose_b ? 1 : (size_t)in->ldb;
    in->operands.b_column = in->transpose_b ? (size_t)in->ldb : 1;
    if (!allocate(in, error)) {
        gemm_problem_destroy(in);
        return NULL;
    }
    in->operands.A = in->A;
    in->operands.B = in->B;
    gemm_reference(&in->operands, in->product);
    return in;
}

void *
gemm_problem_create(const int *size, uint64_t seed, Error *error)
{
    return gemm_problem_create_in_steps(size, seed, 0.0f, error);
}

/* New numbers for column k of op(A), each of the other sign. change[m] = new - old. */
static void
change_a(GemmProblem *in, size_t k, uint64_t round, double *change)
{
    const size_t M = (size_t)in->operands.M;
    float *fresh = ARRAY(float, M);
    draw(in, STREAM_CHANGE, round * M, fresh, M);
    for (size_t m = 0; m < M; m++) {
        float *a = in->A + m * in->operands.a_row + k * in->operands.a_k;
        const float now = *a < 0.0f ? fabsf(fresh[m]) : -fabsf(fresh[m]);
        change[m] = (double)now - (double)*a;
        *a = now;
    }
    array_free(fresh);
}

/* Row k of op(B) by a quarter up or down, towards 3/4. change[n] = new - old. */
static void
change_b(GemmProblem *in, size_t k, double *change)
{
    for (size_t n = 0; n < (size_t)in->operands.N; n++) {
        float *b = in->B + k * in->operands.b_k + n * in->operands.b_column;
        const float magnitude = fabsf(*b) < 0.75f ? fabsf(*b) + 0.25f : fabsf(*b) - 0.25f;
        const float now = copysignf(magnitude, *b);
        change[n] = (double)now - (double)*b;
        *b = now;
    }
}

void
gemm_problem_refresh(void *problem, uint64_t round)
{
    GemmProblem *in = problem;
    const GemmOperands *o = &in->operands;
    const size_t M = (size_t)o->M, N = (size_t)o->N, K = (size_t)o->K;
    if (K == 0)
        return;
    const size_t ka = round * 7919 % K, kb = (round * 7919 + K / 2) % K;
    double *da = ARRAY(double, M), *a = ARRAY(double, M), *db = ARRAY(double, N), *b = ARRAY(double, N);
    for (size_t n = 0; n < N; n++)
        b[n] = (double)o->B[ka * o->b_k + n * o->b_column];
    change_a(in, ka, round, da);
    for (size_t m = 0; m < M; m++)
        a[m] = (double)o->A[m * o->a_row + kb * o->a_k];
    change_b(in, kb, db);
#pragma omp parallel for
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++)
            in->product[m * N + n] += da[m] * b[n] + a[m] * db[n];
    array_free(da);
    array_free(a);
    array_free(db);
    array_free(b);
}

/* As for gemv (cpu/gemv/ladder.c, which tells where the 12 comes from), with products of at most 1 in magnitude: a sum of K of
 * them is off by at most n u K, and in fact by some 0.2 sqrt(n K) u if roundings are as random as they look. */
void
gemm_problem_reference(const void *problem, double *want, double *tolerance)
{
    const GemmProblem *in = problem;
    const double K = in->operands.K, n = K + 3.0, u = FLT_EPSILON / 2.0;
    const size_t outputs = (size_t)in->operands.M * (size_t)in->operands.N;
    memcpy(want, in->product, sizeof(double) * outputs);
    for (size_t i = 0; i < outputs; i++)
        tolerance[i] = u * fmin(n * K, 12.0 * sqrt(n * K));
}

void
gemm_problem_call(LadderFunction *function, const void *problem, void *output)
{
    const GemmProblem *in = problem;
    const GemmOperands *o = &in->operands;
    ((Gemm *)function)(in->transpose_a, in->transpose_b, o->M, o->N, o->K, 1.0f, in->A, in->lda, in->B, in->ldb, 0.0f,
                       output, at_least_1(o->N));
}
