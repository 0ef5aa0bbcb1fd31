/* See winograd.h. SPDX-License-Identifier: MIT */
#include "cpu/conv/winograd.h"
#include "core/host.h"
#include "core/workspace.h"
#include "cpu/conv/patches.h"
#include "cpu/epilogue.h"
#include "cpu/gemm/five_loops.h"
#include "cpu/gemm/micro_kernel.h"
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* Tiles that are transformed, multiplied and transformed back by one thread before it goes on to the next: enough to use each
 * element of U often, few enough for V and M to stay in the L2 cache, or nearly. A multiple of a micro-kernel's rows. */
enum { BLOCK = 8 * TILE_ROWS };

/* Padding between two places, in floats: a transform writes to all places in turn, and a stride that is a power of two would
 * map them to one set of the L1 cache (conflict misses). */
enum { APART = VECTOR_LANES };
#define PARALLEL_MIN 1e6

/* One call. C and O are the numbers of channels, rounded up to full vectors; the excess is zero. */
typedef struct WinogradPlan {
    const Winograd *winograd;
    const ConvShape *shape;
    const float *x, *w;
    const Epilogue *epilogue;
    float *y;
    int tile, places;                   /* m + 2, its square */
    int tile_rows, tile_columns, tiles; /* of an image, of an image, of the batch */
    int C, O, panels;                   /* panels: of TILE_COLUMNS out channels */
    float *zeros;                       /* [C]: a pixel of the padding */
    float *U;                           /* [places][panels][channels][TILE_COLUMNS] */
    size_t panel;                       /* floats */
} WinogradPlan;

/* U for input channel k and a panel of output channels. */
static void
transform_kernels(const WinogradPlan *p, int panel, int k)
{
    const int out = p->shape->out_channels, channels = p->shape->channels;
    for (int o = panel * TILE_COLUMNS; o < smaller(p->O, (panel + 1) * TILE_COLUMNS); o += VECTOR_LANES) {
        Vector g[WINOGRAD_KERNEL * WINOGRAD_KERNEL], u[WINOGRAD_PLACES_MAX];
        for (int tap = 0; tap < WINOGRAD_KERNEL * WINOGRAD_KERNEL; tap++)
            g[tap] = vector_load_first(p->w + ((size_t)tap * (size_t)channels + (size_t)k) * (size_t)out + (size_t)o,
                                       smaller(VECTOR_LANES, out - o));
        p->winograd->transform_kernel(g, u);
        float *to = p->U + (size_t)panel * p->panel + (size_t)k * TILE_COLUMNS + o % TILE_COLUMNS;
        for (int place = 0; place < p->places; place++, to += (size_t)p->panels * p->panel)
            vector_store(to, u[place]);
    }
}

/* Tile t of the batch, by its first output. */
static Pixel
tile_pixel(const WinogradPlan *p, int t)
{
    const int row = t / p->tile_columns;
    return (Pixel){row / p->tile_rows, row % p->tile_rows * p->winograd->outputs,
                   t % p->tile_columns * p->winograd->outputs};
}

/* v[place * step + channel] of tile t. */
static void
transform_tile(const WinogradPlan *p, int t, float *v, size_t step)
{
    const ConvShape *s = p->shape;
    const float *pixel[WINOGRAD_PLACES_MAX];
    winograd_input_pixels(s, p->x, tile_pixel(p, t), p->tile, p->zeros, pixel);
    for (int k = 0; k < p->C; k += VECTOR_LANES) {
        Vector d[WINOGRAD_PLACES_MAX], transformed[WINOGRAD_PLACES_MAX];
        for (int i = 0; i < p->places; i++)
            d[i] = vector_load_first(pixel[i] + k, s->channels - k);
        p->winograd->transform_input(d, transformed);
        for (int i = 0; i < p->places; i++)
            vector_store(v + (size_t)i * step + k, transformed[i]);
    }
}

/* sums[count][O] = v[count][C] U, at one place. */
static void
multiply(const WinogradPlan *p, int place, int count, const float *v, float *sums)
{
    const int panels = ceil_div(count, TILE_ROWS);
    for (int j = 0; j < p->panels; j++)
        for (int i = 0; i < panels; i++) {
            const int m = partition_begin(i, panels, count);
            tile_compute(&(Tile){.rows = partition_begin(i + 1, panels, count) - m,
                                 .columns = smaller(TILE_COLUMNS, p->O - j * TILE_COLUMNS),
                                 .K = p->shape->channels,
                                 .a = v + (size_t)m * (size_t)p->C,
                                 .b = p->U + ((size_t)place * (size_t)p->panels + (size_t)j) * p->panel,
                                 .a_row = (size_t)p->C,
                                 .a_k = 1,
                                 .b_k = TILE_COLUMNS,
                                 .alpha = 1.0f,
                                 .c = sums + (size_t)m * (size_t)p->O + (size_t)j * TILE_COLUMNS,
                                 .ldc = (size_t)p->O});
        }
}

/* The outputs of tile t, those that the image has, with the epilogue. */
static void
finish_tile(const WinogradPlan *p, int t, const float *sums, size_t step)
{
    const ConvShape *s = p->shape;
    const Pixel first = tile_pixel(p, t);
    const int m = p->winograd->outputs, height = conv_out_height(s), width = conv_out_width(s), out = s->out_channels;
    const int rows = smaller(m, height - first.i), columns = smaller(m, width - first.j);
    const size_t begin = ((size_t)first.b * (size_t)height + (size_t)first.i) * (size_t)width + (size_t)first.j;
    for (int o = 0; o < p->O; o += VECTOR_LANES) {
        Vector sum[WINOGRAD_PLACES_MAX], y[WINOGRAD_PLACES_MAX];
        const int lanes = smaller(VECTOR_LANES, out - o);
        for (int i = 0; i < p->places; i++)
            sum[i] = vector_load(sums + (size_t)i * step + o);
        p->winograd->transform_output(sum, y);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                const size_t at = (begin + (size_t)i * (size_t)width + (size_t)j) * (size_t)out + (size_t)o;
                vector_store_first(p->y + at, epilogue_vector(p->epilogue, o, at, lanes, y[i * m + j]), lanes);
            }
    }
}

/* Tiles first .. first+count-1, with memory for V and M. */
static void
compute_block(const WinogradPlan *p, int first, int count, float *v, float *sums)
{
    const size_t v_step = (size_t)count * (size_t)p->C + APART, sums_step = (size_t)count * (size_t)p->O + APART;
    for (int t = 0; t < count; t++)
        transform_tile(p, first + t, v + (size_t)t * (size_t)p->C, v_step);
    for (int place = 0; place < p->places; place++)
        multiply(p, place, count, v + (size_t)place * v_step, sums + (size_t)place * sums_step);
    for (int t = 0; t < count; t++)
        finish_tile(p, first + t, sums + (size_t)t * (size_t)p->O, sums_step);
}

static int
thread_number(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/* A tile is computed by the same instructions in any block: the number of threads does not change its bits. */
static void
compute_all(const WinogradPlan *p, int threads, float *blocks)
{
    const int count = ceil_div(p->tiles, smaller(BLOCK, ceil_div(p->tiles, threads)));
    const size_t most = (size_t)ceil_div(p->tiles, count), places = (size_t)p->places;
    const size_t v_size = places * (most * (size_t)p->C + APART), sums_size = places * (most * (size_t)p->O + APART);
#pragma omp parallel num_threads(threads)
    {
        float *v = blocks + (size_t)thread_number() * (v_size + sums_size);
#pragma omp for schedule(static)
        for (int i = 0; i < p->panels * p->shape->channels; i++)
            transform_kernels(p, i / p->shape->channels, i % p->shape->channels);
#pragma omp for schedule(static)
        for (int i = 0; i < count; i++) {
            const int first = partition_begin(i, count, p->tiles);
            compute_block(p, first, partition_begin(i + 1, count, p->tiles) - first, v, v + v_size);
        }
    }
}

bool
conv_winograd_accepts(const ConvShape *s)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    return v.kernel == WINOGRAD_KERNEL && u.kernel == WINOGRAD_KERNEL && v.stride == 1 && u.stride == 1 &&
           v.dilation == 1 && u.dilation == 1 && s->groups == 1;
}

void
conv_winograd(const Winograd *winograd, const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue,
              float *y)
{
    const int m = winograd->outputs, height = conv_out_height(s), width = conv_out_width(s);
    WinogradPlan p = {winograd,          s, x, w, epilogue, y, m + 2, (m + 2) * (m + 2), ceil_div(height, m),
                      ceil_div(width, m)};
    p.tiles = s->batch * p.tile_rows * p.tile_columns;
    p.C = ceil_div(s->channels, VECTOR_LANES) * VECTOR_LANES;
    p.O = ceil_div(s->out_channels, VECTOR_LANES) * VECTOR_LANES;
    p.panels = ceil_div(p.O, TILE_COLUMNS);
    p.panel = (size_t)s->channels * TILE_COLUMNS + APART;
    if (p.tiles == 0 || p.O == 0)
        return;
    const double work = (double)p.tiles * p.places * s->channels * p.O;
    const int threads = work < PARALLEL_MIN ? 1 : host_threads();
    const size_t u = (size_t)p.places * (size_t)p.panels * p.panel;
    const size_t block = (size_t)p.places * ((size_t)BLOCK * (size_t)(p.C + p.O) + 2 * APART);
    p.U = workspace(sizeof(float) * (u + (size_t)p.C + (size_t)threads * block));
    p.zeros = p.U + u;
    memset(p.zeros, 0, sizeof(float) * (size_t)p.C);
    compute_all(&p, threads, p.zeros + p.C);
}
