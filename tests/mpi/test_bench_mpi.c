/* The driver of `rungs bench allreduce`: a wrong rung must show. SPDX-License-Identifier: MIT */
#include "cli/bench_collective.h"
#include "cli/cli.h"
#include "core/process.h"
#include "mpi/collectives/allreduce/library_forced.h"
#include "mpi/collectives/ladders.h"
#include "mpi/model/fit.h"
#include "tests/testing.h"
#include "tests/wrong/allreduce_rungs.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WRONG(rung)                                                                                                    \
    {                                                                                                                  \
        .name = #rung, .function = (CollectiveFunction *)rung                                                          \
    }
static const CollectiveRung wrong_rungs[] = {
    WRONG(wrong_in_the_last),
    WRONG(wrong_beyond_the_end),
    WRONG(wrong_when_called_often),
    WRONG(wrong_forgets_the_others),
};
static const CollectiveRung right = {.name = "mpi", .function = (CollectiveFunction *)allreduce_mpi, .peer = true};

static CollectiveBench
bench_of(const CollectiveRung *rung)
{
    process_start_alone();
    return (CollectiveBench){.ladder = &allreduce_ladder,
                             .rungs = {rung, &right},
                             .count = 2,
                             .comm = comm_create(MPI_COMM_WORLD, 0),
                             .type = ELEMENT_FLOAT,
                             .rounds = 2,
                             .seed = 1};
}

/* One rank has nobody to forget, and its vector in place is the result before anything was done. */
static bool
is_right_alone(const CollectiveRung *rung, int place)
{
    return rung->function == (CollectiveFunction *)wrong_forgets_the_others ||
           (rung->function == (CollectiveFunction *)wrong_when_called_often && place == IN_PLACE);
}

START_TEST(wrong_rungs_are_counted)
{
    for (size_t i = 0; i < sizeof(wrong_rungs) / sizeof(wrong_rungs[0]); i++) {
        const CollectiveRung *rung = &wrong_rungs[i];
        CollectiveBench bench = bench_of(rung);
        calls_that_are_right = 2;
        CollectiveTable *table = collective_measure(&bench, 101);
        for (int place = 0; place < PLACES; place++) {
            const bool unharmed = bench.comm->size == 1 && is_right_alone(rung, place);
            const CollectiveTime *wrong = &table->row[0].place[place], *library = &table->row[1].place[place];
            ck_assert_msg((wrong->wrong == 0) == unharmed, "%s: %zu wrong", rung->name, wrong->wrong);
            ck_assert_int_eq(wrong->state, unharmed ? ROW_MEASURED : ROW_WRONG);
            ck_assert_uint_eq(library->wrong, 0);
            ck_assert_int_eq(library->state, ROW_MEASURED);
        }
        collective_table_free(table);
        comm_free(bench.comm);
    }
}
END_TEST

/* The command's exit status, on every rank, and what its CSV says. */
START_TEST(a_wrong_rung_fails_the_command)
{
    const size_t bytes[] = {400};
    CollectiveBench bench = bench_of(&wrong_rungs[0]);
    const char *path = testing_path("wrong.csv");
    bench.csv = path;
    ck_assert_int_eq(collective_bench(&bench, bytes, 1), STATUS_FAILED);
    if (bench.comm->rank == 0) {
        char line[1024];
        int lines = 0;
        FILE *file = fopen(path, "r");
        ck_assert_ptr_nonnull(file);
        while (fgets(line, sizeof line, file) != NULL)
            lines += strstr(line, ",wrong_in_the_last,rung,") != NULL && strstr(line, ",wrong,") != NULL;
        fclose(file);
        ck_assert_int_eq(lines, 2);
    }
    bench.rungs[0] = &allreduce_ladder.rungs[0];
    ck_assert_int_eq(collective_bench(&bench, bytes, 1), STATUS_DONE);
    comm_free(bench.comm);
}
END_TEST

static bool
refuses_all(Comm *comm, size_t n, Element type, Error *reason)
{
    (void)comm, (void)n, (void)type;
    return error_set(reason, "never");
}

START_TEST(a_refusal_is_no_failure)
{
    const CollectiveRung unwilling = {.name = "unwilling", .function = right.function, .accepts = refuses_all};
    CollectiveBench bench = bench_of(&unwilling);
    CollectiveTable *table = collective_measure(&bench, 10);
    ck_assert(collective_table_ok(table));
    ck_assert_int_eq(table->row[0].place[IN_PLACE].state, ROW_SKIPPED);
    ck_assert_str_eq(table->row[0].place[IN_PLACE].reason, "never");
    collective_table_free(table);
    comm_free(bench.comm);
}
END_TEST

static int late_calls;

/* Its first call measures, or makes something: as auto does. */
static void
late_once(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    if (late_calls++ == 0)
        usleep(300000);
    allreduce_mpi(comm, x, y, n, type, op);
}

START_TEST(a_first_call_that_takes_long_skips_no_row)
{
    const CollectiveRung late = {.name = "late", .function = (CollectiveFunction *)late_once};
    CollectiveBench bench = bench_of(&late);
    bench.longest = 0.29; /* seconds; a machine so busy that a short call takes this long twice would fail here */
    late_calls = 0;
    CollectiveTable *table = collective_measure(&bench, 10);
    for (int place = 0; place < PLACES; place++)
        ck_assert_msg(table->row[0].place[place].state == ROW_MEASURED, "%s", table->row[0].place[place].reason);
    collective_table_free(table);
    comm_free(bench.comm);
}
END_TEST

/* One rank sends nothing, and a model that is too noisy predicts nothing: neither is a number. */
START_TEST(what_cannot_be_predicted_is_no_number)
{
    CollectiveBench bench = bench_of(&allreduce_ladder.rungs[0]);
    CollectiveTable *table = collective_measure(&bench, 1000);
    const bool alone = bench.comm->size == 1;
    for (int noisy = 0; noisy < 2; noisy++) {
        collective_fit(&bench);
        bench.comm->model->network.noisy = noisy;
        collective_predict(&bench, table);
        const CollectiveTime *time = &table->row[0].place[IN_PLACE];
        ck_assert_int_eq(time->noisy, noisy);
        ck_assert_int_eq(isnan(time->predicted), noisy || alone);
    }
    collective_table_free(table);
    comm_free(bench.comm);
}
END_TEST

/* Whatever algorithm the library is told to use, the result is the same; where it cannot be told, that is said. */
START_TEST(forced_algorithms_are_right)
{
    CollectiveBench bench = bench_of(&right);
    Error reason = {""};
    if (!allreduce_forced[0].accepts(bench.comm, 1, ELEMENT_FLOAT, &reason)) {
        comm_free(bench.comm);
        skip_test("%s", reason.text);
    }
    for (int i = 0; i < ALLREDUCE_FORCED; i++)
        bench.rungs[i] = &allreduce_forced[i];
    bench.count = ALLREDUCE_FORCED;
    for (size_t n = 1; n < 100000; n *= 30) {
        CollectiveTable *table = collective_measure(&bench, n);
        ck_assert(collective_table_ok(table));
        for (int i = 0; i < ALLREDUCE_FORCED; i++)
            ck_assert_int_eq(table->row[i].place[IN_PLACE].state, ROW_MEASURED);
        collective_table_free(table);
    }
    comm_free(bench.comm);
}
END_TEST

/* Communicators come and go, some at the address of one that went; calls of two take turns. */
START_TEST(forced_algorithms_know_their_communicator)
{
    Error reason = {""};
    for (int round = 0; round < 20; round++) {
        Comm *comms[2] = {comm_create(MPI_COMM_WORLD, 0), comm_create(MPI_COMM_SELF, 0)};
        const int p = comms[0]->size;
        for (int i = 0; i < 4 * ALLREDUCE_FORCED && allreduce_forced[0].accepts(comms[0], 1, ELEMENT_FLOAT, &reason);
             i++) {
            const CollectiveRung *rung = &allreduce_forced[i / 4];
            float x = 1, y = NAN;
            ((AllReduce *)rung->function)(comms[(i + round) % 2], &x, &y, 1, ELEMENT_FLOAT, REDUCTION_SUM);
            ck_assert_float_eq(y, (i + round) % 2 == 0 ? (float)p : 1);
        }
        comm_free(comms[0]);
        comm_free(comms[1]);
    }
    if (reason.text[0] != '\0')
        skip_test("%s", reason.text);
}
END_TEST

/* As nccl-tests defines them. */
START_TEST(bus_factors)
{
    const struct {
        CollectiveKind kind;
        double factor;
    } want[] = {{COLLECTIVE_ALLREDUCE, 1.5},   {COLLECTIVE_ALL_GATHER, 0.75}, {COLLECTIVE_REDUCE_SCATTER, 0.75},
                {COLLECTIVE_ALL_TO_ALL, 0.75}, {COLLECTIVE_BROADCAST, 1},     {COLLECTIVE_REDUCE, 1}};
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
        ck_assert_double_eq(collective_bus_factor(want[i].kind, 4), want[i].factor);
}
END_TEST

TEST_MAIN_MPI("bench_mpi", wrong_rungs_are_counted, a_wrong_rung_fails_the_command, a_refusal_is_no_failure,
              a_first_call_that_takes_long_skips_no_row, what_cannot_be_predicted_is_no_number,
              forced_algorithms_are_right, forced_algorithms_know_their_communicator, bus_factors)
