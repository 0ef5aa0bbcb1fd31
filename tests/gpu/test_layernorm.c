/* Every rung of layer normalisation: right on every shape, with NaN and a large mean, without findings, with the counts that its
 * file names.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "gpu/layernorm/layernorm.h"
#include "tests/gpu/rungs.h"

static const char *const rungs[] = {"naive", "block", "warp", "welford", "registers"};
enum { RUNGS = COUNT(rungs), REGISTERS = 4 };
static const float epsilon = 1e-5f;

static GpuLayerNorm *
layer_norm_of(const GpuLibrary *gpu, const char *rung)
{
    char name[64];
    snprintf(name, sizeof(name), "launch_layer_norm_%s", rung);
    return (GpuLayerNorm *)function_of(gpu, name);
}

/* One problem, and what a rung gave. */
typedef struct Case {
    int rows, channels;
    float *x, *gamma, *beta, *y, *mean, *inverse;
} Case;

static Case
case_create(int rows, int channels, double center)
{
    const size_t R = (size_t)rows, C = (size_t)channels;
    Case c = {rows,
              channels,
              ARRAY(float, R *C),
              ARRAY(float, C),
              ARRAY(float, C),
              ARRAY(float, R *C),
              ARRAY(float, R),
              ARRAY(float, R)};
    rng_fill_uniform(7, 0, 0, c.x, R * C, center - 1, center + 1);
    rng_fill_uniform(7, 1, 0, c.gamma, C, 0.5, 1.5);
    rng_fill_uniform(7, 2, 0, c.beta, C, -1, 1);
    return c;
}

static void
case_free(Case *c)
{
    float *const arrays[] = {c->x, c->gamma, c->beta, c->y, c->mean, c->inverse};
    for (int i = 0; i < 6; i++)
        array_free(arrays[i]);
}

static void
case_run(const GpuLibrary *gpu, Case *c, const char *rung, bool in_place)
{
    const size_t R = (size_t)c->rows, C = (size_t)c->channels, n = R * C;
    float *gamma = rungs_input(gpu, c->gamma, C), *beta = rungs_input(gpu, c->beta, C), *x = NULL;
    float *y = rungs_output(gpu, n), *mean = rungs_output(gpu, R), *inverse = rungs_output(gpu, R);
    if (in_place)
        rungs_no_error(gpu->copy_in(y, c->x, n * sizeof(float)));
    else
        x = rungs_input(gpu, c->x, n);
    layer_norm_of(gpu, rung)(c->rows, c->channels, in_place ? y : x, gamma, beta, epsilon, y, mean, inverse);
    rungs_fetch(gpu, y, c->y, n, rung);
    rungs_fetch(gpu, mean, c->mean, R, rung);
    rungs_fetch(gpu, inverse, c->inverse, R, rung);
    gpu->free(gamma);
    gpu->free(beta);
    gpu->free(x);
}

/* tolerance: of the mean, relative to the largest x; the rest follows from it. */
static void
check_row(const Case *c, const char *rung, int row, double tolerance)
{
    const size_t C = (size_t)c->channels;
    const float *x = c->x + (size_t)row * C, *y = c->y + (size_t)row * C;
    double sum = 0, squares = 0;
    for (size_t k = 0; k < C; k++)
        sum += (double)x[k];
    const double mean = sum / (double)C;
    for (size_t k = 0; k < C; k++)
        squares += ((double)x[k] - mean) * ((double)x[k] - mean);
    const double inverse = 1 / sqrt(squares / (double)C + (double)epsilon);
    const double off = tolerance * fmax(1, fabs(mean));
    if (isfinite(mean)) {
        ck_assert_msg(fabs((double)c->mean[row] - mean) <= off, "%s %dx%d: mean[%d] is %.9g, want %.9g", rung, c->rows,
                      c->channels, row, (double)c->mean[row], mean);
        ck_assert_msg(fabs((double)c->inverse[row] - inverse) <= 4 * tolerance * inverse,
                      "%s %dx%d: inverse[%d] is %.9g, want %.9g", rung, c->rows, c->channels, row,
                      (double)c->inverse[row], inverse);
    }
    for (size_t k = 0; k < C; k++) {
        const double want = ((double)x[k] - mean) * inverse * (double)c->gamma[k] + (double)c->beta[k];
        const double got = (double)y[k];
        const bool ok =
            isnan(want) ? isnan(got) : fabs(got - want) <= 2 * off * inverse + 8 * tolerance * (1 + fabs(want));
        ck_assert_msg(ok, "%s %dx%d: y[%d][%zu] is %.9g, want %.9g", rung, c->rows, c->channels, row, k, got, want);
    }
}

/* The naive rung's sum of 4099 is the least exact. */
static void
check_shape(const GpuLibrary *gpu, const char *rung, int rows, int channels)
{
    Case c = case_create(rows, channels, 3);
    const size_t n = (size_t)rows * (size_t)channels;
    float *first = ARRAY(float, n);
    if (n > 0 && rows > 2) {
        c.x[n / 2] = NAN;
        c.x[n - 1] = INFINITY;
    }
    case_run(gpu, &c, rung, false);
    for (int row = 0; channels > 0 && row < rows; row++)
        check_row(&c, rung, row, channels > 300 ? 2e-5 : 2e-6);
    memcpy(first, c.y, n * sizeof(float));
    case_run(gpu, &c, rung, true);
    ck_assert_msg(n == 0 || memcmp(first, c.y, n * sizeof(float)) == 0, "%s of %dx%d differs in place", rung, rows,
                  channels);
    array_free(first);
    case_free(&c);
}

static const int shapes[][2] = {{0, 5},   {5, 0},    {1, 1},   {7, 1},    {13, 31},  {12, 32},
                                {7, 33},  {6, 127},  {3, 128}, {3, 129},  {3, 255},  {3, 256},
                                {3, 257}, {257, 10}, {3, 512}, {3, 1024}, {3, 1025}, {3, 4099}};

static void
check_rungs(const GpuLibrary *gpu, int shape)
{
    for (int rung = 0; rung < RUNGS; rung++)
        if (rung != REGISTERS || shapes[shape][1] <= LAYER_NORM_REGISTERS)
            check_shape(gpu, rungs[rung], shapes[shape][0], shapes[shape][1]);
}

RUNGS_CHECKED_ON(check_rungs, COUNT(shapes), COUNT(shapes), test_thorough())

/* Mean 1000, variance 1/3: from the mean of squares, 10^6, a float would know the variance to 0.06 at best. */
TEST(a_large_mean)
{
    const GpuLibrary *gpu = rungs_library(GPU_EMULATOR);
    for (int rung = 0; rung < RUNGS; rung++) {
        Case c = case_create(4, 768, 1000);
        case_run(gpu, &c, rungs[rung], false);
        for (int row = 0; row < c.rows; row++)
            check_row(&c, rungs[rung], row, 2e-5 / 4);
        case_free(&c);
    }
}

/* 64 rows of 64: 128 requests for each pass over x and y. gamma and beta are one request a pass each; the naive rung's lanes read
 * all the same one of them. */
TEST(passes_and_sectors)
{
    enum { SIDE = 64, PASS = SIDE * SIDE / 32 };
    static const unsigned passes[] = {3, 3, 3, 2, 1}, sectors[] = {32, 4, 4, 4, 4};
    const Checked checked = rungs_counters();
    Case c = case_create(SIDE, SIDE, 0);
    for (int rung = 0; rung < RUNGS; rung++) {
        char kernel[64];
        snprintf(kernel, sizeof(kernel), "layer_norm_%s", rungs[rung]);
        checked.reset();
        case_run(checked.library, &c, rungs[rung], false);
        const EmulatorCounts counts = rungs_counted(&checked, kernel);
        const unsigned of_results = rung == 0 ? 2 * SIDE / 32 : 2 * SIDE; /* stores of mean and inverse */
        ck_assert_uint_eq(counts.loads, (passes[rung] + 2) * PASS);
        ck_assert_uint_eq(counts.load_sectors, (passes[rung] * sectors[rung] + 2 * (rung == 0 ? 1 : 4)) * PASS);
        ck_assert_uint_eq(counts.stores, PASS + of_results);
        ck_assert_uint_eq(counts.store_sectors, sectors[rung] * PASS + (rung == 0 ? 4 : 1) * of_results);
        ck_assert_uint_eq(counts.barriers, rung == 1 ? 4 * SIDE : 0);
    }
    case_free(&c);
}

TEST_MAIN("gpu layer norm")
