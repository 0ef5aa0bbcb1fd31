/* optimisers: the ladders. Steps change w and the state in place, so a problem counts its calls, and the reference takes the
 * same number of steps in double. The output is [w | velocity] or [w | m | v].
 * SPDX-License-Identifier: MIT */
#include "cpu/ladder_arrays.h"
#include "cpu/ladders.h"
#include "cpu/optimizer/optimizer.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { W, DW, M, V }; /* streams */

static const float RATE = 0.01F, MOMENTUM = 0.9F, DECAY = 0.001F, EPSILON = 1e-8F;
static const double BETA1 = 0.9, BETA2 = 0.999;

/* With `states` arrays besides w. */
static LadderArrays *
create(int states, const int *size, uint64_t seed, Error *error)
{
    const size_t n = (size_t)size[0];
    LadderArrays description = {{size[0]}, seed, {{n, -1, 1, NULL}, {n, -1, 1, NULL}}};
    if (states >= 1)
        description.array[M] = (LadderArray){n, -0.1, 0.1, NULL};
    if (states >= 2)
        description.array[V] = (LadderArray){n, 0.01, 1, NULL};
    return ladder_arrays_create(&description, error);
}

static void *
create_sgd(const int *size, uint64_t seed, Error *error)
{
    return create(0, size, seed, error);
}

static void *
create_momentum(const int *size, uint64_t seed, Error *error)
{
    return create(1, size, seed, error);
}

static void *
create_adam(const int *size, uint64_t seed, Error *error)
{
    return create(2, size, seed, error);
}

static void
begin(void *inputs, void *output)
{
    LadderArrays *in = inputs;
    const int streams[] = {W, M, V};
    float *to = output;
    in->calls = 0;
    for (int i = 0; i < 3 && in->array[streams[i]].x != NULL; i++, to += in->array[W].n)
        memcpy(to, in->array[streams[i]].x, in->array[W].n * sizeof(float));
}

/* The inputs are the problem's own; the driver passes them as const, which concerns the numbers in them. */
static int
count_call(const void *inputs)
{
    return ++((LadderArrays *)inputs)->calls;
}

typedef void Sgd(size_t n, float *w, const float *dw, float rate, float weight_decay);

static void
call_sgd(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    count_call(in);
    ((Sgd *)function)(in->array[W].n, output, in->array[DW].x, RATE, DECAY);
}

typedef void Momentum(size_t n, float *w, const float *dw, float *velocity, float rate, float momentum,
                      float weight_decay, bool nesterov);

static void
call_momentum(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    const size_t n = in->array[W].n;
    float *w = output;
    count_call(in);
    ((Momentum *)function)(n, w, in->array[DW].x, w + n, RATE, MOMENTUM, DECAY, false);
}

typedef void Adam(size_t n, float *w, const float *dw, float *m, float *v, float rate, double beta1, double beta2,
                  float epsilon, float weight_decay, double correction1, double correction2);

static void
call_adam(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    const size_t n = in->array[W].n;
    const int t = count_call(in);
    float *w = output;
    ((Adam *)function)(n, w, in->array[DW].x, w + n, w + 2 * n, RATE, BETA1, BETA2, EPSILON, DECAY, 1 - pow(BETA1, t),
                       1 - pow(BETA2, t));
}

/* ---- the reference ---------------------------------------------------------------------------------------------------------- */

/* One parameter. moved: the sum of |change of w|; power1, power2: of the betas, to the number of steps. */
typedef struct Parameter {
    double w, dw, m, v, moved, power1, power2;
} Parameter;

static void
step(Parameter *p, double change)
{
    p->w -= change;
    p->moved += fabs(change);
}

static void
sgd(Parameter *p)
{
    step(p, (double)RATE * (p->dw + (double)DECAY * p->w));
}

static void
momentum(Parameter *p)
{
    p->m = (double)MOMENTUM * p->m + (p->dw + (double)DECAY * p->w);
    step(p, (double)RATE * p->m);
}

static void
adam(Parameter *p)
{
    p->power1 *= BETA1;
    p->power2 *= BETA2;
    const double g = p->dw + (double)DECAY * p->w;
    p->m = BETA1 * p->m + (1 - BETA1) * g;
    p->v = BETA2 * p->v + (1 - BETA2) * g * g;
    step(p, (double)RATE * (p->m / (1 - p->power1)) / (sqrt(p->v / (1 - p->power2)) + (double)EPSILON));
}

/* Each of the calls rounds each number a few times. m may pass through 0, so its error is relative to what it was made of. */
static void
reference(const LadderArrays *in, void (*take)(Parameter *p), double *want, double *tolerance)
{
    const size_t n = in->array[W].n;
    const double u = (8.0 + 4.0 * in->calls) * (double)FLT_EPSILON / 2;
    for (size_t i = 0; i < n; i++) {
        Parameter p = {.w = (double)in->array[W].x[i], .dw = (double)in->array[DW].x[i], .power1 = 1, .power2 = 1};
        p.m = in->array[M].x != NULL ? (double)in->array[M].x[i] : 0;
        p.v = in->array[V].x != NULL ? (double)in->array[V].x[i] : 0;
        for (int t = 0; t < in->calls; t++)
            take(&p);
        want[i] = p.w;
        tolerance[i] = u * (1 + p.moved);
        if (in->array[M].x != NULL) {
            want[n + i] = p.m;
            tolerance[n + i] = u * (1 + fabs(p.m));
        }
        if (in->array[V].x != NULL) {
            want[2 * n + i] = p.v;
            tolerance[2 * n + i] = u * p.v;
        }
    }
}

static void
sgd_reference(const void *inputs, double *want, double *tolerance)
{
    reference(inputs, sgd, want, tolerance);
}

static void
momentum_reference(const void *inputs, double *want, double *tolerance)
{
    reference(inputs, momentum, want, tolerance);
}

static void
adam_reference(const void *inputs, double *want, double *tolerance)
{
    reference(inputs, adam, want, tolerance);
}

/* ---- the tables ------------------------------------------------------------------------------------------------------------- */

/* floats of output, operations and bytes of one parameter */
#define COUNTS(title, floats, operations, moved)                                                                       \
    static size_t title##_outputs(const int *size)                                                                     \
    {                                                                                                                  \
        return floats * (size_t)size[0];                                                                               \
    }                                                                                                                  \
    static double title##_flops(const int *size)                                                                       \
    {                                                                                                                  \
        return (double)(operations)*size[0];                                                                           \
    }                                                                                                                  \
    static double title##_bytes(const int *size)                                                                       \
    {                                                                                                                  \
        return (double)(moved)*size[0];                                                                                \
    }

COUNTS(sgd, 1, 4, 12)
COUNTS(momentum, 2, 6, 20)
COUNTS(adam, 3, 14, 28)

#define RUNGS(title, top)                                                                                              \
    static const Rung title##_rungs[] = {{.name = "passes",                                                            \
                                          .idea = "a loop for each line of the formula",                               \
                                          .file = "cpu/optimizer/01_passes.c",                                         \
                                          .function = (LadderFunction *)title##_step_passes},                          \
                                         {.name = "one_pass",                                                          \
                                          .idea = "one loop, vectors, threads",                                        \
                                          .file = top,                                                                 \
                                          .function = (LadderFunction *)title##_step}}
RUNGS(sgd, "cpu/optimizer/sgd.c");
RUNGS(momentum, "cpu/optimizer/sgd.c");
RUNGS(adam, "cpu/optimizer/adam.c");

/* clang-format off */
#define OPTIMIZER(title, text)                                                                                         \
    const Ladder title##_ladder = {                                                                                    \
        .operation = {.name = #title, .formula = text, .dimensions = "N", .dimension_count = 1,                        \
                      .tolerance = "|error| <= 2^-24 (8 + 4 steps) (1 + |w's way|), and so for the state",             \
                      .lecture = "lectures/02-backpropagation.md", .create = create_##title,                           \
                      .refresh = ladder_arrays_refresh, .reference = title##_reference, .call = call_##title,                \
                      .destroy = ladder_arrays_destroy, .begin = begin, .outputs = title##_outputs, .flops = title##_flops,  \
                      .bytes = title##_bytes, .streams = true},                                                        \
        .rungs = title##_rungs, .count = 2}
/* clang-format on */

OPTIMIZER(sgd, "w[N] -= rate (dw + decay w)");
OPTIMIZER(momentum, "v[N] = momentum v + dw + decay w; w[N] -= rate v");
OPTIMIZER(adam, "m[N], v[N]: running means of g and g^2; w[N] -= rate m / (sqrt v + epsilon), both corrected");
