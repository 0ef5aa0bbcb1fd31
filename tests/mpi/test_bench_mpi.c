/* Collectives in the driver of all ladders, as `rungs bench allreduce` measures them: a wrong rung must show.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/process.h"
#include "ladder/report.h"
#include "mpi/collectives/allreduce/library_forced.h"
#include "mpi/collectives/ladders.h"
#include "mpi/collectives/operation.h"
#include "mpi/model/fit.h"
#include "tests/testing.h"
#include "tests/wrong/allreduce_rungs.h"
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

static CollectiveRung both[2];
static CollectiveLadder ladder;
static CollectiveSetting setting;

/* A rung beside the library's own choice; the rows behind them, the library told what to do, are left out unless all is set. */
static LadderTable *
measure(const CollectiveRung *rung, int n, int place, bool all, double longest)
{
    static bool selected[LADDER_RUNGS];
    const int size[LADDER_DIMENSIONS] = {n, place};
    both[0] = *rung;
    both[1] = right;
    ladder = (CollectiveLadder){COLLECTIVE_ALLREDUCE, "allreduce", "a sum", both, 2};
    process_start_alone();
    if (setting.comm == NULL)
        setting.comm = comm_create(MPI_COMM_WORLD, 0);
    setting.ladder = &ladder;
    setting.type = ELEMENT_FLOAT;
    for (int i = 0; i < LADDER_RUNGS; i++)
        selected[i] = all || i < 2;
    const LadderPlan plan = {.threads = 1,
                             .rounds = 2,
                             .sample_seconds = 1e-3,
                             .seed = 1,
                             .longest = longest,
                             .selected = selected,
                             .ranks = collective_ranks(setting.comm, false)};
    LadderTable *table = ladder_measure(collective_operation(&setting), size, &plan, &error);
    ck_assert_ok(table);
    return table;
}

static void
forget(LadderTable *table)
{
    ladder_table_free(table);
    comm_free(setting.comm);
    setting.comm = NULL;
}

/* One rank has nobody to forget, and its vector in place is the result before anything was done. */
static bool
is_right_alone(const CollectiveRung *rung, int place)
{
    return rung->function == (CollectiveFunction *)wrong_forgets_the_others ||
           (rung->function == (CollectiveFunction *)wrong_when_called_often && place == IN_PLACE);
}

/* On every rank, and in the exit status of a command. */
TEST(wrong_rungs_are_found)
{
    for (size_t i = 0; i < COUNT(wrong_rungs); i++)
        for (int place = 0; place < PLACES; place++) {
            const CollectiveRung *rung = &wrong_rungs[i];
            calls_that_are_right = 2;
            LadderTable *table = measure(rung, 101, place, false, 0);
            const bool unharmed = setting.comm->size == 1 && is_right_alone(rung, place);
            ck_assert_msg(table->rows[0].state == (unharmed ? ROW_MEASURED : ROW_WRONG), "%s", rung->name);
            ck_assert_int_eq(table->rows[0].error > 0, !unharmed);
            ck_assert_int_eq(table->rows[1].state, ROW_MEASURED);
            ck_assert_int_eq(ladder_table_ok(table), unharmed);
            forget(table);
        }
}

/* What the command writes of it. */
TEST(a_wrong_rung_has_a_row)
{
    LadderTable *table = measure(&wrong_rungs[0], 100, OUT_OF_PLACE, false, 0);
    const LadderReport report = {.ladder = table->ladder, .count = 1, .tables = &table};
    const char *path = testing_path("wrong.csv");
    ck_assert_ok(report_csv(&report, path, &error));
    char line[1024];
    int lines = 0;
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file) != NULL)
        lines += strstr(line, "allreduce,400,1,wrong_in_the_last,wrong,") != NULL && strstr(line, ",rung,") != NULL &&
                 strstr(line, "elements of all ranks are wrong") != NULL;
    fclose(file);
    ck_assert_int_eq(lines, 1);
    forget(table);
}

static bool
refuses_all(Comm *comm, size_t n, Element type, Error *reason)
{
    (void)comm, (void)n, (void)type;
    return error_set(reason, "never");
}

TEST(a_refusal_is_no_failure)
{
    const CollectiveRung unwilling = {.name = "unwilling", .function = right.function, .accepts = refuses_all};
    LadderTable *table = measure(&unwilling, 10, IN_PLACE, false, 0);
    ck_assert(ladder_table_ok(table));
    ck_assert_int_eq(table->rows[0].state, ROW_SKIPPED);
    ck_assert_str_eq(table->rows[0].reason, "never");
    forget(table);
}

static int late_calls;

/* Its first call measures, or makes something: as auto does. */
static void
late_once(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    if (late_calls++ == 0)
        usleep(300000);
    allreduce_mpi(comm, x, y, n, type, op);
}

/* A machine so busy that a short call takes this long twice would fail here. */
TEST(a_first_call_that_takes_long_skips_no_row)
{
    const CollectiveRung late = {.name = "late", .function = (CollectiveFunction *)late_once};
    for (int place = 0; place < PLACES; place++) {
        late_calls = 0;
        LadderTable *table = measure(&late, 10, place, false, 0.29);
        ck_assert_msg(table->rows[0].state == ROW_MEASURED, "%s", table->rows[0].reason);
        forget(table);
    }
}

static void
always_late(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    usleep(20000);
    allreduce_mpi(comm, x, y, n, type, op);
}

TEST(calls_that_take_too_long_are_skipped)
{
    const CollectiveRung slow = {.name = "slow", .function = (CollectiveFunction *)always_late};
    LadderTable *table = measure(&slow, 10, IN_PLACE, false, 0.01);
    ck_assert_int_eq(table->rows[0].state, ROW_SKIPPED);
    ck_assert_ptr_nonnull(strstr(table->rows[0].reason, "one call takes about"));
    forget(table);
}

/* One rank sends nothing, and a model that is too noisy predicts nothing: neither is a number. */
TEST(what_cannot_be_predicted_is_no_number)
{
    for (int noisy = 0; noisy < 2; noisy++) {
        process_start_alone();
        setting.comm = comm_create(MPI_COMM_WORLD, 0);
        setting.comm->model = ARRAY(CommModel, 1);
        setting.comm->model->network = cost_parameters_textbook(1e-6, 1e-9, 1e-9);
        setting.comm->model->network.noisy = noisy;
        LadderTable *table = measure(&allreduce_ladder.rungs[0], 1000, IN_PLACE, false, 0);
        ck_assert_int_eq(isnan(table->rows[0].predicted), noisy || setting.comm->size == 1);
        ck_assert(isnan(table->rows[1].predicted));
        forget(table);
    }
}

/* Whatever algorithm the library is told to use, the result is the same; where it cannot be told, that is said. */
TEST(forced_algorithms_are_right)
{
    Error reason = {""};
    process_start_alone();
    setting.comm = comm_create(MPI_COMM_WORLD, 0);
    const bool here = allreduce_forced[0].accepts(setting.comm, 1, ELEMENT_FLOAT, &reason);
    for (int n = 1; here && n < 100000; n *= 30) {
        LadderTable *table = measure(&right, n, IN_PLACE, true, 0);
        ck_assert(ladder_table_ok(table));
        ck_assert_int_eq(table->count, 2 + ALLREDUCE_FORCED);
        for (int i = 0; i < table->count; i++)
            ck_assert_int_eq(table->rows[i].state, ROW_MEASURED);
        ladder_table_free(table);
    }
    forget(NULL);
    if (!here)
        skip_test("%s", reason.text);
}

/* Communicators come and go, some at the address of one that went; calls of two take turns. */
TEST(forced_algorithms_know_their_communicator)
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

/* As nccl-tests defines them. */
TEST(bus_factors)
{
    const struct {
        CollectiveKind kind;
        double factor;
    } want[] = {{COLLECTIVE_ALLREDUCE, 1.5},   {COLLECTIVE_ALL_GATHER, 0.75}, {COLLECTIVE_REDUCE_SCATTER, 0.75},
                {COLLECTIVE_ALL_TO_ALL, 0.75}, {COLLECTIVE_BROADCAST, 1},     {COLLECTIVE_REDUCE, 1}};
    for (size_t i = 0; i < COUNT(want); i++)
        ck_assert_double_eq(cost_bus_factor(collective_ladder(want[i].kind)->name, 4), want[i].factor);
}

TEST_MAIN_MPI("bench_mpi")
