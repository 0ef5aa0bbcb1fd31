/* Every rung of softmax: right on every shape, with NaN and infinities, without findings, with the counts that its file names.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "gpu/softmax/softmax.h"
#include "tests/gpu/rungs.h"

static const char *const rungs[] = {"naive", "block", "warp", "online", "registers"};
enum { RUNGS = COUNT(rungs), REGISTERS = 4 };

static GpuSoftmax *
softmax_of(const GpuLibrary *gpu, const char *rung)
{
    char name[64];
    snprintf(name, sizeof(name), "launch_softmax_%s", rung);
    return (GpuSoftmax *)function_of(gpu, name);
}

/* Rows cycle through: small numbers; some at whose e^ a float overflows; all below -104, where e^ is 0; one masked first; NaN; all
 * masked. */
enum { KINDS = 6 };

static void
draw(int rows, int classes, float *z)
{
    static const double low[KINDS] = {-10, 60, -300, -10, -10, -10}, high[KINDS] = {10, 200, -200, 10, 10, 10};
    for (int row = 0; row < rows; row++, z += classes) {
        const int kind = row % KINDS;
        rng_fill_uniform(5, (uint64_t)row, 0, z, (size_t)classes, low[kind], high[kind]);
        if (kind == 3 && classes > 1)
            z[0] = -INFINITY;
        if (kind == 4)
            z[classes * 2 / 3] = NAN;
        for (int c = 0; kind == 5 && c < classes; c++)
            z[c] = -INFINITY;
    }
}

/* The label of a row: its second class, if it has one; of masked rows the first is the masked one, whose loss is infinite. */
static int
label_of(int row, int classes)
{
    return row % 2 == 0 && classes > 1 ? 1 : 0;
}

/* The difference to the largest is rounded, up to 4e-6 where it is 80; then a sum, one by one in the naive rung. */
static void
check_row(const char *rung, int row, int classes, const float *z, const float *p, float loss)
{
    double max = -INFINITY, sum = 0;
    for (int c = 0; c < classes; c++)
        max = fmax(max, (double)z[c]);
    for (int c = 0; c < classes; c++)
        sum += exp((double)z[c] - max);
    for (int c = 0; c < classes; c++) {
        const double want = exp((double)z[c] - max) / sum, got = (double)p[c];
        const bool ok = isnan(want) ? isnan(got) : fabs(got - want) <= (8e-6 + 3e-9 * classes) * want + 1e-37;
        ck_assert_msg(ok, "%s, row %d of %d: p[%d] is %.9g, want %.9g", rung, row, classes, c, got, want);
    }
    const double want = log(sum) - ((double)z[label_of(row, classes)] - max), got = (double)loss;
    const bool ok = isnan(want) ? isnan(got) : got == want || fabs(got - want) <= 8e-6 + 3e-9 * classes + 1e-6 * want;
    ck_assert_msg(ok, "%s, row %d of %d: the loss is %.9g, want %.9g", rung, row, classes, got, want);
}

static void
check_shape(const GpuLibrary *gpu, const char *rung, int rows, int classes)
{
    const size_t n = (size_t)rows * (size_t)classes;
    const size_t labelled = classes > 0 ? (size_t)rows : 0;
    float *z = ARRAY(float, n), *p = ARRAY(float, n), *again = ARRAY(float, n), *loss = ARRAY(float, labelled);
    int *label = ARRAY(int, labelled);
    draw((int)labelled, classes, z);
    for (size_t row = 0; row < labelled; row++)
        label[row] = label_of((int)row, classes);
    float *from = rungs_input(gpu, z, n), *labels = rungs_input(gpu, (const float *)(void *)label, labelled);
    float *to = rungs_output(gpu, n), *losses = rungs_output(gpu, labelled);
    softmax_of(gpu, rung)(rows, classes, from, NULL, to, NULL);
    rungs_fetch(gpu, to, p, n, rung);
    gpu->free(from);
    float *place = rungs_output(gpu, n);
    rungs_no_error(gpu->copy_in(place, z, n * sizeof(float)));
    softmax_of(gpu, rung)(rows, classes, place, labelled > 0 ? (const int *)(void *)labels : NULL, place, losses);
    rungs_fetch(gpu, place, again, n, rung);
    rungs_fetch(gpu, losses, loss, labelled, rung);
    gpu->free(labels);
    for (size_t row = 0; row < labelled; row++)
        check_row(rung, (int)row, classes, z + row * (size_t)classes, p + row * (size_t)classes, loss[row]);
    ck_assert_msg(n == 0 || memcmp(p, again, n * sizeof(float)) == 0, "%s of %dx%d differs in place", rung, rows,
                  classes);
    array_free(z);
    array_free(p);
    array_free(again);
    array_free(loss);
    array_free(label);
}

static const int shapes[][2] = {{0, 5},   {5, 0},    {1, 1},    {7, 1},    {13, 31},  {12, 32},
                                {7, 33},  {6, 127},  {6, 128},  {6, 129},  {6, 255},  {6, 256},
                                {6, 257}, {257, 10}, {6, 1000}, {6, 1024}, {6, 1025}, {3, 4099}};

static void
check_rungs(const GpuLibrary *gpu, int shape)
{
    for (int rung = 0; rung < RUNGS; rung++)
        if (rung != REGISTERS || shapes[shape][1] <= SOFTMAX_REGISTERS)
            check_shape(gpu, rungs[rung], shapes[shape][0], shapes[shape][1]);
}

RUNGS_CHECKED_ON(check_rungs, COUNT(shapes), COUNT(shapes), test_thorough())

/* 64 rows of 64: 128 requests for each pass over all elements. */
TEST(passes_and_sectors)
{
    enum { SIDE = 64, PASS = SIDE * SIDE / 32 };
    static const unsigned loads[] = {3, 3, 3, 2, 1}, stores[] = {2, 2, 2, 1, 1}, sectors[] = {32, 4, 4, 4, 4};
    const Checked checked = rungs_counters();
    float *z = checked.library->allocate(SIDE * SIDE * sizeof(float)), *p = rungs_output(checked.library, SIDE * SIDE);
    rungs_no_error(checked.library->fill(z, 0, SIDE * SIDE * sizeof(float)));
    for (int rung = 0; rung < RUNGS; rung++) {
        char kernel[64];
        snprintf(kernel, sizeof(kernel), "softmax_%s", rungs[rung]);
        checked.reset();
        softmax_of(checked.library, rungs[rung])(SIDE, SIDE, z, NULL, p, NULL);
        const EmulatorCounts c = rungs_counted(&checked, kernel);
        ck_assert_uint_eq(c.loads, loads[rung] * PASS);
        ck_assert_uint_eq(c.load_sectors, sectors[rung] * c.loads);
        ck_assert_uint_eq(c.stores, stores[rung] * PASS);
        ck_assert_uint_eq(c.store_sectors, sectors[rung] * c.stores);
        ck_assert_uint_eq(c.barriers, rung == 1 ? 20 * SIDE : 0);
    }
    checked.library->free(z);
    checked.library->free(p);
}

TEST_MAIN("gpu softmax")
