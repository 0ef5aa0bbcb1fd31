/* What the two rungs of Winograd share: everything but the transforms.
 *
 * A tile of outputs [m][m] of a 3 x 3 kernel sees a tile of inputs [m+2][m+2]. Direct sums take 9 m m multiplications for each pair
 * of channels; Winograd's algorithm takes one for each of the (m+2)(m+2) places of the transformed tiles:
 *
 *     input tile d  -> V = B^T d B          Y = A^T [ U . V ] A          . place by place, summed over input channels
 *     kernel     g  -> U = G g G^T
 *
 * B, G and A are constant matrices of small numbers. The sum over channels makes of each place a product of matrices:
 *
 *     V[place][tile][channel]  times  U[place][channel][out channel]  =  M[place][tile][out channel]      for each of the places
 *
 *     m = 2   16 places for 4 outputs,  4 multiplications an output instead of 9:   2.25 times fewer
 *     m = 4   36 places for 16 outputs, 2.25:                                       4 times fewer
 *
 * The transforms cost some hundred additions for a tile and channel, whatever the number of the other channels: with few
 * channels there is no gain. Numbers grow in them before they shrink again, so errors are larger (cpu/conv/ladder.c), and an
 * infinity or NaN reaches all outputs of its tile.
 * Source    Lavin, Gray: Fast algorithms for convolutional neural networks, 2015, arXiv:1509.09308.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_WINOGRAD_H
#define CPU_CONV_WINOGRAD_H

#include "core/vector.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/patches.h"

enum { WINOGRAD_KERNEL = 3, WINOGRAD_TILE_MAX = 6, WINOGRAD_PLACES_MAX = WINOGRAD_TILE_MAX * WINOGRAD_TILE_MAX };

/* Each lane of a Vector is a channel: the transforms do the same to all of them. Tiles are row-major. */
typedef struct Winograd {
    int outputs;                                            /* m */
    void (*transform_input)(const Vector *d, Vector *v);    /* [m+2][m+2] to [m+2][m+2] */
    void (*transform_kernel)(const Vector *g, Vector *u);   /* [3][3] to [m+2][m+2] */
    void (*transform_output)(const Vector *sum, Vector *y); /* [m+2][m+2] to [m][m] */
} Winograd;

/* One line through a transform: elements `step` apart. */
typedef void WinogradLine(const Vector *from, int from_step, Vector *to, int to_step);

/* Both directions: every column of from[p][p] becomes one of q elements, then every row. Inlined with constant line, p and q. */
static inline __attribute__((always_inline)) void
winograd_transform(WinogradLine *line, const int p, const int q, const Vector *from, Vector *to)
{
    Vector columns[WINOGRAD_PLACES_MAX]; /* [q][p] */
    for (int c = 0; c < p; c++)
        line(from + c, p, columns + c, p);
    for (int r = 0; r < q; r++)
        line(columns + r * p, 1, to + r * q, 1);
}

/* V = B^T d B of m = 4. The gradient of the weights begins with it, too (cpu/conv_weight_gradient/04_winograd.c). */
void conv_winograd_4x4_input(const Vector *d, Vector *v);

/* Pointers to the inputs of the tile [tile][tile] that begins at the window of output pixel `first`; pixels outside the image
 * point to `zeros`. */
static inline void
winograd_input_pixels(const ConvShape *s, const float *x, Pixel first, int tile, const float *zeros,
                      const float **pixel)
{
    for (int i = 0; i < tile * tile; i++) {
        const int h = window_begin(s->window.vertical, first.i) + i / tile;
        const int w = window_begin(s->window.horizontal, first.j) + i % tile;
        const float *inside = conv_input_pixel(s, x, first.b, h, w);
        pixel[i] = inside != NULL ? inside : zeros;
    }
}

void conv_winograd(const Winograd *winograd, const ConvShape *shape, const float *x, const float *w,
                   const Epilogue *epilogue, float *y);

#endif
