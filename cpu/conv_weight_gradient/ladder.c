/* conv_weight_gradient: the table of rungs. What the driver needs to know of the operation is in cpu/conv/ladder_gradients.h.
 *
 * Winograd's rung may be further off, by the reasoning of cpu/conv/ladder.c. With a_r and b_r, the squared lengths of the rows
 * of A and B^T, the errors of tap (i, j) are sqrt(S_i S_j) / 16 times those of direct sums, S_i = sum over r of G_ri^2 a_r b_r:
 *
 *     S = 13.1, 19.4, 96.8      0.8 times at the first tap, and 6 times at the last
 *
 * The transforms round as well. Measured on 7 x 7 to 56 x 56 pixels, 1 to 16 images: the root mean square of all errors is 2 to 4
 * times that of direct sums, and at most 4e-6 of that of dw. It is given 24 times the tolerance, as it is forward.
 * SPDX-License-Identifier: MIT */
#include "cpu/conv/ladder_gradients.h"
#include "cpu/conv/patches.h"
#include "cpu/conv_weight_gradient/algorithm.h"
#include "cpu/ladders.h"

static size_t
outputs(const int *size)
{
    const ConvShape s = conv_gradient_shape(size);
    return (size_t)s.window.vertical.kernel * (size_t)s.window.horizontal.kernel * (size_t)s.channels *
           (size_t)s.out_channels;
}

static bool
winograd_accepts(const int *size, Error *reason)
{
    const ConvShape s = conv_gradient_shape(size);
    return conv_winograd_accepts(&s) || error_set(reason, "takes 3 x 3 kernels of stride 1");
}

static bool
in_place_accepts(const int *size, Error *reason)
{
    const ConvShape s = conv_gradient_shape(size);
    return conv_is_pointwise(&s) || error_set(reason, "takes 1 x 1 kernels of stride 1 without padding");
}

static double
tolerance_factor_winograd(const int *size)
{
    (void)size;
    return 24.0;
}

static double
tolerance_factor_expert(const int *size)
{
    const ConvShape s = conv_gradient_shape(size);
    return conv_weight_gradient_algorithm(&s) == WEIGHT_GRADIENT_WINOGRAD ? tolerance_factor_winograd(size) : 1.0;
}

static const char *
algorithm_of_expert(const int *size)
{
    static const char *const names[] = {[WEIGHT_GRADIENT_IMPLICIT] = "implicit",
                                        [WEIGHT_GRADIENT_WINOGRAD] = "winograd",
                                        [WEIGHT_GRADIENT_OFFSETS] = "offsets",
                                        [WEIGHT_GRADIENT_IN_PLACE] = "in place",
                                        [WEIGHT_GRADIENT_PLANES] = "planes"};
    const ConvShape s = conv_gradient_shape(size);
    return names[conv_weight_gradient_algorithm(&s)];
}

static const Rung rungs[] = {
    {.name = "direct",
     .idea = "seven loops",
     .file = "cpu/conv_weight_gradient/01_direct.c",
     .function = (LadderFunction *)conv_weight_gradient_direct},
    {.name = "im2col",
     .idea = "patches written out, their transpose times dy by gemm",
     .file = "cpu/conv_weight_gradient/02_im2col.c",
     .function = (LadderFunction *)conv_weight_gradient_im2col},
    {.name = "implicit",
     .idea = "patches gathered into the panels of the micro-kernel",
     .file = "cpu/conv_weight_gradient/03_implicit.c",
     .function = (LadderFunction *)conv_weight_gradient_implicit},
    {.name = "winograd",
     .idea = "36 multiplications instead of 144",
     .file = "cpu/conv_weight_gradient/04_winograd.c",
     .function = (LadderFunction *)conv_weight_gradient_winograd,
     .accepts = winograd_accepts,
     .tolerance_factor = tolerance_factor_winograd},
    {.name = "offsets",
     .idea = "no patches: the micro-kernel reads x by a table of offsets",
     .file = "cpu/conv_weight_gradient/05_offsets.c",
     .function = (LadderFunction *)conv_weight_gradient_offsets,
     .accepts = conv_size_accepts_offsets},
    {.name = "in_place",
     .idea = "1 x 1: nothing is packed, software prefetch",
     .file = "cpu/conv_weight_gradient/06_in_place.c",
     .function = (LadderFunction *)conv_weight_gradient_in_place,
     .accepts = in_place_accepts},
    {.name = "planes",
     .idea = "few out channels: vectorised over pixels",
     .file = "cpu/conv_weight_gradient/07_planes.c",
     .function = (LadderFunction *)conv_weight_gradient_planes,
     .accepts = conv_size_accepts_planes},
    {.name = "expert",
     .idea = "the algorithm chosen by the shape",
     .file = "cpu/conv_weight_gradient/08_expert.c",
     .function = (LadderFunction *)conv_weight_gradient_expert,
     .tolerance_factor = tolerance_factor_expert,
     .algorithm = algorithm_of_expert},
    CONV_GRADIENT_ONEDNN(conv_weight_gradient_onednn_accepts),
};

const Ladder conv_weight_gradient_ladder = {
    .operation = {.name = "conv_weight_gradient",
                  .formula = "dw = the gradient of sum(dy conv(x, w))",
                  .create = conv_weight_gradient_create,
                  .outputs = outputs,
                  CONV_GRADIENT_OPERATION},
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
