/* A ladder small enough to know everything about: y = 2 x, n elements, exact. It shows that the driver knows no operation.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LADDER_SCALE_H
#define TESTS_LADDER_SCALE_H

#include "core/array.h"
#include "core/rng.h"
#include "ladder/ladder.h"

typedef void Scale(int n, const float *x, float *y);

typedef struct ScaleInputs {
    int n;
    uint64_t seed;
    float *x;
} ScaleInputs;

static inline void
scale_refresh(void *inputs, uint64_t round)
{
    ScaleInputs *in = inputs;
    rng_fill_uniform(in->seed, round, 0, in->x, (size_t)in->n, 1.0, 2.0);
}

static inline void *
scale_create(const int *size, uint64_t seed, Error *error)
{
    if (size[0] > 1000000) {
        error_set(error, "scale %d: at most 1000000 elements", size[0]);
        return NULL;
    }
    ScaleInputs *in = ARRAY(ScaleInputs, 1);
    *in = (ScaleInputs){.n = size[0], .seed = seed, .x = ARRAY(float, size[0])};
    scale_refresh(in, 0);
    return in;
}

static inline void
scale_destroy(void *inputs)
{
    array_free(((ScaleInputs *)inputs)->x);
    array_free(inputs);
}

static inline void
scale_reference(const void *inputs, double *want, double *tolerance)
{
    const ScaleInputs *in = inputs;
    for (int i = 0; i < in->n; i++) {
        want[i] = 2.0 * (double)in->x[i];
        tolerance[i] = 0.0;
    }
}

static inline void
scale_call(LadderFunction *function, const void *inputs, void *output)
{
    const ScaleInputs *in = inputs;
    ((Scale *)function)(in->n, in->x, output);
}

static inline size_t
scale_outputs(const int *size)
{
    return (size_t)size[0];
}

static inline double
scale_flops(const int *size)
{
    return size[0];
}

static inline double
scale_bytes(const int *size)
{
    return 8.0 * size[0];
}

/* ---- rungs ------------------------------------------------------------------------------------------------------------ */

static inline void
scale_slow(int n, const float *x, float *y)
{
    for (int repeat = 0; repeat < 50; repeat++)
        for (int i = 0; i < n; i++)
            ((volatile float *)y)[i] = 2.0f * x[i];
}

static inline void
scale_fast(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = 2.0f * x[i];
}

/* Writes whole fours: it would overrun any other n, and says so. */
static inline void
scale_fours(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i += 4)
        for (int k = 0; k < 4; k++)
            y[i + k] = 2.0f * x[i];
}

static inline bool
scale_accepts_fours(const int *size, Error *reason)
{
    return size[0] % 4 == 0 || error_set(reason, "n must be a multiple of 4, not %d", size[0]);
}

static inline double
scale_predict(const int *size, int threads, const Machine *machine)
{
    return size[0] * 1e-9 * threads + 0.0 * machine->chain;
}

static inline const char *
scale_describe(void)
{
    return "the peer of the tests, version 3";
}

#define SCALE_RUNG(which)                                                                                              \
    .name = #which, .idea = "for tests", .file = "tests/ladder/scale.h", .function = (LadderFunction *)scale_##which

static const Rung scale_rungs[] = {
    {SCALE_RUNG(slow), .predict = scale_predict},
    {SCALE_RUNG(fours), .accepts = scale_accepts_fours},
    {SCALE_RUNG(fast)},
    {.name = "library",
     .idea = "a peer",
     .function = (LadderFunction *)scale_slow,
     .peer = true,
     .describe = scale_describe},
};

static const Ladder scale_ladder = {
    .operation = {.name = "scale",
                  .formula = "y = 2 x",
                  .dimensions = "n",
                  .dimension_count = 1,
                  .tolerance = "exact",
                  .create = scale_create,
                  .refresh = scale_refresh,
                  .reference = scale_reference,
                  .call = scale_call,
                  .destroy = scale_destroy,
                  .outputs = scale_outputs,
                  .flops = scale_flops,
                  .bytes = scale_bytes},
    .rungs = scale_rungs,
    .count = sizeof(scale_rungs) / sizeof(scale_rungs[0]),
};

#endif
