/* Which gradients are sent together, on random instances: the optimum against every grouping. Needs no ranks.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "mpi/model/merge.h"
#include "tests/testing.h"
#include <math.h>
#include <stdio.h>

enum { BRUTE = 10 }; /* layers of which all 2^(L-1) groupings are tried */

static double
seconds_of(void (*rule)(const StepCase *, Step *), const StepCase *what)
{
    static Step step;
    rule(what, &step);
    return step.seconds;
}

/* An all-reduce whose algorithm changes at a size, as the fitted curves do: two lines. */
static double
two_lines(const void *context, double bytes)
{
    const AllReduceLine *line = context;
    return bytes < 3 ? line[0].a + line[0].b * bytes : fmax(line[0].a + line[0].b * 3, line[1].a + line[1].b * bytes);
}

typedef struct Instance {
    double backward[BRUTE], bytes[BRUTE];
    AllReduceLine line[2];
    StepCase what;
} Instance;

/* Every scale of t_b, bytes and latency; every fifth layer has no weights in every third instance; every second has two lines. */
static void
draw(Instance *instance, uint64_t number)
{
    Rng rng = rng_create(7, number);
    const double computed = exp(4 * rng_uniform(&rng) - 2), sent = exp(4 * rng_uniform(&rng) - 2);
    for (int l = 0; l < BRUTE; l++) {
        instance->backward[l] = computed * rng_uniform(&rng);
        instance->bytes[l] = sent * rng_uniform(&rng) * rng_uniform(&rng);
        if (number % 3 == 0 && rng_below(&rng, 5) == 0)
            instance->bytes[l] = 0;
    }
    instance->line[0] = (AllReduceLine){2 * rng_uniform(&rng), rng_uniform(&rng)};
    instance->line[1] = (AllReduceLine){2 * rng_uniform(&rng), rng_uniform(&rng)};
    instance->what = (StepCase){
        1 + (int)rng_below(&rng, BRUTE), rng_uniform(&rng), instance->backward, instance->bytes, rng_uniform(&rng),
        {two_lines, instance->line}};
    if (number % 2 == 0)
        instance->what.all_reduce = all_reduce_line(instance->line);
}

/* The shortest of all groupings: bit l - 2 of `cuts` begins a new group below layer l. */
static double
brute_force(const StepCase *what)
{
    static Step step;
    double best = HUGE_VAL;
    for (unsigned cuts = 0; cuts < 1U << (what->layers - 1); cuts++) {
        int first[BRUTE], groups = 0;
        for (int l = what->layers; l >= 2; l--)
            if (cuts >> (l - 2) & 1)
                first[groups++] = l;
        first[groups++] = 1;
        ck_assert(step_of_groups(what, first, groups, true, &step));
        best = fmin(best, step.seconds);
    }
    return best;
}

/* What must hold of any step: the line is never used twice at once, nothing is sent before it is ready, the bounds of the paper. */
static void
check_step(const StepCase *what, const Step *step, double naive)
{
    double computed = what->forward + what->update, free_from = 0;
    int layer = what->layers;
    for (int l = 0; l < what->layers; l++)
        computed += what->backward[l];
    for (int g = 0; g < step->groups; g++) {
        const StepGroup *group = &step->group[g];
        ck_assert_int_eq(group->last, layer);
        ck_assert_double_ge(group->begin, free_from);
        ck_assert_double_ge(group->begin, group->ready);
        ck_assert_double_eq(group->ready, step->backward_end[group->first - 1]);
        free_from = group->end;
        layer = group->first - 1;
    }
    ck_assert_int_eq(layer, 0);
    const StepGroup *last = &step->group[step->groups - 1];
    ck_assert_double_ge(step->seconds, computed + last->end - last->begin - 1e-9);
    ck_assert_double_le(step->seconds, naive + 1e-9);
    ck_assert_double_eq_tol(step->seconds, computed + step->exposed, 1e-9);
    ck_assert_double_le(step->exposed, step->communication + 1e-9);
}

TEST(optimal_is_never_worse)
{
    static Step step;
    int greedy_worse = 0;
    double worst = 1;
    for (uint64_t number = 0; number < 1000; number++) {
        Instance instance;
        draw(&instance, number);
        const StepCase *what = &instance.what;
        merge_optimal(what, &step);
        const double best = step.seconds, greedy = seconds_of(merge_greedy, what);
        ck_assert_msg(fabs(best - brute_force(what)) <= 1e-9 * best, "instance %d: %.12g, not %.12g", (int)number, best,
                      brute_force(what));
        ck_assert_double_le(best, greedy * (1 + 1e-12));
        ck_assert_double_le(best, seconds_of(step_wfbp, what) * (1 + 1e-12));
        ck_assert_double_le(best, seconds_of(step_fused, what) * (1 + 1e-12));
        for (int m = 0; m < STEP_MODES; m++) {
            ck_assert(step_of_mode(step_modes[m], what, 0.3, 1, &step));
            check_step(what, &step, HUGE_VAL);
            ck_assert_double_le(best, step.seconds * (1 + 1e-12));
        }
        greedy_worse += greedy > best * (1 + 1e-9);
        worst = fmax(worst, greedy / best);
    }
    printf("greedy was worse than the best grouping in %d of 1000 instances, at most %.2f times\n", greedy_worse,
           worst);
    ck_assert_int_gt(greedy_worse, 0);
}

/* Without latency wait-free is the best, with a long one a single all-reduce. No step is longer than the naive one, since a line is
 * sub-additive. (All layers have weights here: those without at the lower end would not have to be waited for.) */
TEST(limits_of_the_latency)
{
    for (uint64_t number = 0; number < 100; number++) {
        Instance instance;
        draw(&instance, 3 * number + 1);
        StepCase what = instance.what;
        AllReduceLine line = {0, instance.line[0].b};
        what.all_reduce = all_reduce_line(&line);
        ck_assert_double_eq_tol(seconds_of(merge_optimal, &what), seconds_of(step_wfbp, &what), 1e-9);
        line.a = 1e6;
        ck_assert_double_eq_tol(seconds_of(merge_optimal, &what), seconds_of(step_fused, &what), 1e-6);
        line.a = 1;
        static Step step;
        const double naive = seconds_of(step_naive, &what);
        step_wfbp(&what, &step);
        check_step(&what, &step, naive);
        merge_greedy(&what, &step);
        check_step(&what, &step, naive);
    }
}

TEST_MAIN("merge_random")
