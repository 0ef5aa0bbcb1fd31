/* gemv: the table of rungs, and what the driver needs to know of the operation. A new rung is a file and an entry of `rungs`.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/gemv/gemv.h"
#include "cpu/ladders.h"
#include "cpu/openblas.h"
#include <float.h>
#include <math.h>

typedef struct Inputs {
    int M, N;
    uint64_t seed;
    float *A, *x;
} Inputs;

/* Random streams of the seed. */
enum { STREAM_A = 0, STREAM_X = 1, STREAM_CHANGE = 2 };

static void
destroy(void *inputs)
{
    Inputs *in = inputs;
    array_free(in->A);
    array_free(in->x);
    array_free(in);
}

/* A new x, and one new element in each row of A: a y of before is wrong everywhere, and so is one from a copy of A made
 * before. */
static void
refresh(void *inputs, uint64_t round)
{
    Inputs *in = inputs;
    const size_t M = (size_t)in->M, N = (size_t)in->N;
    rng_fill_normal(in->seed, STREAM_X, round * N, in->x, N, 0.0, 1.0);
    for (size_t i = 0; N > 0 && i < M; i++)
        rng_fill_uniform(in->seed, STREAM_CHANGE, round * M + i, in->A + i * N + (i + round) % N, 1, -1.0, 1.0);
}

static void *
create(const int *size, uint64_t seed, Error *error)
{
    Inputs *in = ARRAY(Inputs, 1);
    *in = (Inputs){.M = size[0], .N = size[1], .seed = seed};
    size_t elements = 0;
    if (size_multiply((size_t)in->M, (size_t)in->N, &elements))
        in->A = array_try_create(elements, sizeof(float), error);
    else
        error_set(error, "gemv %d x %d: the number of elements exceeds size_t", in->M, in->N);
    in->x = in->A != NULL ? array_try_create((size_t)in->N, sizeof(float), error) : NULL;
    if (in->x == NULL) {
        destroy(in);
        return NULL;
    }
    rng_fill_uniform(seed, STREAM_A, 0, in->A, elements, -1.0, 1.0);
    refresh(in, 0);
    return in;
}

/* The bound on rounding, u = 2^-24. A sum of n terms p_j in any order is off by at most n u sum |p_j|. That is far more than what
 * happens: an addition rounds by at most u times the sum so far, which for random signs is about sqrt(sum p_j^2) at most, and
 * the n roundings are as random as they look, so together they are some sqrt(n) of one (Higham and Mary, "A new approach to
 * probabilistic rounding error analysis", 2019). The standard deviation is about 0.4 sqrt(n) u sqrt(sum p_j^2); 12 in its
 * place leaves room for every order of the sum, and none for 16-bit numbers. n = N + 3 counts alpha, beta and the reference's
 * own rounding. */
static void
reference(const void *inputs, double *want, double *tolerance)
{
    const Inputs *in = inputs;
    const double n = in->N + 3.0, u = FLT_EPSILON / 2.0;
    for (int i = 0; i < in->M; i++) {
        const float *row = in->A + (size_t)i * (size_t)in->N;
        double sum = 0.0, magnitude = 0.0, squares = 0.0;
        for (int j = 0; j < in->N; j++) {
            double product = (double)row[j] * (double)in->x[j];
            sum += product;
            magnitude += fabs(product);
            squares += product * product;
        }
        want[i] = sum;
        tolerance[i] = u * fmin(n * magnitude, 12.0 * sqrt(n * squares));
    }
}

static void
call(LadderFunction *function, const void *inputs, void *output)
{
    const Inputs *in = inputs;
    ((Gemv *)function)(in->M, in->N, 1.0f, in->A, in->N > 0 ? in->N : 1, in->x, 0.0f, output);
}

static size_t
outputs(const int *size)
{
    return (size_t)size[0];
}

static double
flops(const int *size)
{
    return 2.0 * size[0] * size[1];
}

static double
bytes(const int *size)
{
    return sizeof(float) * ((double)size[0] * size[1] + size[0] + size[1]);
}

/* ---- what each rung should take ---------------------------------------------------------------------------------------
 * The models know of chains, loads and bytes; each rung's file says which counts for it. They leave out what happens once a row:
 * adding up the lanes of a vector, and that the processor begins a row while the chain of the last one still has some hundred
 * steps to go (it looks ahead by as many instructions). So they have nothing to say of short rows, and less than that of
 * chains. */

enum { LONG_ROW = 64, LONG_CHAIN = 256 };

static double
streamed(const int *size, int threads, const Machine *machine)
{
    return bytes(size) / machine_read(machine, threads, bytes(size));
}

/* `chains` chains of dependent additions, or the bytes: whichever takes longer. */
static double
chained(const int *size, int chains, const Machine *machine)
{
    if (size[1] < LONG_CHAIN)
        return NAN;
    return fmax((double)size[0] * size[1] * machine->chain / chains, streamed(size, 1, machine));
}

/* The load units carry A and loads_of_x times as much of x from L1. */
static double
loaded(const int *size, int threads, const Machine *machine, double loads_of_x)
{
    if (size[1] < LONG_ROW)
        return NAN;
    double loads = bytes(size) * (1.0 + loads_of_x) / machine_read(machine, threads, 0.0);
    return fmax(loads, streamed(size, threads, machine));
}

/* All rungs but the last use one thread, whatever there are. */
static double
predict_naive(const int *size, int threads, const Machine *machine)
{
    (void)threads;
    return chained(size, 1, machine);
}

static double
predict_unrolled(const int *size, int threads, const Machine *machine)
{
    (void)threads;
    return chained(size, 4, machine);
}

static double
predict_vector(const int *size, int threads, const Machine *machine)
{
    (void)threads;
    return loaded(size, 1, machine, 1.0);
}

static double
predict_rows(const int *size, int threads, const Machine *machine)
{
    (void)threads;
    return loaded(size, 1, machine, 1.0 / 8.0);
}

static double
predict_openmp(const int *size, int threads, const Machine *machine)
{
    return loaded(size, gemv_openmp_parts(size[0], size[1], threads), machine, 1.0 / 8.0);
}

static const Rung rungs[] = {
    {.name = "naive",
     .idea = "one accumulator",
     .file = "cpu/gemv/01_naive.c",
     .function = (LadderFunction *)gemv_naive,
     .predict = predict_naive},
    {.name = "unrolled",
     .idea = "four accumulators",
     .file = "cpu/gemv/02_unrolled.c",
     .function = (LadderFunction *)gemv_unrolled,
     .predict = predict_unrolled},
    {.name = "vector",
     .idea = "accumulators are vectors",
     .file = "cpu/gemv/03_vector.c",
     .function = (LadderFunction *)gemv_vector,
     .predict = predict_vector},
    {.name = "rows",
     .idea = "eight rows share each load of x",
     .file = "cpu/gemv/04_rows.c",
     .function = (LadderFunction *)gemv_rows,
     .predict = predict_rows},
    {.name = "narrow",
     .idea = "no idle lanes in short rows",
     .file = "cpu/gemv/05_narrow.c",
     .function = (LadderFunction *)gemv_narrow,
     .predict = predict_rows},
    {.name = "openmp",
     .idea = "threads share the rows",
     .file = "cpu/gemv/06_openmp.c",
     .function = (LadderFunction *)gemv_openmp,
     .predict = predict_openmp},
    {.name = "openblas",
     .idea = "cblas_sgemv",
     .file = "cpu/gemv/openblas.c",
     .function = (LadderFunction *)gemv_openblas,
     .peer = true,
     .accepts = openblas_accepts,
     .describe = openblas_describe,
     .use_threads = openblas_use_threads},
};

const Ladder gemv_ladder = {
    .operation = {.name = "gemv",
                  .formula = "y[M] = A[M][N] x",
                  .dimensions = "MxN",
                  .dimension_count = 2,
                  .tolerance =
                      "|error of y_i| <= 2^-24 min(n sum |p_j|, 12 sqrt(n sum p_j^2)), p_j = a_ij x_j, n = N + 3",
                  .lecture = "lectures/02-backpropagation.md",
                  .create = create,
                  .refresh = refresh,
                  .reference = reference,
                  .call = call,
                  .destroy = destroy,
                  .outputs = outputs,
                  .flops = flops,
                  .bytes = bytes},
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
