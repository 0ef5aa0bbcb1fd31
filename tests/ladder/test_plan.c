/* What a plan may ask of the driver: an end of the rounds, rungs that are too slow, the peers' threads; variants of a size; and an
 * operation whose output is whole numbers.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/pin.h"
#include "tests/ladder/scale.h"
#include "tests/testing.h"
#include <sched.h>

static LadderTable *
measure(const Ladder *ladder, LadderPlan plan, const int *size)
{
    LadderTable *table = ladder_measure(ladder, size, &plan, &error);
    ck_assert_ok(table);
    return table;
}

static Ladder
ladder_of(const Rung *rungs, int count)
{
    Ladder ladder = scale_ladder;
    ladder.rungs = rungs;
    ladder.count = count;
    return ladder;
}

static const int eight[LADDER_DIMENSIONS] = {8};

/* ---- time ---- */

TEST(no_round_begins_when_the_time_is_over)
{
    const LadderPlan plan = {.threads = 1, .rounds = 1000000, .sample_seconds = 1e-4, .seconds = 1e-9, .seed = 1};
    LadderTable *table = measure(&scale_ladder, plan, eight);
    ck_assert_int_eq(table->rounds, LADDER_ROUNDS_MIN);
    ck_assert_uint_eq(table->rows[0].time.count, LADDER_ROUNDS_MIN); /* and no others are looked at */
    ladder_table_free(table);
}

TEST(fewer_rounds_than_that_may_be_asked_for)
{
    const LadderPlan plan = {.threads = 1, .rounds = 2, .sample_seconds = 1e-5, .seconds = 1e-9, .seed = 1};
    LadderTable *table = measure(&scale_ladder, plan, eight);
    ck_assert_int_eq(table->rounds, 2);
    ladder_table_free(table);
}

static double
predict_a_minute(const int *size, int threads, const Machine *machine)
{
    (void)size, (void)threads, (void)machine;
    return 63.0;
}

static int slow_calls;

static void
counted(int n, const float *x, float *y)
{
    slow_calls++;
    scale_fast(n, x, y);
}

TEST(a_rung_that_is_predicted_to_take_too_long_is_not_even_verified)
{
    const Machine machine = {.capacity = {1000, 10000, 100000}};
    const Rung rungs[] = {{.name = "slow", .function = (LadderFunction *)counted, .predict = predict_a_minute},
                          {.name = "fast", .function = (LadderFunction *)scale_fast}};
    const Ladder ladder = ladder_of(rungs, 2);
    LadderPlan plan = {.threads = 1, .rounds = 1, .sample_seconds = 1e-5, .longest = 2.0, .machine = &machine};
    slow_calls = 0;
    LadderTable *table = measure(&ladder, plan, eight);
    ck_assert_int_eq(table->rows[0].state, ROW_SKIPPED);
    ck_assert_str_eq(table->rows[0].reason, "one call would take about 1 min 03 s; name it in --rungs to measure it");
    ck_assert_double_eq(table->rows[0].predicted, 63.0);
    ck_assert_int_eq(table->rows[1].state, ROW_MEASURED);
    ck_assert_int_eq(slow_calls, 0);
    ladder_table_free(table);
    plan.longest = 0.0; /* no limit */
    table = measure(&ladder, plan, eight);
    ck_assert_int_eq(table->rows[0].state, ROW_MEASURED);
    ladder_table_free(table);
}

/* ---- the peers' threads ---- */

static int told_threads, told_times;
static bool told_while_pinned;

static void
use_threads(int threads)
{
    cpu_set_t cores;
    ck_assert_int_eq(sched_getaffinity(0, sizeof cores, &cores), 0);
    told_while_pinned = CPU_COUNT(&cores) < host_get()->cores;
    told_threads = threads;
    told_times++;
}

/* Before this thread is pinned to a core, which a thread started then would inherit. */
TEST(peers_are_told_how_many_threads_to_use)
{
    const Rung rungs[] = {
        {.name = "ours", .function = (LadderFunction *)scale_fast},
        {.name = "peer", .function = (LadderFunction *)scale_fast, .peer = true, .use_threads = use_threads}};
    const Ladder ladder = ladder_of(rungs, 2);
    const int cores = host_get()->cores;
    host_set_threads(cores); /* pins */
    told_times = 0;
    LadderPlan plan = {.threads = cores, .rounds = 1, .sample_seconds = 1e-5};
    ladder_table_free(measure(&ladder, plan, eight));
    ck_assert_int_eq(told_times, 1);
    ck_assert_int_eq(told_threads, cores);
    ck_assert(!told_while_pinned);
    plan.selected = (const bool[]){true, false}; /* who is not measured is not asked */
    ladder_table_free(measure(&ladder, plan, eight));
    ck_assert_int_eq(told_times, 1);
}

/* ---- variants ---- */

static const char *const variants[] = {"up", "down", "upside", NULL};

static Ladder
with_variants(void)
{
    Ladder ladder = scale_ladder;
    ladder.operation.variants = variants;
    return ladder;
}

TEST(a_variant_stands_behind_a_size)
{
    int sizes[8][LADDER_DIMENSIONS];
    char text[64];
    Ladder ladder = with_variants();
    ck_assert_int_eq(ladder_size_numbers(&ladder), 2);
    memset(sizes, 77, sizeof sizes);
    ck_assert_int_eq(ladder_parse_sizes(&ladder, "5,6:up,7:down,8:upside", 8, sizes, &error), 4);
    static const int want[4][2] = {{5, 0}, {6, 0}, {7, 1}, {8, 2}};
    static const char *const texts[] = {"5", "6", "7:down", "8:upside"};
    for (int i = 0; i < 4; i++) {
        ck_assert_mem_eq(sizes[i], want[i], sizeof want[i]);
        ck_assert_str_eq(ladder_size_text(&ladder, sizes[i], text), texts[i]);
    }
    ladder.operation.dimension_count = 2;
    ck_assert_int_eq(ladder_parse_sizes(&ladder, "5:down", 8, sizes, &error), 1);
    ck_assert(sizes[0][0] == 5 && sizes[0][1] == 5 && sizes[0][2] == 1);
    ck_assert_int_eq(ladder_size_numbers(&scale_ladder), 1);
}

TEST(other_variants_are_refused_with_those_that_there_are)
{
    static const char *const wrong[] = {"5:",  "5:u",   "5:upsid", "5:upsides", "5:up:down",
                                        ":up", "5,:up", "5:up,",   "5:0"};
    int sizes[8][LADDER_DIMENSIONS];
    const Ladder ladder = with_variants();
    for (size_t i = 0; i < COUNT(wrong); i++) {
        ck_assert_refused(ladder_parse_sizes(&ladder, wrong[i], 8, sizes, &error),
                          "behind it may stand :up :down :upside");
    }
    ck_assert_int_eq(ladder_parse_sizes(&scale_ladder, "5:up", 8, sizes, &error), 0); /* has none */
    ck_assert_ptr_null(strstr(error.text, "behind it"));
}

/* ---- whole numbers ---- */

typedef void ScaleIntegers(int n, const float *x, int32_t *y);

/* 1000 x, rounded: exact in double. */
static void
integers_right(int n, const float *x, int32_t *y)
{
    for (int i = 0; i < n; i++)
        y[i] = (int32_t)(1000.0f * x[i]);
}

static void
integers_off_by_one(int n, const float *x, int32_t *y)
{
    integers_right(n, x, y);
    y[n - 1] += 1;
}

static void
integers_missing(int n, const float *x, int32_t *y)
{
    integers_right(n - 1, x, y);
}

static void
integers_as_floats(int n, const float *x, int32_t *y)
{
    for (int i = 0; i < n; i++)
        ((float *)y)[i] = (float)(int32_t)(1000.0f * x[i]);
}

static void
integers_reference(const void *inputs, double *want, double *tolerance)
{
    const ScaleInputs *in = inputs;
    for (int i = 0; i < in->n; i++) {
        want[i] = (double)(int32_t)(1000.0f * in->x[i]);
        tolerance[i] = 1e9; /* does not matter */
    }
}

static void
integers_call(LadderFunction *function, const void *inputs, void *output)
{
    const ScaleInputs *in = inputs;
    ((ScaleIntegers *)function)(in->n, in->x, output);
}

TEST(whole_numbers_are_compared_exactly)
{
    const Rung rungs[] = {{.name = "right", .function = (LadderFunction *)integers_right},
                          {.name = "off by one", .function = (LadderFunction *)integers_off_by_one},
                          {.name = "missing", .function = (LadderFunction *)integers_missing},
                          {.name = "floats", .function = (LadderFunction *)integers_as_floats}};
    Ladder ladder = ladder_of(rungs, 4);
    ladder.operation.output = OUTPUT_INT32;
    ladder.operation.reference = integers_reference;
    ladder.operation.call = integers_call;
    const LadderPlan plan = {.threads = 1, .rounds = 3, .sample_seconds = 1e-5};
    LadderTable *table = measure(&ladder, plan, eight);
    ck_assert_int_eq(table->rows[0].state, ROW_MEASURED);
    for (int i = 1; i < 4; i++)
        ck_assert_msg(table->rows[i].state == ROW_WRONG, "\"%s\" was accepted", rungs[i].name);
    ck_assert_ptr_nonnull(strstr(table->rows[2].reason, "1 of 8 wrong, first [7]: got 2.14328934e+09"));
    ladder_table_free(table);
}

TEST_MAIN("plan")
