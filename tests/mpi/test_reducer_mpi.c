/* Gradients are summed bucket by bucket (mpi/parallel/data/reducer.h), also where ranks are not ready in the same order.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "mpi/parallel/data/overlap.h"
#include "mpi/parallel/data/reducer.h"
#include "tests/mpi/all_agree.h"
#include "tests/testing.h"
#include <stdatomic.h>
#include <time.h>

enum { TENSORS = 9, LENGTH = 501 };

typedef struct Bench {
    Comm *comm;
    Queue *queue;
    BucketTensors tensors;
    Buckets plan;
    Reducer *reducer;
    float gradients[TENSORS * LENGTH];
} Bench;

static Bench *
bench_create(Buckets (*plan)(const BucketTensors *tensors), bool at_once)
{
    Bench *bench = ARRAY(Bench, 1);
    bench->comm = comm_create(MPI_COMM_WORLD, 0);
    bench->tensors = (BucketTensors){.tensor = ARRAY(BucketTensor, TENSORS), .count = TENSORS, .layers = TENSORS / 3};
    for (size_t t = 0; t < TENSORS; t++)
        bench->tensors.tensor[t] = (BucketTensor){(TENSORS - 1 - t) * LENGTH, LENGTH, (int)t / 3};
    bench->plan = plan(&bench->tensors);
    bench->queue = queue_create();
    bench->reducer = reducer_create(bench->queue, bench->comm, collectives_named("ring", &error), bench->gradients,
                                    &bench->tensors, &bench->plan, at_once);
    return bench;
}

static void
bench_free(Bench *bench)
{
    reducer_free(bench->reducer);
    queue_free(bench->queue);
    array_free(bench->plan.bucket);
    array_free(bench->tensors.tensor);
    comm_free(bench->comm);
    array_free(bench);
}

static void
fill(Bench *bench, int tensor, float value)
{
    for (size_t i = 0; i < LENGTH; i++)
        bench->gradients[bench->tensors.tensor[tensor].first + i] = value;
}

static void
ready(Bench *bench, int tensor)
{
    reducer_ready(bench->reducer, bench->tensors.tensor[tensor].first, LENGTH);
}

static bool
holds(const Bench *bench, int tensor, float value)
{
    bool ok = true;
    for (size_t i = 0; i < LENGTH; i++)
        ok = ok && bench->gradients[bench->tensors.tensor[tensor].first + i] == value;
    return ok;
}

/* One after the other, in the order of their numbers, and none before it was ready. */
static bool
in_order(const Reducer *reducer)
{
    bool ok = true;
    for (int b = 0; b < reducer->plan.buckets; b++) {
        const BucketTimes *times = &reducer->times[b];
        ok = ok && times->begin >= times->ready && times->end >= times->begin;
        ok = ok && (b == 0 || times->begin >= reducer->times[b - 1].end);
    }
    return ok;
}

/* Each rank reports in an order of its own, tensor 0 always last: nothing may be sent before it. */
static void
check_any_order(Buckets (*plan)(const BucketTensors *tensors), bool at_once)
{
    Bench *bench = bench_create(plan, at_once);
    const int p = bench->comm->size, rank = bench->comm->rank;
    bool ok = true;
    for (int step = 0; step < 20; step++) {
        reducer_begin(bench->reducer);
        for (int k = 1; k < TENSORS; k++) {
            const int t = 1 + (k * (1 + rank % 2 * 2) + rank + step) % (TENSORS - 1); /* 1 and 3 do not divide 8 */
            fill(bench, t, (float)(rank + 1 + t + step));
            ready(bench, t);
            ok = ok && bench->reducer->next_bucket == 0 && bench->reducer->ready_order[k - 1] == t;
        }
        fill(bench, 0, (float)(rank + 1 + step));
        ready(bench, 0);
        ok = ok && bench->reducer->next_bucket == bench->plan.buckets;
        reducer_finish(bench->reducer);
        for (int t = 0; t < TENSORS; t++)
            ok = ok && holds(bench, t, (float)(p * (p + 1) / 2 + p * (t + step)));
        ok = ok && in_order(bench->reducer);
    }
    bench_free(bench);
    ck_assert_all(ok);
}

TEST(buckets_are_sent_in_their_order_whatever_is_ready_first)
{
    check_any_order(buckets_by_tensor, true);
    check_any_order(buckets_by_layer, true);
    check_any_order(buckets_whole, true);
    check_any_order(buckets_by_tensor, false);
}

/* Rank r has nothing for tensor r: what stood there from the step before must not be added, and nobody waits for ever. */
static void
check_unused(bool at_once)
{
    Bench *bench = bench_create(buckets_by_layer, at_once);
    const int p = bench->comm->size, rank = bench->comm->rank;
    bool ok = true;
    for (int step = 0; step < 3; step++) {
        for (int t = 0; t < TENSORS; t++)
            fill(bench, t, t == rank ? NAN : (float)(t + 1));
        reducer_begin(bench->reducer);
        for (int t = 0; t < TENSORS; t++)
            if (t != rank)
                ready(bench, t);
        reducer_finish(bench->reducer);
        for (int t = 0; t < TENSORS; t++)
            ok = ok && holds(bench, t, (float)((t < p ? p - 1 : p) * (t + 1)));
        ok = ok && in_order(bench->reducer) && bench->reducer->ready_order[TENSORS - 1] == rank;
    }
    bench_free(bench);
    ck_assert_all(ok);
}

TEST(layers_that_took_no_part_give_zeros)
{
    check_unused(true);
    check_unused(false);
}

static atomic_int sums;

static void
counted_ring(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    collectives_named("ring", &error)->all_reduce(comm, x, y, n, type, op);
    atomic_fetch_add(&sums, 1);
}

/* The caller neither helps nor waits: it could be computing. */
TEST(sums_are_made_while_the_caller_does_something_else)
{
    Bench *bench = bench_create(buckets_by_layer, true);
    Collectives counted = *collectives_named("ring", &error);
    counted.all_reduce = counted_ring;
    bench->reducer->collectives = &counted;
    atomic_store(&sums, 0);
    reducer_begin(bench->reducer);
    for (int layer = 0; layer < TENSORS / 3; layer++) {
        for (int t = 3 * layer; t < 3 * layer + 3; t++)
            ready(bench, t);
        const struct timespec pause = {0, 1000000};
        for (int i = 0; i < 30000 && atomic_load(&sums) <= layer; i++)
            nanosleep(&pause, NULL);
        ck_assert_all(atomic_load(&sums) == layer + 1);
    }
    reducer_finish(bench->reducer);
    bench_free(bench);
}

/* Seconds of each kind of step, on the last rank and on all others: a step ends with the slowest, and the first does not count. */
TEST_WITH_COMM(the_kind_of_step_stays_that_is_fastest_on_the_slowest_rank)
{
    static const struct {
        double last[TRIALS], others[TRIALS];
        Trial best;
    } cases[] = {
        {{3, 2, 1}, {3, 2, 1}, TRIAL_PLANNED}, {{1, 2, 3}, {1, 2, 3}, TRIAL_FUSED}, {{4, 2, 5}, {4, 2, 5}, TRIAL_WFBP},
        {{2, 2, 2}, {2, 2, 2}, TRIAL_PLANNED}, {{3, 5, 4}, {3, 1, 1}, TRIAL_FUSED},
    };
    for (size_t c = 0; c < COUNT(cases); c++) {
        double none[1] = {0};
        Measured measured = {.seconds = none}; /* of no layers */
        for (int step = 0; step < TRIALS * TRIAL_STEPS; step++) {
            const int trial = step / TRIAL_STEPS;
            const double *seconds = comm->rank == comm->size - 1 ? cases[c].last : cases[c].others;
            measured_add(&measured, step % TRIAL_STEPS == 0 ? 100 - seconds[trial] : seconds[trial], none);
        }
        ck_assert_all(measured_best(&measured, comm, collectives_named("ring", &error)) == cases[c].best);
    }
}

TEST_MAIN_MPI("reducer_mpi")
