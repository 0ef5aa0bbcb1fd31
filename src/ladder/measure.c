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

/* Random streams of the plan's seed: the inputs use those of the operation, from 0. */
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

static double
predicted_time(const LadderTable *table, const Rung *rung, const LadderPlan *plan)
{
    const Operation *operation = &table->ladder->operation;
    if (operation->predict != NULL)
        return operation->predict(rung, table->size);
    return rung->predict != NULL && plan->machine != NULL ? rung->predict(table->size, plan->threads, plan->machine)
                                                          : NAN;
}

/* Reasons to leave a rung out: it cannot take the size, or would take too long. */
static bool
is_skipped(LadderRow *row, const LadderTable *table, const LadderPlan *plan)
{
    const Rung *rung = row->rung;
    const Operation *operation = &table->ladder->operation;
    Error reason = {""};
    char time[UNITS_SIZE];
    if (!(operation->accepts != NULL ? operation->accepts(rung, table->size, &reason)
                                     : rung_accepts(rung, table->size, &reason))) {
        row->state = ROW_SKIPPED;
        snprintf(row->reason, sizeof row->reason, "%.250s", reason.text);
    } else if (plan->longest > 0.0 && row->predicted > plan->longest) {
        row->state = ROW_SKIPPED;
        snprintf(row->reason, sizeof row->reason, "one call would take about %s; name it in --rungs to measure it",
                 units_duration(time, row->predicted));
    }
    return row->state == ROW_SKIPPED;
}

/* What a measurement is made of. */
typedef struct Measurement {
    LadderTable *table;
    Problem *problem;
    const LadderPlan *plan;
} Measurement;

/* The slowest rank's. */
static double
most(const Measurement *m, double mine)
{
    return m->plan->ranks != NULL ? m->plan->ranks->most(mine) : mine;
}

/* All ranks begin together. */
static double
time_calls(const Measurement *m, const Rung *rung, size_t calls)
{
    if (m->plan->ranks != NULL)
        m->plan->ranks->synchronise();
    const double start = clock_now();
    for (size_t i = 0; i < calls; i++)
        problem_run(m->problem, rung);
    return most(m, clock_now() - start);
}

/* The rung's first call, which makes plans, buffers, connections, and its verdict. What cannot be predicted is skipped if it takes
 * too long twice: what a first call does besides is not what it takes. */
static void
try_rung(const Measurement *m, LadderRow *row)
{
    char time[UNITS_SIZE];
    const double longest = m->plan->longest;
    problem_prepare(m->problem, row->rung);
    problem_begin(m->problem);
    double seconds = time_calls(m, row->rung, 1);
    const Verdict verdict = problem_compare(m->problem);
    if (!row_verdict(row, &verdict, "before timing") || longest <= 0.0 || seconds <= longest)
        return;
    seconds = time_calls(m, row->rung, 1);
    if (!isnan(row->predicted) || seconds <= longest)
        return;
    row->state = ROW_SKIPPED;
    snprintf(row->reason, sizeof row->reason, "one call takes about %s; name it in --rungs to measure it",
             units_duration(time, seconds));
}

/* Decides for each selected rung whether it is measured, and makes its row. */
static void
make_rows(const Measurement *m)
{
    const LadderPlan *plan = m->plan;
    const Ladder *ladder = m->table->ladder;
    for (int i = 0; i < ladder->count; i++) {
        if (plan->selected != NULL && !plan->selected[i])
            continue;
        LadderRow *row = &m->table->rows[m->table->count++];
        const Rung *rung = row->rung = &ladder->rungs[i];
        row->predicted = predicted_time(m->table, rung, plan);
        if (is_skipped(row, m->table, plan))
            continue;
        row->seconds = ARRAY(double, plan->rounds);
        if (rung->measure == NULL)
            try_rung(m, row);
    }
}

/* How many calls make a sample: doubled until they take a quarter of it, then in proportion. */
static void
calibrate(const Measurement *m, LadderRow *row)
{
    const double sample_seconds = m->plan->sample_seconds;
    size_t calls = 1;
    double seconds = time_calls(m, row->rung, calls);
    row->long_call = seconds >= LONG_CALL;
    while (seconds < sample_seconds / 4.0 && calls < (size_t)1 << 30) {
        calls *= 2;
        seconds = time_calls(m, row->rung, calls);
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

/* A program of its own takes the time itself. */
static void
sample_program(const Measurement *m, LadderRow *row, int round)
{
    Error error = {""};
    row->seconds[round] = row->rung->measure(m->table->size, m->plan->sample_seconds, &error);
    if (!isnan(row->seconds[round]))
        return;
    row->state = ROW_WRONG;
    snprintf(row->reason, sizeof row->reason, "%.250s", error.text);
}

/* One sample. The first call warms the caches and wakes the threads, unless calls are so long that this does not matter. The output
 * is made anew after it, so that what is verified was written by the timed calls. */
static void
sample(const Measurement *m, LadderRow *row, int round)
{
    Problem *problem = m->problem;
    wait_for_threads(m->plan);
    if (row->rung->measure != NULL) {
        sample_program(m, row, round);
        return;
    }
    problem_prepare(problem, row->rung);
    if (!row->long_call)
        problem_run(problem, row->rung);
    problem_begin(problem);
    double seconds = time_calls(m, row->rung, row->calls);
    Verdict verdict = problem_compare(problem);
    char when[64];
    snprintf(when, sizeof when, "timed output of round %d", round + 1);
    if (row_verdict(row, &verdict, when))
        row->seconds[round] = seconds / (double)row->calls;
}

/* All rows once, in an order of this round's own: who comes after whom must not matter. */
static void
sample_all(const Measurement *m, int round, uint64_t attempt)
{
    LadderTable *table = m->table;
    size_t order[LADDER_RUNGS];
    for (int i = 0; i < table->count; i++)
        order[i] = (size_t)i;
    Rng rng = rng_create(m->plan->seed, STREAM_ORDER + attempt);
    rng_shuffle(&rng, order, (size_t)table->count);
    for (int i = 0; i < table->count; i++)
        if (table->rows[order[i]].state == ROW_MEASURED)
            sample(m, &table->rows[order[i]], round);
    if (table->roof_rate == NULL)
        return;
    wait_for_threads(m->plan);
    table->roof_rate[round] = table->roof == ROOF_TRIAD ? machine_triad_now(m->plan->machine, table->threads)
                                                        : machine_flops_now(table->threads);
}

static void
measure_rounds(const Measurement *m)
{
    LadderTable *table = m->table;
    const LadderPlan *plan = m->plan;
    for (int i = 0; i < table->count; i++)
        if (table->rows[i].state == ROW_MEASURED && table->rows[i].rung->measure == NULL) {
            wait_for_threads(plan);
            calibrate(m, &table->rows[i]);
        }
    const double start = clock_now();
    uint64_t attempt = 0;
    while (table->rounds < plan->rounds) {
        const bool late = plan->seconds > 0.0 && clock_now() - start > plan->seconds;
        if (table->rounds >= LADDER_ROUNDS_MIN && most(m, late) > 0.0)
            break;
        problem_refresh(m->problem, ++attempt);
        Steal before = steal_read();
        sample_all(m, table->rounds, attempt);
        if (most(m, steal_share(before, steal_read())) > STEAL_LIMIT && table->discarded < plan->rounds)
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

Comparison
ladder_compare(const LadderTable *table, const LadderRow *row, const LadderRow *other)
{
    if (other == NULL || other == row || other->state != ROW_MEASURED || row->state != ROW_MEASURED)
        return (Comparison){0};
    Comparison comparison = {.with = other->rung};
    comparison.ratio = stats_ratio(other->seconds, row->seconds, (size_t)table->rounds, table->seed);
    ladder_judge(&comparison);
    return comparison;
}

static void
summarise(LadderTable *table)
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
        row->naive = ladder_compare(table, row, naive);
        row->peer = ladder_compare(table, row, peer);
        if (row->rung->peer || row->rung->reference || row->state != ROW_MEASURED)
            continue;
        row->before = ladder_compare(table, row, before);
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
    *table = (LadderTable){.ladder = ladder,
                           .threads = plan->threads,
                           .ranks = plan->ranks != NULL ? plan->ranks->count : 0,
                           .seed = plan->seed};
    const Measurement m = {table, &problem, plan};
    memcpy(table->size, problem.size, sizeof table->size);
    table->flops = ladder->operation.flops(table->size);
    table->bytes = ladder->operation.bytes(table->size);
    table->roof = bound_roof(table, plan->machine);
    if (table->roof != ROOF_READ)
        table->roof_rate = ARRAY(double, plan->rounds);

    int threads_before = host_threads();
    set_threads(ladder, plan);
    make_rows(&m);
    measure_rounds(&m);
    host_set_threads(threads_before);
    table->bound = bound_seconds(table, plan->machine);
    summarise(table);
    if (ladder->operation.conclude != NULL)
        ladder->operation.conclude(problem.inputs, table);
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
