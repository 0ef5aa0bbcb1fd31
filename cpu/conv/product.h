/* A convolution as the product of the matrix of patches and w, for the five loops (cpu/gemm/five_loops.h): what the rungs share
 * that do not call gemm. A group is a product of its own.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_PRODUCT_H
#define CPU_CONV_PRODUCT_H

#include "cpu/conv/patches.h"
#include "cpu/gemm/five_loops.h"
#include "cpu/gemm/micro_kernel.h"

typedef struct ConvProduct {
    const ConvShape *shape;
    const float *x, *w;
    const Epilogue *epilogue;
    float *y;
    int group;
    int columns; /* out_channels / groups */
    int K;       /* conv_patch_size */
} ConvProduct;

/* Columns of a tile, and the rows that there are registers for. */
int conv_tile_columns(const ConvProduct *p);
int conv_tile_rows(const ConvProduct *p);

/* PackPanel of the five loops: w, in panels of TILE_COLUMNS. */
PackPanel conv_pack_w;

/* A tile of y, from pixel m and column n of the group on: a tells where the patches are, b the weights (NULL: in place). K,
 * beta and the columns are set here. The epilogue follows the last of the sum. */
void conv_compute_tile(const ConvProduct *p, const GemmBlock *part, Tile tile, const float *b);

/* Whether packing w pays for a product with `rows` rows of y. */
bool conv_packs_w(const ConvProduct *p, size_t rows);

/* Number of threads that this amount of work pays for. */
int conv_threads(const ConvProduct *p, size_t rows);

#endif
