/* conv_input_gradient: the table of rungs. What the driver needs to know of the operation is in cpu/conv/ladder_gradients.h.
 * SPDX-License-Identifier: MIT */
#include "cpu/conv/ladder_gradients.h"
#include "cpu/ladders.h"

static size_t
outputs(const int *size)
{
    const ConvShape s = conv_gradient_shape(size);
    return (size_t)s.batch * (size_t)s.height * (size_t)s.width * (size_t)s.channels;
}

static const Rung rungs[] = {
    {.name = "direct",
     .idea = "seven loops",
     .file = "cpu/conv_input_gradient/01_direct.c",
     .function = (LadderFunction *)conv_input_gradient_direct},
    {.name = "col2im",
     .idea = "dy w^T by gemm, patches added to their pixels",
     .file = "cpu/conv_input_gradient/02_col2im.c",
     .function = (LadderFunction *)conv_input_gradient_col2im},
    {.name = "expert",
     .idea = "a product for each phase of the stride, patches of dy gathered as they are packed",
     .file = "cpu/conv_input_gradient/03_expert.c",
     .function = (LadderFunction *)conv_input_gradient_expert},
    CONV_GRADIENT_ONEDNN(conv_input_gradient_onednn_accepts),
};

const Ladder conv_input_gradient_ladder = {
    .operation = {.name = "conv_input_gradient",
                  .formula = "dx = the gradient of sum(dy conv(x, w))",
                  .create = conv_input_gradient_create,
                  .outputs = outputs,
                  CONV_GRADIENT_OPERATION},
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
