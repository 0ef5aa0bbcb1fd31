/* Every rung of the transpose: right on every shape, without findings, and with the counts that its file names.
 * SPDX-License-Identifier: MIT */
#include "gpu/transpose/transpose.h"
#include "tests/gpu/rungs.h"

static const char *const rungs[] = {"naive", "shared_tile", "padded_tile", "swizzled", "several_rows"};
enum { RUNGS = COUNT(rungs), SIDE = 64, REQUESTS = SIDE * SIDE / 32 };

static GpuTranspose *
transpose_of(const GpuLibrary *gpu, const char *rung)
{
    char name[64];
    snprintf(name, sizeof(name), "launch_transpose_%s", rung);
    return (GpuTranspose *)function_of(gpu, name);
}

/* ldx = columns + more: what stands between the rows of x is in no y. */
static void
check_shape(const GpuLibrary *gpu, const char *rung, int rows, int columns, int more)
{
    const size_t n = (size_t)rows * (size_t)columns, ldx = (size_t)(columns + more), stored = (size_t)rows * ldx;
    float *x = ARRAY(float, stored), *got = ARRAY(float, n);
    for (size_t i = 0; i < stored; i++)
        x[i] = i % ldx < (size_t)columns ? (float)i + 0.5f : -1;
    if (n > 5)
        x[0] = NAN;
    float *from = rungs_input(gpu, x, stored), *to = rungs_output(gpu, n);
    transpose_of(gpu, rung)(rows, columns, from, (int)ldx, to);
    rungs_fetch(gpu, to, got, n, rung);
    gpu->free(from);
    for (size_t i = 0; i < n; i++) {
        const size_t row = i % (size_t)rows, column = i / (size_t)rows;
        const float want = x[row * ldx + column];
        ck_assert_msg(memcmp(&got[i], &want, sizeof(want)) == 0, "%s of %dx%d: y[%zu][%zu] is %g, want %g", rung, rows,
                      columns, column, row, (double)got[i], (double)want);
    }
    array_free(x);
    array_free(got);
}

static const int shapes[][2] = {{0, 5},   {5, 0},   {1, 1},   {1, 37},  {37, 1},  {31, 31},
                                {32, 32}, {33, 33}, {31, 65}, {64, 96}, {7, 131}, {97, 101}};

static void
check_rungs(const GpuLibrary *gpu, int shape)
{
    for (int rung = 0; rung < RUNGS; rung++)
        check_shape(gpu, rungs[rung], shapes[shape][0], shapes[shape][1], shape % 2 * 3);
}

RUNGS_CHECKED_ON(check_rungs, COUNT(shapes), COUNT(shapes), test_thorough())

/* Sectors of a store, and passes that the loads from the tile wait for. */
TEST(sectors_and_conflicts)
{
    static const unsigned sectors[] = {32, 4, 4, 4, 4}, conflicts[] = {0, 31, 0, 0, 0};
    const Checked checked = rungs_counters();
    float *x = rungs_output(checked.library, SIDE * SIDE), *y = rungs_output(checked.library, SIDE * SIDE);
    for (int rung = 0; rung < RUNGS; rung++) {
        char kernel[64];
        snprintf(kernel, sizeof(kernel), "transpose_%s", rungs[rung]);
        checked.reset();
        transpose_of(checked.library, rungs[rung])(SIDE, SIDE, x, SIDE, y);
        const EmulatorCounts c = rungs_counted(&checked, kernel);
        ck_assert_uint_eq(c.loads, REQUESTS);
        ck_assert_uint_eq(c.load_sectors, 4 * REQUESTS);
        ck_assert_uint_eq(c.stores, REQUESTS);
        ck_assert_uint_eq(c.store_sectors, sectors[rung] * REQUESTS);
        ck_assert_uint_eq(c.shared, rung == 0 ? 0 : 2 * REQUESTS);
        ck_assert_uint_eq(c.conflicts, conflicts[rung] * REQUESTS);
    }
    checked.library->free(x);
    checked.library->free(y);
}

TEST_MAIN("gpu transpose")
