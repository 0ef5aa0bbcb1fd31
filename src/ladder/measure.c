/* The driver: verifies the rungs of a ladder and measures them, interleaved. It prints nothing (ladder/report.h does).
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked.h"
#include "core/clock.h"
#include "core/host.h"
#include "core/pin.h"
#include "core/rng.h"
#include "core/units.h"
#include "ladder/bound.h"
#include "ladder/ladder.h"
#include "ladder/machine.h"
#include "ladder/quiet.h"
#include "ladder/steal.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEAL_LIMIT   0.01
#define QUIET_SECONDS 0.5
#define LONG_CALL     0.05 /* seconds: caches are warm and threads awake within the first hundredth of it */

/* LadderArrays of the plan's seed: the inputs use those of the operation, from 0. */
enum { STREAM_ORDER = 1000 };

static void
row_is_wrong(LadderRow *row, const Verdict *verdict, const char *when)
{
    char text[160];
    row->state = ROW_WRONG;
    verdict_print(verdict, text, sizeof text);
    snprintf(row->reason, sizeof row->reason, "%s: %s", when, text);
}

static bool
row_verdict(LadderRow *row, const Verdict *verdict, const char *when)
{
    row->error = fmax(row->error, verdict->max_error);
    if (!verdict_ok(verdict))
        row_is_wrong(row, verdict, when);
    return row->state == ROW_MEASURED;
}

/* Reasons to leave a rung out: it cannot take the size, or would take too long. */
static bool
is_skipped(LadderRow *row, const LadderTable *table, const LadderPlan *plan)
{
    const Rung *rung = row->rung;
    Error reason = {""};
    char time[UNITS_SIZE];
    if (!rung_accepts(rung, table->size, &reason)) {
        row->state = ROW_SKIPPED;
        snprintf(row->reason, sizeof row->reason, "%.250s", reason.text);
    } else if (plan->longest > 0.0 && row->predicted > plan->longest) {
        row->state = ROW_SKIPPED;
        snprintf(row->reason, sizeof row->reason, "one call would take about %s; name it in --rungs to measure it",
                 units_duration(time, row->predicted));
    }
    return row->state == ROW_SKIPPED;
}

/* Decides for each selected rung whether it is measured, and makes its row. */
static void
make_rows(LadderTable *table, Problem *problem, const LadderPlan *plan)
{
    const Ladder *ladder = table->ladder;
    for (int i = 0; i < ladder->count; i++) {
        if (plan->selected != NULL && !plan->selected[i])
            continue;
        LadderRow *row = &table->rows[table->count++];
        const Rung *rung = row->rung = &ladder->rungs[i];
        row->predicted = NAN;
        if (rung->predict != NULL && plan->machine != NULL)
            row->predicted = rung->predict(table->size, plan->threads, plan->machine);
        if (is_skipped(row, table, plan))
            continue;
        row->seconds = ARRAY(double, plan->rounds);
        Verdict verdict = problem_verify(problem, rung);
        row_verdict(row, &verdict, "before timing");
    }
}

static double
time_calls(Problem *problem, const Rung *rung, size_t calls)
{
    double start = clock_now();
    for (size_t i = 0; i < calls; i++)
        problem_run(problem, rung);
    return clock_now() - start;
}

/* How many calls make a sample: doubled until they take a quarter of it, then in proportion. */
static void
calibrate(LadderRow *row, Problem *problem, double sample_seconds)
{
    const Rung *rung = row->rung;
    size_t calls = 1;
    double seconds = time_calls(problem, rung, calls);
    row->long_call = seconds >= LONG_CALL;
    while (seconds < sample_seconds / 4.0 && calls < (size_t)1 << 30) {
        calls *= 2;
        seconds = time_calls(problem, rung, calls);
    }
    double wanted = ceil((double)calls * sample_seconds / fmax(seconds, 1e-9));
    row->calls = wanted < 1.0 ? 1 : wanted > 1e9 ? (size_t)1e9 : (size_t)wanted;
}

/* The threads of the row before would share the cores with this one. */
static void
wait_for_threads(const LadderPlan *plan)
{
    if (plan->threads > 1)
        quiet_wait(QUIET_SECONDS);
}

/* One sample. The first call warms the caches and wakes the threads, unless calls are so long that this does not matter. The output
 * is made anew after it, so that what is verified was written by the timed calls. */
static void
sample(LadderRow *row, Problem *problem, const LadderPlan *plan, int round)
{
    wait_for_threads(plan);
    problem_prepare(problem, row->rung);
    if (!row->long_call)
        problem_run(problem, row->rung);
    problem_begin(problem);
    double seconds = time_calls(problem, row->rung, row->calls);
    Verdict verdict = problem_compare(problem);
    char when[64];
    snprintf(when, sizeof when, "timed output of round %d", round + 1);
    if (row_verdict(row, &verdict, when))
        row->seconds[round] = seconds / (double)row->calls;
}

/* All rows once, in an order of this round's own: who comes after whom must not matter. */
static void
sample_all(LadderTable *table, Problem *problem, const LadderPlan *plan, int round, uint64_t attempt)
{
    size_t order[LADDER_RUNGS];
    for (int i = 0; i < table->count; i++)
        order[i] = (size_t)i;
    Rng rng = rng_create(plan->seed, STREAM_ORDER + attempt);
    rng_shuffle(&rng, order, (size_t)table->count);
    for (int i = 0; i < table->count; i++)
        if (table->rows[order[i]].state == ROW_MEASURED)
            sample(&table->rows[order[i]], problem, plan, round);
    if (table->roof_rate == NULL)
        return;
    wait_for_threads(plan);
    table->roof_rate[round] = table->roof == ROOF_TRIAD ? machine_triad_now(plan->machine, table->threads)
                                                        : machine_flops_now(table->threads);
}

static void
measure_rounds(LadderTable *table, Problem *problem, const LadderPlan *plan)
{
    for (int i = 0; i < table->count; i++)
        if (table->rows[i].state == ROW_MEASURED) {
            wait_for_threads(plan);
            calibrate(&table->rows[i], problem, plan->sample_seconds);
        }
    const double start = clock_now();
    uint64_t attempt = 0;
    while (table->rounds < plan->rounds) {
        if (plan->seconds > 0.0 && table->rounds >= LADDER_ROUNDS_MIN && clock_now() - start > plan->seconds)
            break;
        problem_refresh(problem, ++attempt);
        Steal before = steal_read();
        sample_all(table, problem, plan, table->rounds, attempt);
        if (steal_share(before, steal_read()) > STEAL_LIMIT && table->discarded < plan->rounds)
            table->discarded++; /* at most the number that is kept: some result is better than none */
        else
            table->rounds++;
    }
}

void
ladder_judge(Comparison *comparison)
{
    const Interval *ratio = &comparison->ratio;
    comparison->wide = !(ratio->high - ratio->low <= LADDER_NOISE * ratio->value); /* a NaN is wide, and noisy */
    comparison->noisy = comparison->wide && !(ratio->low > 1.0 || ratio->high < 1.0);
}

/* Ratio of the other's time to this one's, sample by sample. */
static Comparison
compare(const LadderTable *table, const LadderRow *row, const LadderRow *other, uint64_t seed)
{
    if (other == NULL || other == row || other->state != ROW_MEASURED || row->state != ROW_MEASURED)
        return (Comparison){0};
    Comparison comparison = {.with = other->rung};
    comparison.ratio = stats_ratio(other->seconds, row->seconds, (size_t)table->rounds, seed);
    ladder_judge(&comparison);
    return comparison;
}

static void
summarise(LadderTable *table, uint64_t seed)
{
    LadderRow *naive = NULL, *before = NULL, *peer = NULL;
    for (int i = 0; i < table->count; i++) {
        LadderRow *row = &table->rows[i];
        if (row->state != ROW_MEASURED)
            continue;
        row->time = stats_of(row->seconds, (size_t)table->rounds);
        if (row->rung->peer && (peer == NULL || row->time.median < peer->time.median))
            peer = row;
        if (row->rung == &table->ladder->rungs[0])
            naive = row;
    }
    for (int i = 0; i < table->count; i++) {
        LadderRow *row = &table->rows[i];
        row->naive = compare(table, row, naive, seed);
        row->peer = compare(table, row, peer, seed);
        if (row->rung->peer || row->state != ROW_MEASURED)
            continue;
        row->before = compare(table, row, before, seed);
        before = row;
    }
}

/* The peers' own threads first: those that they have to start must not inherit the one core that this thread may be pinned to. */
static void
set_threads(const Ladder *ladder, const LadderPlan *plan)
{
    pin_release();
    for (int i = 0; i < ladder->count; i++)
        if (ladder->rungs[i].use_threads != NULL && (plan->selected == NULL || plan->selected[i]))
            ladder->rungs[i].use_threads(plan->threads);
    host_set_threads(plan->threads);
}

LadderTable *
ladder_measure(const Ladder *ladder, const int *size, const LadderPlan *plan, Error *error)
{
    CHECK_THAT(plan->threads >= 1 && plan->rounds >= 1 && ladder->count <= LADDER_RUNGS,
               "%d threads, %d rounds, %d rungs", plan->threads, plan->rounds, ladder->count);
    Problem problem;
    if (!problem_create(&problem, ladder, size, plan->seed, error))
        return NULL;
    LadderTable *table = ARRAY(LadderTable, 1);
    *table = (LadderTable){.ladder = ladder, .threads = plan->threads};
    memcpy(table->size, problem.size, sizeof table->size);
    table->flops = ladder->operation.flops(table->size);
    table->bytes = ladder->operation.bytes(table->size);
    table->roof = bound_roof(table, plan->machine);
    if (table->roof != ROOF_READ)
        table->roof_rate = ARRAY(double, plan->rounds);

    int threads_before = host_threads();
    set_threads(ladder, plan);
    make_rows(table, &problem, plan);
    measure_rounds(table, &problem, plan);
    host_set_threads(threads_before);
    table->bound = bound_seconds(table, plan->machine);
    summarise(table, plan->seed);
    problem_free(&problem);
    return table;
}

void
ladder_table_free(LadderTable *table)
{
    if (table == NULL)
        return;
    for (int i = 0; i < table->count; i++)
        array_free(table->rows[i].seconds);
    array_free(table->roof_rate);
    array_free(table);
}

bool
ladder_table_ok(const LadderTable *table)
{
    for (int i = 0; i < table->count; i++)
        if (table->rows[i].state == ROW_WRONG)
            return false;
    return true;
}
