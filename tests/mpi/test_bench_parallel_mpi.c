/* Steps of data-parallel training in the driver of all ladders, as `rungs bench parallel` measures them: a plan that learns
 * something else must show. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/process.h"
#include "mpi/collectives/operation.h"
#include "mpi/model/fit.h"
#include "mpi/parallel/data/operation.h"
#include "tests/testing.h"
#include "tests/wrong/allreduce_rungs.h"

/* Gradients that are too large, in the same way on all ranks and in all plans: only one process with the global batch shows it. */
static void
wrong_adds_twice(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    allreduce_mpi(comm, x, y, n, type, op);
    for (size_t i = 0; type == ELEMENT_FLOAT && i < n; i++)
        ((float *)y)[i] *= 2;
}

static Comm *comm;

/* naive and fused beside alone and apart; rows[2] and [4], behind each its sums. */
static LadderTable *
measure(AllReduce *all_reduce, const char *name)
{
    static Collectives collectives;
    process_start_alone();
    if (comm == NULL)
        comm = comm_create(MPI_COMM_WORLD, 0);
    collectives = *collectives_named(name, NULL);
    if (all_reduce != NULL)
        collectives.all_reduce = all_reduce;
    const DataSetting setting = {.net = {.hidden = {1, {5}}, .inputs = 7, .classes = 3},
                                 .comm = comm,
                                 .kernels = "best",
                                 .bucket = 1,
                                 .first_bucket = 1};
    data_operation_begin(&setting, NULL);
    ck_assert(data_operation_add("naive", &collectives, &error) && data_operation_add("fused", &collectives, &error));
    const LadderPlan plan = {
        .threads = 1, .rounds = 3, .sample_seconds = 1e-4, .seed = 1, .ranks = collective_ranks(comm, true)};
    LadderTable *table = ladder_measure(data_operation(), (const int[LADDER_DIMENSIONS]){4}, &plan, &error);
    ck_assert_ok(table);
    ck_assert_int_eq(table->count, 6);
    return table;
}

static void
forget(LadderTable *table)
{
    ladder_table_free(table);
    comm_free(comm);
    comm = NULL;
}

static double
column(const LadderTable *table, int row, const char *name)
{
    const Column *found = table->ladder->operation.columns;
    while (strcmp(found->name, name) != 0)
        found++;
    return found->value(table, &table->rows[row]);
}

TEST(right_plans_are_right)
{
    LadderTable *table = measure(NULL, "mpi");
    for (int r = 0; r < table->count; r++) {
        ck_assert_msg(table->rows[r].state == ROW_MEASURED, "%s: %s", table->rows[r].rung->name, table->rows[r].reason);
        for (int i = 0; i < table->rounds; i++)
            ck_assert(table->rows[r].seconds[i] > 0);
        ck_assert_int_eq(table->rows[r].rung->reference, r != 2 && r != 4);
    }
    ck_assert_str_eq(table->rows[2].rung->name, "naive:mpi");
    ck_assert_str_eq(table->rows[3].rung->name, "naive:mpi:sums");
    ck_assert_double_eq(column(table, 2, "buckets"), 4);
    ck_assert_double_eq(column(table, 4, "buckets"), 1);
    ck_assert_double_eq(column(table, 4, "sums"), table->rows[5].time.median);
    ck_assert_double_eq_tol(column(table, 0, "throughput"), 4 / table->rows[0].time.median, 1e-6);
    ck_assert_double_eq_tol(column(table, 2, "throughput"), 4 * comm->size / table->rows[2].time.median, 1e-6);
    /* The fused plan can hide nothing, and MPI's own all-reduce has no model. */
    ck_assert(isnan(column(table, 4, "hidden")));
    ck_assert(isnan(table->rows[4].predicted));
    forget(table);
}

/* Step 10 instead of 9 + 3, of which 2.5 can be hidden; a spread of 2, and then one of 3, in which that is lost. */
TEST(what_is_lost_in_the_spread_is_not_shown)
{
    static LadderTable table = {.count = 3, .rounds = 3};
    DataRow apart = {.kind = DATA_APART}, plan = {.kind = DATA_PLAN, .hideable = 2.5},
            sums = {.kind = DATA_SUMS, .plan = &plan};
    const Rung rungs[] = {{.context = &apart}, {.context = &plan}, {.context = &sums}};
    const double seconds[3][3] = {{9, 9, 9}, {9, 10, 13}, {3, 3, 3}};
    for (int i = 0; i < 3; i++)
        table.rows[i] = (LadderRow){.rung = &rungs[i], .time = stats_of(seconds[i], 3)};
    ck_assert_double_eq_tol(data_hidden(&table, &table.rows[1]), 2 / 2.5, 1e-12);
    table.rows[1].time = stats_of((const double[]){9, 10, 15}, 3);
    ck_assert(isnan(data_hidden(&table, &table.rows[1])));
}

TEST(wrong_plans_are_found)
{
    AllReduce *const wrong[] = {wrong_forgets_the_others, wrong_in_the_last, wrong_adds_twice, wrong_when_called_often};
    (void)wrong_beyond_the_end; /* would write beyond the gradients */
    for (size_t i = 0; i < COUNT(wrong); i++) {
        calls_that_are_right = 40; /* found out only after timing */
        LadderTable *table = measure(wrong[i], "mpi");
        const bool harmless =
            comm->size == 1 && (wrong[i] == wrong_forgets_the_others || wrong[i] == wrong_when_called_often);
        for (int r = 2; r < table->count; r += 2) {
            ck_assert_msg((table->rows[r].state == ROW_MEASURED) == harmless, "%zu, %s: %s", i,
                          table->rows[r].rung->name, table->rows[r].reason);
            ck_assert_int_eq(table->rows[r].reason[0] == '\0', harmless);
        }
        forget(table);
    }
}

/* A step of each plan as the model counts it: never longer than everything one after the other. On a network of round numbers:
 * what is measured on a busy machine may have no latency. */
TEST(predictions_are_bounded)
{
    process_start_alone();
    comm = comm_create(MPI_COMM_WORLD, 0);
    comm->model = ARRAY(CommModel, 1);
    comm->model->network = cost_parameters_textbook(1e-6, 1e-9, 1e-9);
    LadderTable *table = measure(NULL, "ring");
    for (int r = 2; r < table->count; r += 2) {
        ck_assert(table->rows[r].predicted >=
                  table->rows[1].time.median * (1 - 1e-9)); /* the parts are those of the step */
        ck_assert(fabs(column(table, r, "hideable")) < 1e-12);
    }
    ck_assert(comm->size == 1 || table->rows[2].predicted > table->rows[4].predicted); /* latencies */
    forget(table);
}

TEST_MAIN_MPI("bench_parallel_mpi")
