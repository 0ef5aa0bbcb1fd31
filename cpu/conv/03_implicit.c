/* conv, rung 3: implicit.
 * Idea      the five loops of gemm, whose packing takes the patches straight from x: the matrix of patches is never written.
 *
 *               im2col     x -> patches (memory) -> panels of A (cache) -> micro-kernel
 *               implicit   x -> panels of A (cache) -> micro-kernel -> epilogue, on a tile that is still in the L1 cache
 *
 *           A panel holds one patch for each row of a tile, one behind the other: packing is copying. A 1x1
 *           convolution of stride 1 is not packed at all.
 * Before    im2col writes and reads KH KW times the image, and passes over y again for the epilogue.
 * Now       x is read from memory once, y written once.
 * Wants     nothing. The blocks depend on the shape alone, never on the number of threads, and so do the bits.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "cpu/conv/conv.h"
#include "cpu/conv/product.h"
#include "cpu/partition.h"

enum {
    K_BLOCK = 1024,
    N_BLOCK = 2048,
    A_BLOCK = 1 << 16 /* floats of packed patches, 256 KiB: a part of the L2 cache */
};

/* panel[rows][K]: a row for each pixel. */
static void
pack_patches(const void *product, int m, int rows, int k, int K, void *panel)
{
    const ConvProduct *p = product;
    Pixel pixel = conv_pixel(p->shape, (size_t)m);
    for (float *row = panel; rows > 0; rows--, row += K) {
        conv_write_patch(p->shape, p->x, pixel, p->group, k, K, row);
        pixel = conv_next_pixel(p->shape, pixel);
    }
}

static void
compute(const void *product, const GemmBlock *part, const void *a, const void *b)
{
    const ConvProduct *p = product;
    const size_t channels = (size_t)p->shape->channels;
    const float *pixel = p->x + (size_t)part->m * channels + (size_t)p->group * (channels / (size_t)p->shape->groups);
    const Tile tile = {.a = a != NULL ? a : pixel + part->k, .a_row = a != NULL ? (size_t)part->K : channels, .a_k = 1};
    conv_compute_tile(p, part, tile, b);
}

void
conv_implicit(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    ConvProduct p = {.shape = s, .x = x, .w = w, .epilogue = epilogue, .y = y, .columns = s->out_channels / s->groups};
    const size_t pixels = conv_out_pixels(s);
    p.K = (int)conv_patch_size(s);
    const int block = A_BLOCK / (smaller(p.K, K_BLOCK) + 1) / conv_tile_rows(&p) + 1;
    for (p.group = 0; p.group < s->groups; p.group++)
        five_loops(&(FiveLoops){.M = (int)pixels,
                                .N = p.columns,
                                .K = p.K,
                                .tile_rows = conv_tile_rows(&p),
                                .tile_columns = conv_tile_columns(&p),
                                .M_block = block * conv_tile_rows(&p),
                                .N_block = N_BLOCK,
                                .K_block = K_BLOCK,
                                .pack_a = conv_is_pointwise(s) ? NULL : pack_patches,
                                .pack_b = conv_packs_w(&p, pixels) ? conv_pack_w : NULL,
                                .compute = compute,
                                .product = &p,
                                .threads = conv_threads(&p, pixels)});
}
