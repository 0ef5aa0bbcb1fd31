/* Optimisers beside PyTorch's numbers (test_golden_optimizers.c): options, names, state, and what can be said in closed form.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/backend.h"
#include "nn/optimizer.h"
#include "tests/capture.h"
#include "tests/testing.h"

static const Backend *
best(void)
{
    return cpu_backend("best", NULL);
}

TEST(kinds_have_names)
{
    static const char *const names[] = {"sgd", "momentum", "nesterov", "adam"};
    for (int i = 0; i < 4; i++) {
        OptimizerKind kind;
        ck_assert(optimizer_kind_from_name(names[i], &kind, NULL));
        ck_assert_int_eq((int)kind, i);
        ck_assert_str_eq(optimizer_kind_name(kind), names[i]);
    }
}

TEST(unknown_names_are_refused)
{
    static const char *const names[] = {"", "SGD", "adamw", "sg", "sgd "};
    for (int i = 0; i < 5; i++) {
        OptimizerKind kind = OPTIMIZER_ADAM;
        ck_assert_refused(optimizer_kind_from_name(names[i], &kind, &error), "use sgd, momentum, nesterov or adam");
        ck_assert_int_eq(kind, OPTIMIZER_ADAM);
    }
}

TEST(options_out_of_range_are_refused)
{
    const double bad[][5] = {{1, 0, .9, .9, 1},   {-.1, 0, .9, .9, 1},      {NAN, 0, .9, .9, 1}, {0, -1, .9, .9, 1},
                             {0, NAN, .9, .9, 1}, {0, INFINITY, .9, .9, 1}, {0, 0, 1, .9, 1},    {0, 0, .9, 1, 1},
                             {0, 0, NAN, .9, 1},  {0, 0, .9, -.5, 1},       {0, 0, .9, .9, 0},   {0, 0, .9, .9, -1},
                             {0, 0, .9, .9, NAN}};
    for (size_t i = 0; i < COUNT(bad); i++) {
        const OptimizerOptions options = {bad[i][0], bad[i][1], bad[i][2], bad[i][3], bad[i][4]};
        ck_assert_refused(optimizer_options_check(&options, &error), "not possible");
    }
    const OptimizerOptions edge = {0, 0, 0, 0, 1e-30}, defaults = optimizer_defaults();
    ck_assert(optimizer_options_check(&edge, NULL));
    ck_assert(optimizer_options_check(&defaults, NULL));
}

TEST_ENDS(create_with_bad_options, "a momentum of 2 is not possible")
{
    OptimizerOptions options = optimizer_defaults();
    options.momentum = 2;
    optimizer_create(best(), OPTIMIZER_SGD, options, 1);
}

TEST_ENDS_CALL(ask_for_missing_state, "momentum has no state 1",
               optimizer_state(optimizer_create(best(), OPTIMIZER_MOMENTUM, optimizer_defaults(), 1), 1, NULL);)

TEST(state_is_named_and_starts_at_zero)
{
    static const struct {
        int count;
        const char *name[2];
    } want[] = {{0, {NULL}}, {1, {"velocity"}}, {1, {"velocity"}}, {2, {"m", "v"}}};
    for (int kind = 0; kind < 4; kind++) {
        Optimizer *optimizer = optimizer_create(best(), (OptimizerKind)kind, optimizer_defaults(), 5);
        ck_assert_int_eq((int)optimizer_kind(optimizer), kind);
        ck_assert_uint_eq(optimizer_size(optimizer), 5);
        ck_assert_uint_eq(optimizer_steps(optimizer), 0);
        ck_assert(optimizer_options(optimizer).beta2 == 0.999);
        ck_assert_int_eq(optimizer_state_count(optimizer), want[kind].count);
        for (int i = 0; i < want[kind].count; i++) {
            const char *name;
            const float *state = optimizer_state(optimizer, i, &name);
            ck_assert_str_eq(name, want[kind].name[i]);
            for (int j = 0; j < 5; j++)
                ck_assert(state[j] == 0);
        }
        optimizer_free(optimizer);
    }
    optimizer_free(NULL);
}

TEST(first_adam_step_is_the_rate)
{
    const float dw[4] = {1e-3F, -5, 100, 0}, want[4] = {-0.1F, 0.1F, -0.1F, 0}; /* -rate g / (|g| + epsilon) */
    float w[4] = {0};
    Optimizer *adam = optimizer_create(best(), OPTIMIZER_ADAM, optimizer_defaults(), 4);
    optimizer_step(adam, w, dw, 0.1);
    ck_assert_floats(w, want, 4, 0, 2e-5);
    optimizer_free(adam);
}

TEST(constant_gradient_gives_momentum_its_limit)
{
    float w = 0, dw = 1, last = 0;
    Optimizer *momentum = optimizer_create(best(), OPTIMIZER_MOMENTUM, optimizer_defaults(), 1);
    for (int t = 0; t < 200; t++) {
        last = w;
        optimizer_step(momentum, &w, &dw, 0.01);
    }
    ck_assert_double_eq_tol(last - w, 0.01 / (1 - 0.9), 1e-5); /* rate / (1 - momentum) */
    optimizer_free(momentum);
}

/* ---- a run that is interrupted ----------------------------------------------------------------------------------------------- */

enum { N = 1000 };

static void
steps(Optimizer *optimizer, float *w, int first, int end)
{
    float dw[N];
    for (int t = first; t < end; t++) {
        rng_fill_normal(3, (uint64_t)t, 0, dw, N, 0, 1);
        optimizer_step(optimizer, w, dw, 0.01);
    }
}

TEST(a_restored_state_continues_exactly)
{
    for (int kind = 0; kind < 4; kind++) {
        float whole[N] = {0}, parts[N] = {0};
        Optimizer *a = optimizer_create(best(), (OptimizerKind)kind, optimizer_defaults(), N);
        Optimizer *b = optimizer_create(best(), (OptimizerKind)kind, optimizer_defaults(), N);
        Optimizer *c = optimizer_create(best(), (OptimizerKind)kind, optimizer_defaults(), N);
        steps(a, whole, 0, 9);
        steps(b, parts, 0, 4);
        for (int i = 0; i < optimizer_state_count(b); i++)
            memcpy(optimizer_state(c, i, NULL), optimizer_state(b, i, NULL), sizeof(float) * N);
        optimizer_set_steps(c, optimizer_steps(b));
        steps(c, parts, 4, 9);
        ck_assert_uint_eq(optimizer_steps(c), 9);
        ck_assert(memcmp(whole, parts, sizeof whole) == 0);
        optimizer_free(a);
        optimizer_free(b);
        optimizer_free(c);
    }
}

/* A shard of the parameters has an optimiser of its own: together they do what one does. */
TEST(shards_do_what_the_whole_does)
{
    for (int kind = 0; kind < 4; kind++) {
        float whole[N] = {0}, sharded[N] = {0}, dw[N];
        Optimizer *all = optimizer_create(best(), (OptimizerKind)kind, optimizer_defaults(), N);
        Optimizer *low = optimizer_create(best(), (OptimizerKind)kind, optimizer_defaults(), 333);
        Optimizer *high = optimizer_create(best(), (OptimizerKind)kind, optimizer_defaults(), N - 333);
        for (uint64_t t = 0; t < 3; t++) {
            rng_fill_normal(4, t, 0, dw, N, 0, 1);
            optimizer_step(all, whole, dw, 0.01);
            optimizer_step(low, sharded, dw, 0.01);
            optimizer_step(high, sharded + 333, dw + 333, 0.01);
        }
        ck_assert_floats(sharded, whole, N, 1e-8, 1e-6);
        optimizer_free(all);
        optimizer_free(low);
        optimizer_free(high);
    }
}

TEST(no_elements_are_no_problem)
{
    float none = 5;
    for (int kind = 0; kind < 4; kind++) {
        Optimizer *optimizer = optimizer_create(best(), (OptimizerKind)kind, optimizer_defaults(), 0);
        optimizer_step(optimizer, &none, &none, 1);
        ck_assert(none == 5);
        optimizer_free(optimizer);
    }
}

TEST(nan_in_a_gradient_shows)
{
    for (int kind = 0; kind < 4; kind++) {
        float w[3] = {1, 1, 1}, dw[3] = {0, NAN, 0};
        Optimizer *optimizer = optimizer_create(best(), (OptimizerKind)kind, optimizer_defaults(), 3);
        optimizer_step(optimizer, w, dw, 0.1);
        ck_assert(w[0] == 1 && isnan(w[1]) && w[2] == 1);
        optimizer_free(optimizer);
    }
}

TEST_MAIN("optimizer")
