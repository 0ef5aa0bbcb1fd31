/* conv, rung 7: expert.
 * Idea      every shape its own way.
 *
 *               3 x 3, stride 1, many channels      Winograd, with the tiles that take fewer cycles, transforms included
 *               few channels                        offsets: writing patches would take as long as the product
 *               w fits the second cache             blocks of pixels: a thread writes the patches of one, multiplies, and finishes
 *                                                   its outputs before it goes on; all are then still in its second cache
 *               else                                rung 2: what matters is that w is packed once
 *
 *           gemm has tiles for every edge, and reads w where it lies, which is why blocks beat the five loops of rung 3.
 * Before    patches, or tiles that are not worth their transforms, pass through memory.
 * Now       every array does so once.
 * Wants     nothing. The way, the blocks and so the bits depend on the shape alone, never on the number of threads.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/workspace.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/epilogue.h"
#include "cpu/conv/patches.h"
#include "cpu/conv/way.h"
#include "cpu/five_loops.h"
#include "cpu/gemm/gemm.h"

enum {
    W_FITS = 1 << 19,     /* floats: gemm reads a B of at most so many where it lies */
    K_FITS = 2304,        /* terms of a sum: a block has ROWS_MIN patches at least */
    PATCHES = 1 << 16,    /* floats of a block of patches, 256 KiB */
    ROWS_MIN = 56,        /* of a block */
    Y_IS_SMALL = 1 << 18, /* floats: finished later, it is still in cache */
    CHANNELS_MIN = 16,    /* for Winograd */
    FEW_CHANNELS = 32     /* of a group */
};
#define PARALLEL_MIN 1e6

/* Cycles for each vector of 16 floats, measured: a multiply-add takes half of one; the transform of a tile of inputs, or back, so
 * many; and each vector of transformed kernels 8 where they fit the second cache or near it, more where they go to memory. */
typedef struct WinogradCost {
    int outputs, places;
    double tile;
} WinogradCost;

static double
winograd_cycles(const ConvShape *s, WinogradCost cost)
{
    const double C = s->channels, O = s->out_channels, lanes = 16.0, U = cost.places * C * O * sizeof(float);
    const double tiles =
        (double)s->batch * parts_of(conv_out_height(s), cost.outputs) * parts_of(conv_out_width(s), cost.outputs);
    const double write = U < 6e6 ? 8.0 : U < 12e6 ? 16.0 : 36.0;
    return tiles * cost.places * C * O / lanes / 2.0 + tiles * cost.tile * (C + O) / lanes +
           cost.places * C * O / lanes * write;
}

ConvWay
conv_expert_way(const ConvShape *s)
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
    if (s->window.horizontal.kernel > 1 && s->channels / s->groups <= FEW_CHANNELS && conv_offsets_accepts(s))
        return CONV_OFFSETS;
    if (K > K_FITS || K * N > W_FITS || M < 2 * ROWS_MIN || (conv_is_pointwise(s) && M * s->out_channels <= Y_IS_SMALL))
        return CONV_WHOLE;
    return CONV_BLOCKS;
}

/* One call. */
typedef struct Job {
    const ConvShape *shape;
    const float *x, *w;
    const ConvEpilogue *epilogue;
    float *y;
} Job;

/* Output pixels first .. first+count-1. */
static void
compute_block(const Job *job, size_t first, size_t count)
{
    const ConvShape *s = job->shape;
    const int K = (int)conv_patch_size(s), channels = s->channels / s->groups, N = s->out_channels / s->groups;
    const bool in_place = conv_is_pointwise(s);
    const size_t row = (size_t)s->out_channels;
    float *patches = in_place ? NULL : workspace_outer(sizeof(float) * count * (size_t)K);
    for (int g = 0; g < s->groups; g++) {
        if (!in_place)
            conv_write_patches(s, job->x, first, count, g, patches);
        const float *A = in_place ? job->x + first * (size_t)s->channels + (size_t)(g * channels) : patches;
        gemm_expert(false, false, (int)count, N, K, 1.0f, A, in_place ? s->channels : K, job->w + g * N,
                    s->out_channels, 0.0f, job->y + first * row + (size_t)(g * N), s->out_channels);
    }
    for (size_t m = first; job->epilogue != NULL && m < first + count; m++)
        conv_finish(job->epilogue, 0, m * row, s->out_channels, job->y);
}

static void
compute_blocks(const Job *job)
{
    const int M = (int)conv_out_pixels(job->shape), K = (int)conv_patch_size(job->shape) + 1;
    const int rows = PATCHES / K > ROWS_MIN ? PATCHES / K : ROWS_MIN;
    const int count = parts_of(M, rows < M / 4 ? rows : parts_of(M, 4));
#pragma omp parallel for schedule(static)                                                                              \
    num_threads(host_threads()) if ((double)M * K * job->shape->out_channels >= PARALLEL_MIN)
    for (int i = 0; i < count; i++) {
        const int first = part_begin(i, count, M);
        compute_block(job, (size_t)first, (size_t)(part_begin(i + 1, count, M) - first));
    }
}

void
conv_expert(const ConvShape *s, const float *x, const float *w, const ConvEpilogue *epilogue, float *y)
{
    switch (conv_expert_way(s)) {
    case CONV_WHOLE:
        conv_im2col(s, x, w, epilogue, y);
        return;
    case CONV_BLOCKS:
        compute_blocks(&(Job){s, x, w, epilogue, y});
        return;
    case CONV_OFFSETS:
        conv_offsets(s, x, w, epilogue, y);
        return;
    case CONV_WINOGRAD_2x2:
        conv_winograd_2x2(s, x, w, epilogue, y);
        return;
    case CONV_WINOGRAD_4x4:
        conv_winograd_4x4(s, x, w, epilogue, y);
        return;
    }
}
