/* The driver of `rungs bench parallel`: a plan that learns something else must show. SPDX-License-Identifier: MIT */
#include "cli/bench_parallel.h"
#include "core/array.h"
#include "core/process.h"
#include "mpi/model/fit.h"
#include "tests/testing.h"
#include "tests/wrong/allreduce_rungs.h"
#include <math.h>

/* Gradients that are too large, in the same way on all ranks and in all plans: only one process with the global batch shows it. */
static void
wrong_adds_twice(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    allreduce_mpi(comm, x, y, n, type, op);
    for (size_t i = 0; type == ELEMENT_FLOAT && i < n; i++)
        ((float *)y)[i] *= 2;
}

static BenchParallel
bench_of(AllReduce *all_reduce, Collectives *collectives)
{
    process_start_alone();
    *collectives = *collectives_named("mpi", NULL);
    if (all_reduce != NULL)
        collectives->all_reduce = all_reduce;
    BenchParallel bench = {
        .net = {.hidden = {1, {5}}, .inputs = 7, .classes = 3},
        .comm = comm_create(MPI_COMM_WORLD, 0),
        .kernels = "best",
        .batch = 4,
        .steps = 2,
        .rounds = 3,
        .threads = 1,
        .bucket = 1,
        .first_bucket = 1,
        .rows = 4,
        .row = {{.kind = BENCH_ALONE},
                {.kind = BENCH_APART},
                {.kind = BENCH_PLAN, .overlap = "naive", .collectives = collectives},
                {.kind = BENCH_PLAN, .overlap = "fused", .collectives = collectives}},
    };
    bench_parallel_look(&bench);
    return bench;
}

START_TEST(right_plans_are_right)
{
    Collectives collectives;
    Error error = {""};
    BenchParallel bench = bench_of(NULL, &collectives);
    ck_assert_msg(bench_parallel_measure(&bench, NULL, &error), "%s", error.text);
    ck_assert(bench.compared);
    ck_assert_uint_eq(bench.parameters, 7 * 5 + 5 + 5 * 3 + 3);
    ck_assert_int_eq(bench.parts.layers, 2);
    ck_assert_int_eq(bench.row[2].buckets, 4);
    ck_assert_int_eq(bench.row[3].buckets, 1);
    for (int r = 0; r < bench.rows; r++) {
        ck_assert_uint_eq(bench.row[r].wrong, 0);
        for (int i = 0; i < bench.rounds; i++)
            ck_assert(bench.row[r].seconds[i] > 0);
    }
    /* The parts are those of the step. */
    double sum = bench.parts.forward + bench.parts.update;
    for (int l = 0; l < bench.parts.layers; l++)
        sum += bench.parts.backward[l];
    ck_assert_double_eq_tol(sum, bench_parallel_seconds(&bench, &bench.row[1]), 1e-9);
    /* The fused plan can hide nothing, and MPI's own all-reduce has no model. */
    ck_assert(isnan(bench_parallel_hidden(&bench, &bench.row[3])));
    ck_assert(isnan(bench.row[3].predicted));
    bench_parallel_free_rows(&bench);
    comm_free(bench.comm);
}
END_TEST

/* Step 10 instead of 9 + 3, of which 2.5 can be hidden; a spread of 2, and then one of 3, in which that is lost. */
START_TEST(what_is_lost_in_the_spread_is_not_shown)
{
    double apart[] = {9, 9, 9}, step[] = {9, 10, 13}, communication[] = {3, 3, 3};
    const BenchParallel bench = {
        .rows = 2,
        .rounds = 3,
        .row = {{.kind = BENCH_APART, .seconds = apart},
                {.kind = BENCH_PLAN, .seconds = step, .communication = communication, .hideable = 2.5}}};
    ck_assert_double_eq_tol(bench_parallel_hidden(&bench, &bench.row[1]), 2 / 2.5, 1e-12);
    step[2] = 15;
    ck_assert(isnan(bench_parallel_hidden(&bench, &bench.row[1])));
}
END_TEST

START_TEST(wrong_plans_are_counted)
{
    AllReduce *const wrong[] = {wrong_forgets_the_others, wrong_in_the_last, wrong_adds_twice, wrong_when_called_often};
    (void)wrong_beyond_the_end; /* would write beyond the gradients */
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        Collectives collectives;
        Error error = {""};
        BenchParallel bench = bench_of(wrong[i], &collectives);
        calls_that_are_right = 40; /* found out only after timing */
        ck_assert_msg(bench_parallel_measure(&bench, NULL, &error), "%s", error.text);
        const bool harmless =
            bench.comm->size == 1 && (wrong[i] == wrong_forgets_the_others || wrong[i] == wrong_when_called_often);
        for (int r = 2; r < bench.rows; r++) {
            ck_assert_msg((bench.row[r].wrong == 0) == harmless, "%zu, %s: %zu wrong", i, bench.row[r].overlap,
                          bench.row[r].wrong);
            ck_assert_int_eq(bench.row[r].reason[0] == '\0', harmless);
        }
        bench_parallel_free_rows(&bench);
        comm_free(bench.comm);
    }
}
END_TEST

/* A step of each plan as the model counts it: never longer than everything one after the other. On a network of round numbers:
 * what is measured on a busy machine may have no latency. */
START_TEST(predictions_are_bounded)
{
    Collectives collectives;
    Error error = {""};
    BenchParallel bench = bench_of(NULL, &collectives);
    for (int r = 2; r < bench.rows; r++)
        bench.row[r].collectives = collectives_named("ring", NULL);
    bench.comm->model = ARRAY(CommModel, 1);
    bench.comm->model->network = cost_parameters_textbook(1e-6, 1e-9, 1e-9);
    ck_assert_msg(bench_parallel_measure(&bench, NULL, &error), "%s", error.text);
    const double apart = bench_parallel_seconds(&bench, &bench.row[1]);
    for (int r = 2; r < bench.rows; r++) {
        ck_assert(bench.row[r].predicted >= apart * (1 - 1e-9));
        ck_assert(fabs(bench.row[r].hideable) < 1e-12);
    }
    ck_assert(bench.comm->size == 1 || bench.row[2].predicted > bench.row[3].predicted); /* latencies */
    bench_parallel_free_rows(&bench);
    comm_free(bench.comm);
}
END_TEST

TEST_MAIN_MPI("bench_parallel_mpi", right_plans_are_right, what_is_lost_in_the_spread_is_not_shown,
              wrong_plans_are_counted, predictions_are_bounded)
