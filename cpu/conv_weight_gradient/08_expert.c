/* conv_weight_gradient, rung 8: expert.
 * Idea      choose the algorithm by the shape.
 *
 *               3 x 3, stride 1, many channels      Winograd, if there are tiles enough to pay for the transforms
 *               1 x 1, stride 1                     in place: nothing is gathered or packed that need not be
 *               few out channels                    planes: vectors of pixels have no idle lanes
 *               few channels                        offsets: gathering patches would take as long as the product
 *               else                                implicit
 *
 * Before    rung 3 multiplies 9 times for each pixel and pair of channels of a 3 x 3 kernel.
 * Now       2.25 times, where that pays.
 * Wants     nothing. The algorithm, and so the bits, depend on the shape alone, never on the number of threads.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "cpu/conv/conv.h"
#include "cpu/conv/patches.h"
#include "cpu/conv/planes.h"
#include "cpu/conv_weight_gradient/algorithm.h"
#include "cpu/partition.h"

enum {
    CHANNELS_MIN = 16, /* for Winograd */
    FEW_CHANNELS = 32  /* of a group */
};

/* Cycles for each channel and vector of 16 out channels, measured: a multiply-add takes half of one, a fifth more with the
 * gathering of patches; a tile of 4 x 4 pixels has 36 of them, and 250 cycles of transforms for each vector of channels on
 * either side; and the 36 sums cost 260 whatever the number of tiles. */
static bool
winograd_is_better(const ConvShape *s)
{
    const double C = s->channels, O = s->out_channels, height = conv_out_height(s), width = conv_out_width(s);
    const double tiles = (double)s->batch * ceil_div(conv_out_height(s), 4) * ceil_div(conv_out_width(s), 4);
    return C >= CHANNELS_MIN && O >= CHANNELS_MIN &&
           tiles * (36 / 2.0 + 250 / C + 250 / O) + 260 < s->batch * height * width * 9 / 2.0 * 1.2;
}

/* A small dw has not enough rows for all threads, either. */
static bool
offsets_are_better(const ConvShape *s)
{
    return s->channels / s->groups <= FEW_CHANNELS && s->window.horizontal.kernel > 1 && conv_offsets_accepts(s);
}

ConvWeightGradientAlgorithm
conv_weight_gradient_algorithm(const ConvShape *s)
{
    if (conv_is_pointwise(s))
        return WEIGHT_GRADIENT_IN_PLACE;
    if (conv_winograd_accepts(s) && winograd_is_better(s))
        return WEIGHT_GRADIENT_WINOGRAD;
    if (conv_planes_pay(s))
        return WEIGHT_GRADIENT_PLANES;
    return offsets_are_better(s) ? WEIGHT_GRADIENT_OFFSETS : WEIGHT_GRADIENT_IMPLICIT;
}

void
conv_weight_gradient_expert(const ConvShape *s, const float *x, const float *dy, float *dw)
{
    static ConvWeightGradient *const algorithms[] = {[WEIGHT_GRADIENT_IMPLICIT] = conv_weight_gradient_implicit,
                                                     [WEIGHT_GRADIENT_WINOGRAD] = conv_weight_gradient_winograd,
                                                     [WEIGHT_GRADIENT_OFFSETS] = conv_weight_gradient_offsets,
                                                     [WEIGHT_GRADIENT_IN_PLACE] = conv_weight_gradient_in_place,
                                                     [WEIGHT_GRADIENT_PLANES] = conv_weight_gradient_planes};
    algorithms[conv_weight_gradient_algorithm(s)](s, x, dy, dw);
}
