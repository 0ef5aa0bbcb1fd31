/* Optimisers: their state, and which kernel takes the step. The arithmetic is the backend's.
 * SPDX-License-Identifier: MIT */
#include "nn/optimizer.h"
#include "core/array.h"
#include "core/checked.h"
#include <math.h>
#include <string.h>

enum { STATES_MAX = 2 };

/* One row for each kind: its name, a usual rate, and its state. */
static const struct Kind {
    const char *name;
    double rate;
    int states;
    const char *state[STATES_MAX];
} kinds[] = {
    [OPTIMIZER_SGD] = {"sgd", 0.1, 0, {NULL}},
    [OPTIMIZER_MOMENTUM] = {"momentum", 0.01, 1, {"velocity"}},
    [OPTIMIZER_NESTEROV] = {"nesterov", 0.01, 1, {"velocity"}},
    [OPTIMIZER_ADAM] = {"adam", 0.001, 2, {"m", "v"}},
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

struct Optimizer {
    const Backend *backend;
    OptimizerKind kind;
    OptimizerOptions options;
    size_t n;
    uint64_t steps;
    float *state[STATES_MAX]; /* [n] each */
};

OptimizerOptions
optimizer_defaults(void)
{
    return (OptimizerOptions){.momentum = 0.9, .weight_decay = 0, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
}

/* Written so that NaN is out of every range. */
static bool
in_unit(double x)
{
    return x >= 0 && x < 1;
}

bool
optimizer_options_check(const OptimizerOptions *options, Error *error)
{
    if (!in_unit(options->momentum))
        return error_set(error, "a momentum of %g is not possible: it must be at least 0 and below 1",
                         options->momentum);
    if (!(options->weight_decay >= 0 && options->weight_decay < INFINITY))
        return error_set(error, "a weight decay of %g is not possible: it must be 0 or more", options->weight_decay);
    if (!in_unit(options->beta1) || !in_unit(options->beta2))
        return error_set(error, "Adam's beta %g and %g are not possible: both must be at least 0 and below 1",
                         options->beta1, options->beta2);
    if (!(options->epsilon > 0 && options->epsilon < INFINITY))
        return error_set(error, "Adam's epsilon of %g is not possible: it must be above 0", options->epsilon);
    return true;
}

bool
optimizer_kind_from_name(const char *name, OptimizerKind *kind, Error *error)
{
    for (int k = 0; k < KINDS; k++) {
        if (strcmp(name, kinds[k].name) == 0) {
            *kind = (OptimizerKind)k;
            return true;
        }
    }
    return error_set(error, "there is no optimiser called \"%s\": use sgd, momentum, nesterov or adam", name);
}

const char *
optimizer_kind_name(OptimizerKind kind)
{
    CHECK_THAT((int)kind >= 0 && (int)kind < KINDS, "there is no optimiser of kind %d", (int)kind);
    return kinds[kind].name;
}

double
optimizer_usual_rate(OptimizerKind kind)
{
    CHECK_THAT(optimizer_kind_name(kind), "no such kind");
    return kinds[kind].rate;
}

Optimizer *
optimizer_create(const Backend *backend, OptimizerKind kind, OptimizerOptions options, size_t n)
{
    Error error;
    CHECK_THAT(optimizer_options_check(&options, &error), "%s", error.text);
    CHECK_THAT(optimizer_kind_name(kind), "no such kind");
    Optimizer *optimizer = ARRAY(Optimizer, 1);
    *optimizer = (Optimizer){.backend = backend, .kind = kind, .options = options, .n = n};
    for (int i = 0; i < kinds[kind].states; i++) {
        optimizer->state[i] = backend->memory->allocate(n * sizeof(float));
        backend->clear(n, optimizer->state[i]);
    }
    return optimizer;
}

void
optimizer_free(Optimizer *optimizer)
{
    if (!optimizer)
        return;
    for (int i = 0; i < STATES_MAX; i++)
        optimizer->backend->memory->free(optimizer->state[i]);
    array_free(optimizer);
}

void
optimizer_step(Optimizer *optimizer, float *w, const float *dw, double rate)
{
    const OptimizerOptions *o = &optimizer->options;
    const Backend *backend = optimizer->backend;
    const float r = (float)rate, decay = (float)o->weight_decay;
    float *const *state = optimizer->state;
    const double t = (double)++optimizer->steps;
    switch (optimizer->kind) {
    case OPTIMIZER_SGD:
        backend->sgd_step(optimizer->n, w, dw, r, decay);
        break;
    case OPTIMIZER_MOMENTUM:
    case OPTIMIZER_NESTEROV:
        backend->momentum_step(optimizer->n, w, dw, state[0], r, (float)o->momentum, decay,
                               optimizer->kind == OPTIMIZER_NESTEROV);
        break;
    case OPTIMIZER_ADAM:
        backend->adam_step(optimizer->n, w, dw, state[0], state[1], r, o->beta1, o->beta2, (float)o->epsilon, decay,
                           1 - pow(o->beta1, t), 1 - pow(o->beta2, t));
        break;
    }
}

OptimizerKind
optimizer_kind(const Optimizer *optimizer)
{
    return optimizer->kind;
}

OptimizerOptions
optimizer_options(const Optimizer *optimizer)
{
    return optimizer->options;
}

size_t
optimizer_size(const Optimizer *optimizer)
{
    return optimizer->n;
}

int
optimizer_state_count(const Optimizer *optimizer)
{
    return kinds[optimizer->kind].states;
}

float *
optimizer_state(Optimizer *optimizer, int i, const char **name)
{
    CHECK_THAT(i >= 0 && i < kinds[optimizer->kind].states, "%s has no state %d", kinds[optimizer->kind].name, i);
    if (name)
        *name = kinds[optimizer->kind].state[i];
    return optimizer->state[i];
}

uint64_t
optimizer_steps(const Optimizer *optimizer)
{
    return optimizer->steps;
}

void
optimizer_set_steps(Optimizer *optimizer, uint64_t steps)
{
    optimizer->steps = steps;
}
