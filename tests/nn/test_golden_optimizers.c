/* Five steps of every optimiser, and a run of every schedule, against PyTorch's numbers.
 * SPDX-License-Identifier: MIT */
#include "cpu/backend.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"
#include "tests/golden/golden_optimizers.h"
#include "tests/testing.h"

enum { SCHEDULES = COUNT(golden_schedules) };

static void
check_with(const GoldenOptimizer *golden, const char *kernels)
{
    testing_about("%s, %s kernels", golden->name, kernels);
    const OptimizerOptions options = {golden->momentum, golden->weight_decay, golden->beta1, golden->beta2,
                                      golden->epsilon};
    const Backend *backend = cpu_backend(kernels, NULL);
    OptimizerKind kind;
    float w[GOLDEN_ELEMENTS];
    ck_assert(optimizer_kind_from_name(golden->kind, &kind, NULL));
    Optimizer *optimizer = optimizer_create(backend, kind, options, GOLDEN_ELEMENTS);
    memcpy(w, golden->start, sizeof w);
    for (int t = 0; t < GOLDEN_STEPS; t++)
        optimizer_step(optimizer, w, golden->gradients + t * GOLDEN_ELEMENTS, golden_rates[t]);
    ck_assert_floats(w, golden->end, GOLDEN_ELEMENTS, 5e-7, 5e-7); /* a few roundings a step */
    for (int i = 0; i < optimizer_state_count(optimizer); i++) {
        const float *want = golden->state + i * GOLDEN_ELEMENTS, *got = optimizer_state(optimizer, i, NULL);
        ck_assert_floats(got, want, GOLDEN_ELEMENTS, 5e-7, 5e-7);
    }
    optimizer_free(optimizer);
}

TEST(every_optimizer)
{
    for (int i = 0; i < COUNT(golden_optimizers); i++) {
        check_with(&golden_optimizers[i], "naive");
        check_with(&golden_optimizers[i], "best");
    }
}

TEST(schedules)
{
    for (int i = 0; i < SCHEDULES; i++) {
        Schedule schedule;
        double rates[GOLDEN_SCHEDULE_STEPS];
        ck_assert(schedule_parse(golden_schedules[i].text, &schedule, NULL));
        for (uint64_t t = 0; t < GOLDEN_SCHEDULE_STEPS; t++)
            rates[t] = schedule_rate(&schedule, GOLDEN_SCHEDULE_BASE, t, GOLDEN_SCHEDULE_STEPS);
        ck_assert_doubles(rates, golden_schedules[i].rates, GOLDEN_SCHEDULE_STEPS, 0, 1e-8); /* 9 digits are printed */
    }
}

TEST_MAIN("golden optimizers")
