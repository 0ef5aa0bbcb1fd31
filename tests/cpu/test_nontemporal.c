/* Outputs written by non-temporal stores (core/nontemporal.h) have the bits of ordinary stores, wherever they begin, and nothing
 * beside them changes. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "core/nontemporal.h"
#include "core/rng.h"
#include "cpu/copy/copy.h"
#include "cpu/pool/pool.h"
#include "cpu/softmax/softmax.h"
#include "tests/testing.h"

enum { MOST = 1 << 18, BESIDE = 32 };

static struct {
    float *x, *out[2];
    int *labels;
} in;

static void
make_arrays(void)
{
    in.x = ARRAY(float, MOST);
    in.labels = ARRAY(int, MOST);
    in.out[0] = ARRAY(float, MOST);
    in.out[1] = ARRAY(float, MOST);
    rng_fill_uniform(11, 0, 0, in.x, MOST, -3, 3);
}

typedef void Kernel(int rows, int columns, float *out);

/* out with and without, from the same inputs; `offset` floats behind the beginning of a line. */
static void
compare(const char *name, Kernel *kernel, int rows, int columns, size_t offset)
{
    const size_t n = (size_t)rows * (size_t)columns, all = n + 2 * BESIDE;
    for (int streamed = 0; streamed < 2; streamed++) {
        nontemporal_above(streamed ? 1 : SIZE_MAX);
        for (size_t i = 0; i < all; i++)
            in.out[streamed][i] = 77;
        kernel(rows, columns, in.out[streamed] + offset);
    }
    ck_assert_msg(memcmp(in.out[0], in.out[1], all * sizeof(float)) == 0, "%s: %d x %d at %zu: other bits", name, rows,
                  columns, offset);
    bool changed = false;
    for (size_t i = 0; i < 2 * BESIDE; i++)
        changed |= in.out[1][i < offset ? i : n + i] != 77;
    ck_assert_msg(!changed, "%s: %d x %d at %zu: something beside it was changed", name, rows, columns, offset);
}

static void
copy(int rows, int columns, float *out)
{
    const size_t n = (size_t)rows * (size_t)columns;
    copy_rows(1, n, in.x, n, out, n);
}

static void
softmax(int rows, int columns, float *out)
{
    softmax_loss_vector(rows, columns, in.x, in.labels, out);
}

static void
softmax_in_place(int rows, int columns, float *out)
{
    memcpy(out, in.x, (size_t)rows * (size_t)columns * sizeof(float));
    softmax_loss_vector(rows, columns, out, in.labels, out);
}

/* One row of pixels or two, with `columns` channels, in windows that overlap, or that adjoin. */
static PoolShape
pool_of(int rows, int columns, bool overlap)
{
    const WindowAxis one = {1, 1, 0, 1}, three = {3, 2, 1, 1}, across = overlap ? three : one;
    const int height = rows % 2 == 0 ? 2 : 1, width = rows / height;
    return (PoolShape){.batch = 1,
                       .height = height,
                       .width = width,
                       .channels = columns,
                       .out_height = height,
                       .out_width = window_outputs(across, width),
                       .window = {one, across}};
}

/* Each output's maximum came from the middle of its window. */
static void
wins(const PoolShape *s, int step, float *out)
{
    const int outputs = s->out_height * s->out_width;
    int32_t *winner = ARRAY(int32_t, (size_t)outputs * (size_t)s->channels);
    for (int o = 0; o < outputs; o++)
        for (int c = 0; c < s->channels; c++)
            winner[o * s->channels + c] = o / s->out_width * s->width + step * (o % s->out_width);
    max_pool_backward_vector(s, in.x, winner, out);
    array_free(winner);
}

static void
max_pool_gradient(int rows, int columns, float *out)
{
    const PoolShape s = pool_of(rows, columns, true);
    wins(&s, 2, out);
}

static void
max_pool_gradient_beside(int rows, int columns, float *out)
{
    const PoolShape s = pool_of(rows, columns, false);
    wins(&s, 1, out);
}

static void
average_pool_gradient(int rows, int columns, float *out)
{
    const PoolShape s = pool_of(rows, columns, true);
    average_pool_backward_vector(&s, in.x, out);
}

static const struct {
    const char *name;
    Kernel *kernel;
} kernels[] = {{"copy", copy},
               {"softmax", softmax},
               {"softmax in place", softmax_in_place},
               {"gradient of max pooling", max_pool_gradient},
               {"gradient of max pooling, windows side by side", max_pool_gradient_beside},
               {"gradient of average pooling", average_pool_gradient}};

/* One element, rows shorter than a line, rows that begin anywhere in one, rows longer than the block; enough for threads. */
TEST(past_the_caches_or_not)
{
    static const int shapes[][2] = {{1, 1},     {3, 5},    {7, 16},     {1, 2047},   {2, 2049},   {61, 10},
                                    {50, 100},  {9, 1000}, {15000, 10}, {4000, 17},  {1500, 100}, {200, 1001},
                                    {40, 4500}, {50, 80},  {33, 64},    {1001, 192}, {1000, 192}};
    make_arrays();
    for (size_t k = 0; k < COUNT(kernels); k++)
        for (size_t s = 0; s < COUNT(shapes); s++)
            for (size_t offset = 0; offset <= 9; offset += 3) {
                host_set_threads(offset % 2 == 0 ? 3 : 1);
                compare(kernels[k].name, kernels[k].kernel, shapes[s][0], shapes[s][1], offset);
            }
}

TEST(copies_of_any_length)
{
    for (size_t at = 0; at <= 17; at++)
        for (size_t bytes = 0; bytes <= 300; bytes += 1 + bytes / 7) {
            _Alignas(64) char from[512], to[512];
            for (size_t i = 0; i < sizeof(from); i++) {
                from[i] = (char)(i * 31 + 5);
                to[i] = 9;
            }
            nontemporal_copy(to + at, from + 3, bytes);
            stream_end();
            ck_assert_mem_eq(to + at, from + 3, bytes);
            for (size_t i = 0; i < sizeof(to); i++)
                ck_assert((i >= at && i < at + bytes) || to[i] == 9);
        }
}

TEST(only_what_caches_do_not_hold)
{
    ck_assert(!nontemporal_pays(4096));
    ck_assert(!nontemporal_pays(host_get()->cache[3] / 2));
    nontemporal_above(100);
    ck_assert(nontemporal_pays(101));
    ck_assert(!nontemporal_pays(100));
}

TEST_MAIN("streamed")
