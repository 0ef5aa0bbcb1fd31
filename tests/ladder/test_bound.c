/* The roof that a table is under, and the least time that it leaves. SPDX-License-Identifier: MIT */
#include "ladder/bound.h"
#include "tests/ladder/scale.h"
#include "tests/testing.h"

static LadderTable *
measure(const Machine *machine, int rounds, int n)
{
    const LadderPlan plan = {.threads = 1, .rounds = rounds, .sample_seconds = 1e-5, .machine = machine};
    LadderTable *table = ladder_measure(&scale_ladder, (const int[LADDER_DIMENSIONS]){n}, &plan, &error);
    ck_assert_ok(table);
    return table;
}

static Machine
invented_machine(void)
{
    Machine machine = {.capacity = {1000, 10000, 100000}, .chain = 1e-9};
    machine.one = (MachinePeaks){.threads = 1, .fma = 1e9, .fma256 = 1e9, .read = {8e9, 4e9, 2e9, 1e9}, .triad = 1e9};
    machine.all = (MachinePeaks){.threads = 3, .fma = 3e9, .fma256 = 3e9, .read = {24e9, 12e9, 4e9, 1e9}, .triad = 1e9};
    return machine;
}

TEST(bound_and_prediction_come_from_the_machine)
{
    const Machine machine = invented_machine();
    LadderTable *table = measure(&machine, 1, 1000); /* 1000 flop, 8000 bytes from L2 */
    ck_assert_ptr_null(table->roof_rate);
    ck_assert_double_eq_tol(table->bound, 2e-6, 1e-15);             /* 8000 bytes at 4e9/s; the flops would take 1e-6 */
    ck_assert_double_eq_tol(table->rows[0].predicted, 1e-6, 1e-15); /* scale_predict */
    ck_assert(isnan(table->rows[2].predicted));
    ladder_table_free(table);
}

/* Multiply-adds, too, are interleaved with the rungs, where they are what takes the time. */
TEST(the_peak_that_bounds_is_measured_by_turns)
{
    Machine machine = invented_machine();
    machine.one.fma = 1e8;
    LadderTable *table = measure(&machine, 3, 1000);
    ck_assert_int_eq(table->roof, ROOF_PEAK); /* 1e-5 s for the flops, 2e-6 s for the bytes */
    for (int round = 0; round < 3; round++)
        ck_assert(table->roof_rate[round] > 0.0 && isfinite(table->roof_rate[round]));
    memcpy(table->roof_rate, (double[]){4e9, 1e9, 2e9}, 3 * sizeof(double));
    ck_assert_double_eq_tol(bound_seconds(table, &machine), 1000 / 2e9, 1e-15);
    table->rounds = 0; /* nothing was interleaved */
    ck_assert_double_eq_tol(bound_seconds(table, &machine), 1000 / 1e8, 1e-15);
    ladder_table_free(table);
}

TEST(operations_on_narrower_numbers_have_a_higher_peak)
{
    Machine machine = invented_machine();
    Ladder ladder = scale_ladder;
    ladder.operation.times_peak = 4;
    LadderTable table = {.ladder = &ladder, .threads = 1, .flops = 3000, .bytes = 8000};
    ck_assert_int_eq(bound_roof(&table, &machine), ROOF_READ); /* 2e-6 s for the bytes, 0.75e-6 s for the operations */
    table.flops = 12000;
    table.roof = bound_roof(&table, &machine);
    ck_assert_int_eq(table.roof, ROOF_PEAK);
    ck_assert_double_eq_tol(bound_seconds(&table, &machine), 3e-6, 1e-15);
}

TEST_MAIN("bound")
