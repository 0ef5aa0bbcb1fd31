/* conv_weight_gradient: the table of rungs. What the driver needs to know of the operation is in cpu/conv/ladder_gradients.h.
 * SPDX-License-Identifier: MIT */
#include "cpu/conv/ladder_gradients.h"
#include "cpu/ladders.h"

static size_t
outputs(const int *size)
{
    const ConvShape s = conv_gradient_shape(size);
    return (size_t)s.window.vertical.kernel * (size_t)s.window.horizontal.kernel * (size_t)s.channels *
           (size_t)s.out_channels;
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
    {.name = "expert",
     .idea = "patches gathered into the panels of the micro-kernel",
     .file = "cpu/conv_weight_gradient/03_expert.c",
     .function = (LadderFunction *)conv_weight_gradient_expert},
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
