/* PyTorch's order of weights: see torch_layout.h. Both are transpositions of a block of three axes:
 *
 *     convolution           [taps][IC][OC]            [OC][IC][taps]             first and last
 *     dense after an image  [out][pixels][channels]   [out][channels][pixels]    second and last
 *
 * SPDX-License-Identifier: MIT */
#include "nn/torch_layout.h"
#include <string.h>

/* A block [size[0]][size[1]][size[2]] here; there its index (i, j, k) is at i stride[0] + j stride[1] + k stride[2]. */
typedef struct Turn {
    size_t size[3], stride[3];
} Turn;

static Turn
turn_of(const Parameter *p)
{
    if (p->layout == LAYOUT_OF_KERNEL) {
        const size_t taps = p->shape[0] * p->shape[1], in = p->shape[2], out = p->shape[3];
        return (Turn){{taps, in, out}, {1, taps, taps * in}};
    }
    if (p->layout == LAYOUT_OF_IMAGE) {
        const size_t pixels = (size_t)p->image.height * (size_t)p->image.width, channels = (size_t)p->image.channels;
        return (Turn){{p->shape[0], pixels, channels}, {pixels * channels, 1, pixels}};
    }
    return (Turn){{1, 1, p->count}, {0, 0, 1}};
}

void
torch_shape(const Parameter *p, size_t shape[4])
{
    memcpy(shape, p->shape, 4 * sizeof(size_t));
    if (p->layout != LAYOUT_OF_KERNEL)
        return;
    const size_t theirs[4] = {p->shape[3], p->shape[2], p->shape[0], p->shape[1]};
    memcpy(shape, theirs, sizeof(theirs));
}

void
torch_from_ours(const Parameter *p, const float *ours, float *theirs)
{
    const Turn t = turn_of(p);
    for (size_t i = 0; i < t.size[0]; i++)
        for (size_t j = 0; j < t.size[1]; j++)
            for (size_t k = 0; k < t.size[2]; k++)
                theirs[i * t.stride[0] + j * t.stride[1] + k * t.stride[2]] = *ours++;
}

void
torch_to_ours(const Parameter *p, const float *theirs, float *ours)
{
    const Turn t = turn_of(p);
    for (size_t i = 0; i < t.size[0]; i++)
        for (size_t j = 0; j < t.size[1]; j++)
            for (size_t k = 0; k < t.size[2]; k++)
                *ours++ = theirs[i * t.stride[0] + j * t.stride[1] + k * t.stride[2]];
}
