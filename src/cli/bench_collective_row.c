/* One row of a bench of collectives: its calls, timed and verified. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "cli/bench_collective_row.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/clock.h"
#include "core/units.h"
#include <math.h>
#include <stdio.h>

#define SAMPLE_SECONDS 5e-3
#define LONG_CALL      0.05 /* seconds: caches are warm within the first hundredth of it */

/* ---- what ranks agree on ---------------------------------------------------------------------------------------------- */

double
bench_slowest(const CollectiveBench *bench, double mine)
{
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, bench->comm->mpi));
    return mine;
}

size_t
bench_sum(const CollectiveBench *bench, size_t mine)
{
    unsigned long long sum = mine;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, bench->comm->mpi));
    return (size_t)sum;
}

bool
bench_first_says(const CollectiveBench *bench, bool mine)
{
    int says = mine;
    CHECK_MPI(MPI_Bcast(&says, 1, MPI_INT, 0, bench->comm->mpi));
    return (bool)says;
}

/* ---- one row ---------------------------------------------------------------------------------------------------------- */

static void
run(const BenchCall *call)
{
    const CollectiveCase *c = call->what;
    collective_run(call->bench->ladder, call->rung, call->bench->comm, call->vectors->x, call->vectors->y, c->n,
                   c->type, c->op, c->root);
}

static void
fill(const BenchCall *call)
{
    collective_vectors_fill(call->what, call->bench->comm, call->vectors);
}

static size_t
count_wrong(const BenchCall *call)
{
    return bench_sum(call->bench, collective_vectors_wrong(call->what, call->bench->comm, call->vectors, NULL));
}

/* Seconds of so many calls on the slowest rank. All begin together, as far as the library's barrier can say so. */
static double
time_calls(const BenchCall *call, size_t calls)
{
    CHECK_MPI(MPI_Barrier(call->bench->comm->mpi));
    const double start = clock_now();
    for (size_t i = 0; i < calls; i++)
        run(call);
    return bench_slowest(call->bench, clock_now() - start);
}

static void
note_wrong(CollectiveTime *time, size_t wrong, const char *when)
{
    if (wrong == 0)
        return;
    time->state = ROW_WRONG;
    time->wrong += wrong;
    snprintf(time->reason, sizeof time->reason, "%zu wrong elements %s", wrong, when);
}

/* How many calls make a sample: doubled until they take a quarter of it, then in proportion. */
static void
calibrate(CollectiveTime *time, const BenchCall *call)
{
    size_t calls = 1;
    double seconds = time_calls(call, calls);
    time->long_call = seconds >= LONG_CALL;
    while (seconds < SAMPLE_SECONDS / 4 && calls < (size_t)1 << 30) {
        calls *= 2;
        seconds = time_calls(call, calls);
    }
    const double wanted = ceil((double)calls * SAMPLE_SECONDS / fmax(seconds, 1e-9));
    time->calls = wanted < 1 ? 1 : wanted > 1e9 ? (size_t)1e9 : (size_t)wanted;
}

void
bench_row_begin(CollectiveTime *time, const BenchCall *call)
{
    const CollectiveBench *bench = call->bench;
    Error reason = {""};
    char text[UNITS_SIZE];
    if (call->rung->accepts != NULL && !call->rung->accepts(bench->comm, call->what->n, bench->type, &reason)) {
        time->state = ROW_SKIPPED;
        snprintf(time->reason, sizeof time->reason, "%.250s", reason.text);
        return;
    }
    fill(call);
    double seconds = time_calls(call, 1);
    note_wrong(time, count_wrong(call), "before timing");
    if (bench->longest > 0 && seconds > bench->longest)
        seconds = time_calls(call, 1); /* what the first call does besides, once, is not what it takes */
    if (time->state == ROW_MEASURED && bench->longest > 0 && seconds > bench->longest) {
        time->state = ROW_SKIPPED;
        snprintf(time->reason, sizeof time->reason, "one call takes about %s; name it in --rungs to measure it",
                 units_duration(text, seconds));
    }
    if (time->state != ROW_MEASURED)
        return;
    time->seconds = ARRAY(double, bench->rounds);
    calibrate(time, call);
}

/* What calls in place leave is no longer what went in: so one more call, on new inputs, is what is verified. */
void
bench_row_sample(CollectiveTime *time, const BenchCall *call, int round)
{
    char when[48];
    if (!time->long_call)
        run(call);
    fill(call);
    const double seconds = time_calls(call, time->calls);
    if (call->what->in_place && call->what->kind != COLLECTIVE_BROADCAST) {
        fill(call);
        run(call);
    }
    snprintf(when, sizeof when, "in round %d", round + 1);
    note_wrong(time, count_wrong(call), when);
    time->seconds[round] = seconds / (double)time->calls;
}

#endif
