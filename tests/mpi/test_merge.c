/* Which gradients are sent together: instances worked by hand, and random ones. Needs no ranks.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "mpi/model/merge.h"
#include "tests/testing.h"

/* t_f = 5, t_b = 4 3 2 1, 1 2 3 4 bytes, half a second a byte: the instance of the lecture. */
static const double four_backward[] = {4, 3, 2, 1}, four_bytes[] = {1, 2, 3, 4};
/* Six layers, the last of which is long to send. */
static const double six_backward[] = {2, 2, 2, 2, 2, 2}, six_bytes[] = {.1, .1, .1, .1, .1, 5};

static StepCase
four(const AllReduceLine *line)
{
    return (StepCase){4, 5, four_backward, four_bytes, 0, all_reduce_line(line)};
}

static double
seconds_of(void (*rule)(const StepCase *, Step *), const StepCase *what)
{
    static Step step;
    rule(what, &step);
    return step.seconds;
}

static void
assert_groups(const Step *step, int groups, const int *first)
{
    ck_assert_int_eq(step->groups, groups);
    int above = step->layers + 1;
    for (int g = 0; g < groups; above = first[g++]) {
        ck_assert_int_eq(step->group[g].first, first[g]);
        ck_assert_int_eq(step->group[g].last, above - 1);
    }
}

TEST(steps_worked_by_hand)
{
    const AllReduceLine line = {1, 0.5};
    const StepCase what = four(&line);
    ck_assert_double_eq(seconds_of(step_naive, &what), 24);
    ck_assert_double_eq(seconds_of(step_fused, &what), 21);
    ck_assert_double_eq(seconds_of(step_wfbp, &what), 16.5);
    ck_assert_double_eq(seconds_of(merge_greedy, &what), 16.5);
    ck_assert_double_eq(seconds_of(merge_optimal, &what), 16.5);
}

TEST(a_longer_latency_merges_pairs)
{
    const AllReduceLine line = {3, 0.5};
    const StepCase what = four(&line);
    ck_assert_double_eq(seconds_of(step_naive, &what), 32);
    ck_assert_double_eq(seconds_of(step_fused, &what), 23);
    ck_assert_double_eq(seconds_of(step_wfbp, &what), 23);
    static Step step;
    static const int pairs[] = {3, 1};
    merge_greedy(&what, &step);
    ck_assert_double_eq(step.seconds, 19.5);
    assert_groups(&step, 2, pairs);
    merge_optimal(&what, &step);
    ck_assert_double_eq(step.seconds, 19.5);
    assert_groups(&step, 2, pairs);
}

/* Where the greedy rule loses: at every layer it waits 2 seconds for the next to save 3, and in the end nothing is overlapped. Two
 * groupings are the best, {6}, {5 .. 1} and {6, 5}, {4 .. 1}. */
TEST(greedy_is_not_always_the_best)
{
    const AllReduceLine line = {3, 1};
    const StepCase what = {6, 5, six_backward, six_bytes, 0, all_reduce_line(&line)};
    ck_assert_double_eq_tol(seconds_of(step_wfbp, &what), 30.5, 1e-12);
    ck_assert_double_eq_tol(seconds_of(step_fused, &what), 25.5, 1e-12);
    ck_assert_double_eq_tol(seconds_of(merge_greedy, &what), 25.5, 1e-12);
    static Step step;
    static const int best[][2] = {{6, 1}, {5, 1}};
    for (int i = 0; i < 2; i++) {
        ck_assert(step_of_groups(&what, best[i], 2, true, &step));
        ck_assert_double_eq_tol(step.seconds, 20.5, 1e-12);
    }
    merge_optimal(&what, &step);
    ck_assert_double_eq_tol(step.seconds, 20.5, 1e-12);
    ck_assert_int_eq(step.groups, 2);
}

/* The times of a whole step, worked by hand: groups {4, 3}, {2, 1} with a = 3, and the update. */
TEST(spans_of_a_step)
{
    const AllReduceLine line = {3, 0.5};
    StepCase what = four(&line);
    what.update = 0.25;
    static const int pairs[] = {3, 1};
    static const double begin[] = {11, 8, 6, 5}, end[] = {15, 11, 8, 6};
    static Step step;
    ck_assert(step_of_groups(&what, pairs, 2, true, &step));
    ck_assert_int_eq(step.layers, 4);
    ck_assert_double_eq(step.forward_end, 5);
    ck_assert_doubles(step.backward_begin, begin, 4, 0, 0);
    ck_assert_doubles(step.backward_end, end, 4, 0, 0);
    const StepGroup want[] = {{4, 3, 7, 8, 8, 14.5}, {2, 1, 3, 15, 15, 19.5}};
    for (int g = 0; g < 2; g++) {
        const StepGroup *got = &step.group[g];
        ck_assert_int_eq(got->last, want[g].last);
        ck_assert_int_eq(got->first, want[g].first);
        ck_assert_double_eq(got->bytes, want[g].bytes);
        ck_assert_double_eq(got->ready, want[g].ready);
        ck_assert_double_eq(got->begin, want[g].begin);
        ck_assert_double_eq(got->end, want[g].end);
    }
    ck_assert_double_eq(step.update_begin, 19.5);
    ck_assert_double_eq(step.seconds, 19.75);
    ck_assert_double_eq(step.communication, 11);
    ck_assert_double_eq(step.exposed, 4.5);
    ck_assert(step_of_groups(&what, pairs, 2, false, &step)); /* nothing before backward has ended */
    ck_assert_double_eq(step.group[0].ready, 8);
    ck_assert_double_eq(step.group[0].begin, 15);
    ck_assert_double_eq(step.seconds, 15 + 11 + 0.25);
    ck_assert_double_eq(step.exposed, 11);
}

TEST(what_is_no_grouping_is_refused)
{
    static const int wrong[][3] = {{4, 2, 2}, {2, 3, 1}, {5, 2, 1}, {4, 3, 2}, {1, 0, 0}, {3, 1, -1}};
    const AllReduceLine line = {1, 1};
    const StepCase what = four(&line);
    static Step step;
    for (size_t i = 0; i < COUNT(wrong); i++)
        ck_assert(!step_of_groups(&what, wrong[i], 3, true, &step));
    ck_assert(!step_of_groups(&what, wrong[0], 0, true, &step));
}

/* 4 + 3 bytes reach a first bucket of 5; 2 alone a bucket of 2; the last closes with the network. */
TEST(buckets_are_closed_by_their_size)
{
    const AllReduceLine line = {1, 0.5};
    const StepCase what = four(&line);
    static const int at[] = {3, 2, 1}, one[] = {4, 1}, each[] = {4, 3, 2, 1}, all[] = {1};
    static Step step;
    step_buckets(&what, 5, 2, &step);
    assert_groups(&step, 3, at);
    step_buckets(&what, 4, 100, &step);
    assert_groups(&step, 2, one);
    step_buckets(&what, 0, 0, &step);
    assert_groups(&step, 4, each);
    ck_assert_double_eq(step.seconds, seconds_of(step_wfbp, &what));
    step_buckets(&what, 100, 2, &step);
    assert_groups(&step, 1, all);
    ck_assert_double_eq(step.seconds, seconds_of(step_fused, &what));
}

/* Layers without weights, as between the others or at both ends, send nothing and cost nothing. */
TEST(layers_without_weights_send_nothing)
{
    static const double backward[] = {1, 4, 1, 1, 3, 2, 1, 2}, bytes[] = {0, 1, 0, 0, 2, 3, 4, 0};
    const AllReduceLine line = {1, 0.5};
    const StepCase what = {8, 5, backward, bytes, 0, all_reduce_line(&line)};
    static Step step;
    step_naive(&what, &step);
    ck_assert_double_eq(step.seconds, 5 + 15 + 9);
    ck_assert_double_eq(step.communication, 9);
    for (int g = 0; g < step.groups; g++)
        ck_assert(step.group[g].bytes > 0 || step.group[g].begin == step.group[g].end);
    step_wfbp(&what, &step);
    ck_assert_double_eq(step.seconds, 20.5); /* layer 2 is ready at 19 and takes 1.5; layer 1 ends at 20 */
    static const double none[8] = {0};
    const StepCase silent = {8, 5, backward, none, 1, all_reduce_line(&line)};
    for (int m = 0; m < STEP_MODES; m++) {
        ck_assert(step_of_mode(step_modes[m], &silent, 1, 1, &step));
        ck_assert_double_eq(step.seconds, 21);
        ck_assert_double_eq(step.exposed, 0);
    }
}

TEST(modes_have_names)
{
    const AllReduceLine line = {3, 0.5};
    const StepCase what = four(&line);
    static const double want[STEP_MODES] = {32, 23, 23, 19.5, 19.5, 19.5};
    static Step step;
    for (int m = 0; m < STEP_MODES; m++) {
        ck_assert(step_of_mode(step_modes[m], &what, 7, 3, &step));
        ck_assert_double_eq(step.seconds, want[m]);
    }
    ck_assert(!step_of_mode("eager", &what, 7, 3, &step));
    ck_assert(!step_of_mode("", &what, 7, 3, &step));
}

TEST(one_layer_has_no_choice)
{
    static const double backward[] = {2}, bytes[] = {8};
    const AllReduceLine line = {1, 0.5};
    const StepCase what = {1, 3, backward, bytes, 0.5, all_reduce_line(&line)};
    static Step step;
    for (int m = 0; m < STEP_MODES; m++) {
        ck_assert(step_of_mode(step_modes[m], &what, 1, 1, &step));
        ck_assert_double_eq(step.seconds, 3 + 2 + 5 + 0.5);
        ck_assert_int_eq(step.groups, 1);
    }
}

/* What step_print writes, of the instance with a = 3. */
static void
print_into(char *text, size_t size, const double *measured)
{
    const AllReduceLine line = {3, 0.5};
    const StepCase what = four(&line);
    FILE *out = tmpfile();
    ck_assert_ptr_nonnull(out);
    step_print(out, &what, 7, 3, measured);
    rewind(out);
    text[fread(text, 1, size - 1, out)] = '\0';
    fclose(out);
}

TEST(predicted_beside_measured)
{
    char text[2048];
    static const double measured[STEP_MODES] = {64, 23, NAN, 19.5, 39, 19.5};
    print_into(text, sizeof text, measured);
    static const char *const lines[] = {
        "  naive 4 32.0 s 0 % 64.0 s 2.00\n",   "  fused 1 23.0 s 0 % 23.0 s 1.00\n",
        "  wfbp 4 23.0 s 53 % - -\n",           "  ddp 2 19.5 s 59 % 19.5 s 1.00\n",
        "  greedy 2 19.5 s 59 % 39.0 s 2.00\n", "  optimal 2 19.5 s 59 % 19.5 s 1.00\n"};
    char words[2048];
    size_t n = 0;
    for (const char *c = text; *c != '\0';
         c++) /* columns: several blanks count as one, but for the two of a line's beginning */
        if (*c != ' ' || n < 2 || words[n - 1] != ' ' || words[n - 2] == '\n')
            words[n++] = *c;
    words[n] = '\0';
    for (int m = 0; m < STEP_MODES; m++)
        ck_assert_msg(strstr(words, lines[m]) != NULL, "no line \"%s\" in\n%s", lines[m], words);
    print_into(text, sizeof text, NULL);
    ck_assert_ptr_null(strstr(text, "measured"));
    ck_assert_ptr_nonnull(strstr(text, "predicted"));
    ck_assert_ptr_nonnull(strstr(text, "optimal"));
}

/* ---- random instances: the optimum against every grouping ---- */

enum { BRUTE = 10 }; /* layers of which all 2^(L-1) groupings are tried */

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

TEST_MAIN("merge")
