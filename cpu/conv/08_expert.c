/* conv, rung 8: expert.
 * Idea      choose the algorithm by the shape.
 *
 *               1 x 1, stride 1                     gemm: x is the matrix of patches
 *               3 x 3, stride 1, many channels      Winograd, with the tiles that take fewer cycles, transforms included
 *               few out channels                    planes: vectors of pixels have no idle lanes
 *               few channels                        offsets: writing patches would take as long as the product
 *               w fits the L2 cache                 blocks of pixels: a thread writes the patches of one and multiplies
 *                                                   while they are still in its L2 cache
 *               else                                rung 2: what matters is that w is packed once
 *
 *           gemm has edge tiles of every size, and reads w in place, which is why blocks beat the five loops of rung 3.
 * Before    patches, or tiles that are not worth their transforms, pass through memory.
 * Now       every array does so once.
 * Wants     nothing. The algorithm, the blocks and so the bits depend on the shape alone, never on the number of threads.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/workspace.h"
#include "cpu/conv/algorithm.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/patches.h"
#include "cpu/conv/planes.h"
#include "cpu/five_loops.h"
#include "cpu/gemm/gemm.h"
#include <limits.h>

enum {
    W_FITS = 1 << 19,  /* floats: gemm reads a B of at most this size in place */
    K_FITS = 2304,     /* terms of a sum: a block has ROWS_MIN patches at least */
    PATCHES = 1 << 16, /* floats of a block of patches, 256 KiB */
    ROWS_MIN = 56,     /* of a block */
    CHANNELS_MIN = 16, /* for Winograd */
    FEW_CHANNELS = 32  /* of a group */
};
#define PARALLEL_MIN 1e6

/* Cycles for each vector of 16 floats, measured: a multiply-add takes half of one; the transform of a tile of inputs, or back,
 * the numbers below; and each vector of transformed kernels 8 where they about fit the L2 cache, more where they come from
 * memory. */
typedef struct WinogradCost {
    int outputs, places;
    double tile;
} WinogradCost;

static double
winograd_cycles(const ConvShape *s, WinogradCost cost)
{
    const double C = s->channels, O = s->out_channels, lanes = 16.0, U = cost.places * C * O * sizeof(float);
    const double tiles =
        (double)s->batch * ceil_div(conv_out_height(s), cost.outputs) * ceil_div(conv_out_width(s), cost.outputs);
    const double write = U < 6e6 ? 8.0 : U < 12e6 ? 16.0 : 36.0;
    return tiles * cost.places * C * O / lanes / 2.0 + tiles * cost.tile * (C + O) / lanes +
           cost.places * C * O / lanes * write;
}

ConvAlgorithm
conv_expert_algorithm(const ConvShape *s)
{
    const double M = (double)conv_out_pixels(s), N = s->out_channels / s->groups, K = (double)conv_patch_size(s);
    const double direct = M * K * s->out_channels / 32.0;
    if (conv_winograd_accepts(s) && s->channels >= CHANNELS_MIN && s->out_channels >= CHANNELS_MIN) {
        const double by_2 = winograd_cycles(s, (WinogradCost){2, 16, 60.0});
        const double by_4 = winograd_cycles(s, (WinogradCost){4, 36, 250.0});
        if (by_4 < by_2 && by_4 < direct)
            return CONV_WINOGRAD_4x4;
        if (by_2 < direct)
            return CONV_WINOGRAD_2x2;
    }
    if (conv_planes_pay(s))
        return CONV_PLANES;
    if (s->window.horizontal.kernel > 1 && s->channels / s->groups <= FEW_CHANNELS && conv_offsets_accepts(s))
        return CONV_OFFSETS;
    if (conv_is_pointwise(s) && M < INT_MAX)
        return CONV_GEMM;
    return K > K_FITS || K * N > W_FITS || M < 2 * ROWS_MIN ? CONV_IM2COL : CONV_BLOCKS;
}

/* One call. */
typedef struct Job {
    const ConvShape *shape;
    const float *x, *w;
    const Epilogue *epilogue;
    float *y;
} Job;

/* Output pixels first .. first+count-1 of a group, whose patches, or pixels of x, are `step` floats apart. */
static void
multiply(const Job *job, const float *patches, int step, size_t first, size_t count, int g)
{
    const ConvShape *s = job->shape;
    const int K = (int)conv_patch_size(s), N = s->out_channels / s->groups;
    const size_t at = first * (size_t)s->out_channels + (size_t)(g * N);
    Epilogue e = {0};
    if (job->epilogue != NULL) {
        e.bias = job->epilogue->bias == NULL ? NULL : job->epilogue->bias + g * N;
        e.residual = job->epilogue->residual == NULL ? NULL : job->epilogue->residual + at;
        e.relu = job->epilogue->relu;
    }
    gemm_expert_epilogue(false, false, (int)count, N, K, 1.0f, patches, step, job->w + g * N, s->out_channels, 0.0f,
                         job->y + at, s->out_channels, job->epilogue == NULL ? NULL : &e);
}

static void
compute_block(const Job *job, size_t first, size_t count)
{
    const ConvShape *s = job->shape;
    const int K = (int)conv_patch_size(s);
    float *patches = workspace_outer(sizeof(float) * count * (size_t)K);
    for (int g = 0; g < s->groups; g++) {
        conv_write_patches(s, job->x, first, count, g, patches);
        multiply(job, patches, K, first, count, g);
    }
}

static void
by_blocks(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    const int M = (int)conv_out_pixels(s), K = (int)conv_patch_size(s) + 1;
    const int rows = PATCHES / K > ROWS_MIN ? PATCHES / K : ROWS_MIN;
    const int count = ceil_div(M, rows < M / 4 ? rows : ceil_div(M, 4));
#pragma omp parallel for schedule(static)                                                                              \
    num_threads(host_threads()) if ((double)M * K * s->out_channels >= PARALLEL_MIN)
    for (int i = 0; i < count; i++) {
        const int first = partition_begin(i, count, M);
        compute_block(&(Job){s, x, w, epilogue, y}, (size_t)first, (size_t)(partition_begin(i + 1, count, M) - first));
    }
}

static void
by_gemm(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    for (int g = 0; g < s->groups; g++)
        multiply(&(Job){s, x, w, epilogue, y}, x + g * (s->channels / s->groups), s->channels, 0, conv_out_pixels(s),
                 g);
}

void
conv_expert(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    static ConvForward *const algorithms[] = {[CONV_GEMM] = by_gemm,
                                              [CONV_IM2COL] = conv_im2col,
                                              [CONV_BLOCKS] = by_blocks,
                                              [CONV_WINOGRAD_2x2] = conv_winograd_2x2,
                                              [CONV_WINOGRAD_4x4] = conv_winograd_4x4,
                                              [CONV_OFFSETS] = conv_offsets,
                                              [CONV_PLANES] = conv_planes};
    algorithms[conv_expert_algorithm(s)](s, x, w, epilogue, y);
}
