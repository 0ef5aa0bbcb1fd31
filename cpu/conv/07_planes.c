/* conv, rung 7: planes.
 * Idea      with fewer out channels than a vector has lanes, vectorise over pixels (output width) instead. A vector of a row of
 *           x meets one weight, and all pixels of a row of y that it holds get their term at once:
 *
 *               over out channels    y[j][ o0 o1 o2 o3 o4 o5 . . . . . . . . . . ] += x[j] w[..]      6 of 16 lanes used
 *               over pixels          y[o][ j0 j1 j2 j3 j4 j5 j6 .. .. .. .. .. j15 ] += x[j..] w[o]   all of them
 *
 *           For that the pixels of a row have to be contiguous: x is copied to planes, one for each channel, with its padding.
 *           The sums are transposed in registers, 16 pixels at a time.
 * Before    rung 6 computes lanes that are never used.
 * Now       LeNet's first layer, 1 channel to 6, takes 2.3 times fewer multiply-adds.
 * Wants     out channels for at most half a vector, one group, no stride along the rows.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/vector.h"
#include "core/workspace.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/padded.h"
#include "cpu/conv/patches.h"
#include "cpu/conv/planes.h"
#include "cpu/epilogue.h"
#include "cpu/partition.h"

#define PARALLEL_MIN 1e6

typedef struct PlanesPlan {
    const ConvShape *shape;
    Planes planes;
    const int *offset; /* [K]: from the first float of a window to those of its patch, in the order of w's rows */
    int K;
    const float *w;
    const Epilogue *epilogue;
    float *y;
} PlanesPlan;

/* `count` pixels of a row of y, the first of which sees the window at x and is number `at` of all. Inlined with a constant number
 * of out channels, so that the sums stay in registers. */
static inline __attribute__((always_inline)) void
compute_pixels(int out, const PlanesPlan *p, const float *x, size_t at, int count)
{
    Vector sum[PLANES_VECTORS][VECTOR_LANES] = {{{0}}}; /* of pixels; [out] are used, the others make it a square */
    const float *w = p->w;
    for (int k = 0; k < p->K; k++, w += out)
        for (int v = 0; v < PLANES_VECTORS; v++) {
            const Vector pixels = vector_load(x + p->offset[k] + v * VECTOR_LANES);
            for (int o = 0; o < out; o++)
                sum[v][o] += w[o] * pixels;
        }
    for (int v = 0; v < PLANES_VECTORS; v++) {
        vector_transpose(sum[v]);
        for (int j = 0; j < smaller(VECTOR_LANES, count - v * VECTOR_LANES); j++) {
            const size_t to = (at + (size_t)(v * VECTOR_LANES + j)) * (size_t)out;
            vector_store_first(p->y + to, epilogue_vector(p->epilogue, 0, to, out, sum[v][j]), out);
        }
    }
}

/* Row `line` of all rows of y. */
static inline __attribute__((always_inline)) void
compute_line(int out, const PlanesPlan *p, int line)
{
    const ConvShape *s = p->shape;
    const int height = conv_out_height(s), width = conv_out_width(s);
    const float *x = p->planes.x + (size_t)(line / height) * p->planes.image +
                     (size_t)(line % height * s->window.vertical.stride) * p->planes.row;
    for (int j = 0; j < width; j += PLANES_PIXELS)
        compute_pixels(out, p, x + j, (size_t)line * (size_t)width + (size_t)j, smaller(PLANES_PIXELS, width - j));
}

static void
compute_line_of(const PlanesPlan *p, int line)
{
    switch (p->shape->out_channels) {
        PLANES_CASES(compute_line, p, line)
    }
}

void
conv_planes(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    PlanesPlan p = {.shape = s, .K = (int)conv_patch_size(s), .w = w, .epilogue = epilogue, .y = y};
    const int lines = s->batch * conv_out_height(s);
    if (conv_out_pixels(s) == 0)
        return;
    const double work = (double)conv_out_pixels(s) * s->out_channels * p.K;
    const int threads = work < PARALLEL_MIN ? 1 : host_threads();
    const size_t size = conv_planes_size(s);
    float *space = workspace(sizeof(float) * (size + (size_t)p.K));
    void *const behind = space + size;
    p.planes = conv_write_planes(s, x, space, threads);
    conv_patch_offsets(s, (int)p.planes.row, 1, (int)p.planes.plane, behind);
    p.offset = behind;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int line = 0; line < lines; line++)
        compute_line_of(&p, line);
}
