/* conv, rung 6: offsets.
 * Idea      no patches at all. The pixels of a row of y see windows that lie at equal distances in x, and every window has the same
 *           form. So the micro-kernel can read x itself, if a table tells it where step k of the sum lies:
 *
 *               a(m, k) = x[begin + m stride C + offset[k]]        m: pixels of one row of y
 *
 *               window of pixel m     offset[k]              0  1  2 ..          first row of the kernel: KW C floats
 *               [ # # # ]             and, a row of x later  R  R+1  R+2 ..
 *               [ # # # ]
 *
 *           An image with padding is first copied into a larger one with zeros around it: a pass over x, not KH KW of them.
 * Before    rung 3 copies each pixel of x KH KW times into panels. With few channels that takes as long as the product.
 * Now       each thread reads x from its cache, where the windows overlap. A row of y is partitioned into tiles of about equal
 *           height: 7 pixels into 4 and 3, and each of the two reads all of w's panel.
 * Wants     nothing. The tiles depend on the shape alone, never on the number of threads, and so do the bits.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/padded.h"
#include "cpu/conv/product.h"
#include "cpu/partition.h"

enum {
    K_BLOCK = 1024,
    IMAGES = 1 << 18 /* floats of the images that are multiplied by a panel of w, before the next panel: 1 MiB */
};

typedef struct OffsetsPlan {
    ConvProduct product;
    ConvShape padded;                    /* the shape with its padding inside the image */
    const float *x;                      /* [batch][padded.height][padded.width][channels] */
    const int *offset;                   /* [K] */
    float *panels;                       /* of w, packed: [panels of columns][K][tile columns] */
    int tile_columns, tile_rows, images; /* at a time */
} OffsetsPlan;

/* Row i of image b of y, some of its columns, some of the sum. */
static void
multiply_row(const OffsetsPlan *p, int b, int i, GemmBlock part, const float *panel)
{
    const ConvShape *s = &p->padded;
    const int width = conv_out_width(s), panels = ceil_div(width, p->tile_rows), stride = s->window.horizontal.stride;
    const int row = (b * conv_out_height(s) + i) * width;
    const float *first = p->x + (size_t)b * conv_image_size(s) + p->product.group * (s->channels / s->groups) +
                         (size_t)i * (size_t)s->window.vertical.stride * (size_t)s->width * (size_t)s->channels;
    for (int t = 0; t < panels; t++) {
        const int j = partition_begin(t, panels, width);
        part.m = row + j;
        part.rows = partition_begin(t + 1, panels, width) - j;
        conv_compute_tile(&p->product, &part,
                          (Tile){.a = first + (size_t)j * (size_t)stride * (size_t)s->channels,
                                 .a_row = (size_t)stride * (size_t)s->channels,
                                 .offset = p->offset + part.k},
                          panel);
    }
}

/* Rows begin .. end-1 of all rows of y of the batch. */
static void
multiply_rows(const OffsetsPlan *p, int begin, int end)
{
    const int height = conv_out_height(&p->padded), K = p->product.K, blocks = K > 0 ? ceil_div(K, K_BLOCK) : 1;
    const int rows = p->images * height;
    for (int from = begin; from < end; from += rows)
        for (int block = 0; block < blocks; block++)
            for (int n = 0; n < p->product.columns; n += p->tile_columns) {
                GemmBlock part = {.n = n, .columns = smaller(p->tile_columns, p->product.columns - n)};
                part.k = partition_begin(block, blocks, K);
                part.K = partition_begin(block + 1, blocks, K) - part.k;
                const float *panel = p->panels + (size_t)n * (size_t)K + (size_t)part.k * (size_t)p->tile_columns;
                for (int row = from; row < smaller(from + rows, end); row++)
                    multiply_row(p, row / height, row % height, part, panel);
            }
}

static void
multiply_group(OffsetsPlan *p, int threads)
{
    const ConvProduct *product = &p->product;
    const int rows = product->shape->batch * conv_out_height(&p->padded);
    const int panels = ceil_div(product->columns, p->tile_columns), width = p->tile_columns;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (int j = 0; j < panels; j++)
            conv_pack_w(product, j * width, smaller(width, product->columns - j * width), 0, product->K,
                        p->panels + (size_t)j * (size_t)width * (size_t)product->K);
#pragma omp for schedule(static)
        for (int t = 0; t < threads; t++)
            multiply_rows(p, partition_begin(t, threads, rows), partition_begin(t + 1, threads, rows));
    }
}

bool
conv_offsets_accepts(const ConvShape *s)
{
    return conv_padded_accepts(s);
}

void
conv_offsets(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    OffsetsPlan p = {
        .product = {.shape = s, .w = w, .epilogue = epilogue, .y = y, .columns = s->out_channels / s->groups},
        .padded = conv_padded_shape(s),
        .x = x};
    const size_t pixels = conv_out_pixels(s);
    if (pixels == 0 || s->out_channels == 0)
        return;
    p.product.K = (int)conv_patch_size(s);
    p.tile_columns = conv_tile_columns(&p.product);
    p.tile_rows = conv_tile_rows(&p.product);
    p.images = smaller(1 + (int)(IMAGES / (conv_image_size(&p.padded) + 1)), s->batch);
    const bool pads = conv_image_size(&p.padded) != conv_image_size(s);
    const int threads = conv_threads(&p.product, pixels), K = p.product.K;
    const size_t w_size = (size_t)ceil_div(p.product.columns, p.tile_columns) * (size_t)p.tile_columns * (size_t)K;
    const size_t x_size = pads ? (size_t)s->batch * conv_image_size(&p.padded) : 0;
    float *space = workspace(sizeof(float) * (w_size + x_size + (size_t)K + 4 * VECTOR_LANES));
    p.panels = space;
    float *padded = space + w_size + VECTOR_LANES;
    void *const behind = padded + x_size;
    int *const offset = behind;
    conv_patch_offsets(s, p.padded.width * s->channels, s->channels, 1, offset);
    p.offset = offset;
    if (pads) {
        conv_write_padded(s, x, padded, threads);
        p.x = padded;
    }
    for (p.product.group = 0; p.product.group < s->groups; p.product.group++)
        multiply_group(&p, threads);
}
