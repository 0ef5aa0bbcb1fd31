/* The driver of data-parallel training: verifies and measures all rows, interleaved. It prints nothing.
 *
 * Ranks must agree on everything that decides who calls what next: so a time is the slowest rank's on all ranks.
 * SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "cli/bench_parallel.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/project.h"
#include "core/rng.h"
#include "core/stats.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STREAM_ORDER = 1000, WARM_UPS = 2, PAUSE = 20000 /* microseconds: as in bench_step.c */ };

typedef struct Measurement {
    BenchParallel *bench;
    BenchSchool school;
    BenchTrainee *trainee[BENCH_PARALLEL_ROWS]; /* NULL: a peer's row */
    Peer peer;                                  /* of rank 0 */
    bool has_peer;
    Error *error;
} Measurement;

/* ---- a sample --------------------------------------------------------------------------------------------------------- */

/* The peer has ranks of its own: ours sleep. Seconds of a step, the same on all ranks; NaN with a sentence. */
static double
peer_step(Measurement *m)
{
    const BenchParallel *bench = m->bench;
    const int first = (int)(bench_parallel_find(bench, BENCH_ALONE) - bench->row);
    double rate = 0;
    if (bench->comm->rank == 0) {
        usleep(PAUSE);
        const double *before = bench->row[first].seconds, seconds = before[0] > 0 ? bench->steps * before[0] : 0.1;
        rate = peer_measure(&m->peer, fmax(seconds, 0.05), m->error);
    }
    bench_parallel_sleep(bench->comm);
    CHECK_MPI(MPI_Bcast(&rate, 1, MPI_DOUBLE, 0, bench->comm->mpi));
    if (isnan(rate) && bench->comm->rank != 0)
        error_set(m->error, "rank 0 says what happened to the peer");
    return bench->batch * bench->comm->size / rate;
}

/* A round of nothing kept is a warm-up, in which peers and plans find out what is best for them. */
static bool
sample(Measurement *m, int item, int round)
{
    BenchParallel *bench = m->bench;
    BenchParallelRow *row = &bench->row[item / 2];
    const bool communication = item % 2 == 1;
    if (communication && row->kind != BENCH_PLAN)
        return true;
    const double seconds = communication             ? bench_trainee_communicate(m->trainee[item / 2])
                           : row->kind == BENCH_PEER ? peer_step(m)
                                                     : bench_trainee_step(m->trainee[item / 2], round);
    if (round >= 0)
        (communication ? row->communication : row->seconds)[round] = seconds;
    return !isnan(seconds);
}

/* In an order of each round's own: who comes after whom must not matter. */
static bool
measure_rounds(Measurement *m)
{
    const BenchParallel *bench = m->bench;
    size_t order[2 * BENCH_PARALLEL_ROWS];
    const size_t items = 2 * (size_t)bench->rows;
    for (size_t i = 0; i < items; i++)
        order[i] = i;
    for (int round = -WARM_UPS; round < bench->rounds; round++) {
        Rng rng = rng_create(1, (uint64_t)(STREAM_ORDER + round));
        rng_shuffle(&rng, order, items);
        for (size_t i = 0; i < items; i++)
            if (!sample(m, (int)order[i], round))
                return false;
    }
    return true;
}

static void
check_plans(Measurement *m, const char *when)
{
    for (int r = 0; r < m->bench->rows; r++)
        if (m->bench->row[r].kind == BENCH_PLAN)
            bench_trainee_check(m->trainee[r], &m->bench->row[r], when);
}

/* ---- begin and end ---------------------------------------------------------------------------------------------------- */

static bool
start_peer(Measurement *m)
{
    const BenchParallel *bench = m->bench;
    char program[PROJECT_PATH_MAX], text[3][24];
    const int numbers[] = {bench->comm->size, bench->batch, bench->threads};
    for (int i = 0; i < 3; i++)
        snprintf(text[i], sizeof text[i], "%d", numbers[i]);
    char *argv[] = {(char *)bench->torch,
                    program,
                    "--serve",
                    "--model",
                    (char *)bench->net.model->name,
                    "--ranks",
                    text[0],
                    "--batch",
                    text[1],
                    "--threads",
                    text[2],
                    NULL};
    return project_file("tools/peers/torch_ddp.py", program, m->error) && peer_start(&m->peer, argv, m->error);
}

/* Rank 0 starts the peer, and all know whether it runs. */
static bool
add_peer(Measurement *m)
{
    const Comm *comm = m->bench->comm;
    int started = comm->rank == 0 && start_peer(m);
    bench_parallel_sleep(comm);
    CHECK_MPI(MPI_Bcast(&started, 1, MPI_INT, 0, comm->mpi));
    m->has_peer = started;
    if (!started)
        return comm->rank == 0 ? false : error_set(m->error, "rank 0 says why the peer did not start");
    if (comm->rank == 0)
        snprintf(m->bench->peer, sizeof m->bench->peer, "%s", m->peer.description);
    return true;
}

static bool
begin(Measurement *m)
{
    BenchParallel *bench = m->bench;
    for (int r = 0; r < bench->rows; r++) {
        BenchParallelRow *row = &bench->row[r];
        row->predicted = row->hideable = NAN;
        row->seconds = ARRAY(double, bench->rounds);
        row->communication = ARRAY(double, bench->rounds);
        if (row->kind == BENCH_PEER && !add_peer(m))
            return false;
        if (row->kind == BENCH_PEER)
            continue;
        m->trainee[r] = bench_trainee_create(&m->school, row, m->error);
        if (m->trainee[r] == NULL)
            return false;
    }
    return true;
}

/* Scaled to the time of the whole step, which is that of the slowest rank. */
static void
collect_parts(BenchParallel *bench)
{
    BenchParallelParts *parts = &bench->parts;
    const int count = parts->layers + 2;
    double *seconds = ARRAY(double, count), sum = 0;
    for (int i = 0; i < count; i++) {
        seconds[i] = stats_median(parts->samples + (size_t)i * (size_t)bench->rounds, (size_t)bench->rounds);
        CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &seconds[i], 1, MPI_DOUBLE, MPI_SUM, bench->comm->mpi));
        sum += seconds[i];
    }
    const double scale = bench_parallel_seconds(bench, bench_parallel_find(bench, BENCH_APART)) / sum;
    parts->forward = scale * seconds[0];
    parts->update = scale * seconds[count - 1];
    for (int l = 0; l < parts->layers; l++)
        parts->backward[l] = scale * seconds[l + 1];
    array_free(seconds);
}

static bool
finish(Measurement *m, BenchTimelineUse *last)
{
    BenchParallel *bench = m->bench;
    const DataTimeline *timeline = NULL;
    int plan = -1;
    collect_parts(bench);
    for (int r = 0; r < bench->rows; r++) {
        if (bench->row[r].kind != BENCH_PLAN)
            continue;
        timeline = bench_trainee_timeline(m->trainee[plan = r]);
        bench->row[r].buckets = timeline->buckets;
        bench_parallel_predict(bench, &bench->row[r], timeline);
    }
    int used = bench->comm->rank != 0 || last == NULL || plan < 0 || last(bench, &bench->row[plan], timeline, m->error);
    CHECK_MPI(MPI_Bcast(&used, 1, MPI_INT, 0, bench->comm->mpi));
    return used;
}

bool
bench_parallel_measure(BenchParallel *bench, BenchTimelineUse *last, Error *error)
{
    Measurement m = {.bench = bench, .error = error};
    m.school = bench_school_create(bench);
    const size_t layers = (size_t)bench->tensors; /* no fewer */
    bench->parts = (BenchParallelParts){.backward = ARRAY(double, layers),
                                        .layer = ARRAY(DataLayer, layers),
                                        .samples = ARRAY(double, (layers + 2) * (size_t)bench->rounds)};
    bool ok = begin(&m);
    if (ok) {
        check_plans(&m, "before timing");
        ok = measure_rounds(&m);
    }
    if (ok) {
        check_plans(&m, "after timing");
        ok = finish(&m, last);
    }
    if (m.has_peer && bench->comm->rank == 0)
        peer_stop(&m.peer);
    for (int r = 0; r < bench->rows; r++)
        bench_trainee_free(m.trainee[r]);
    bench_school_free(&m.school);
    return ok;
}

void
bench_parallel_free_rows(BenchParallel *bench)
{
    for (int r = 0; r < bench->rows; r++) {
        array_free(bench->row[r].seconds);
        array_free(bench->row[r].communication);
    }
    array_free(bench->parts.backward);
    array_free(bench->parts.layer);
    array_free(bench->parts.samples);
}

#endif
