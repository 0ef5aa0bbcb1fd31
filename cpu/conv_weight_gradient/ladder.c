/* conv_weight_gradient: the table of rungs. What the driver needs to know of the operation is in cpu/conv/ladder_gradients.h.
 * SPDX-License-Identifier: MIT */
#include "cpu/conv/ladder_gradients.h"
#include "cpu/ladders.h"
#include "cpu/onednn.h"

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
    {.name = "onednn",
     .idea = "the primitive, layouts converted before",
     .file = "cpu/conv/ladder_gradients_onednn.c",
     .function = (LadderFunction *)conv_gradient_onednn_run,
     .peer = true,
     .accepts = conv_weight_gradient_onednn_accepts,
     .describe = onednn_describe,
     .use_threads = onednn_use_threads,
     .prepare = conv_gradient_onednn_prepare,
     .fetch = conv_gradient_onednn_fetch,
     .looser = conv_gradient_onednn_looser,
     .way = conv_gradient_onednn_way},
};

const Ladder conv_weight_gradient_ladder = {
    .operation = {.name = "conv_weight_gradient",
                  .formula = "dw = the gradient of sum(dy conv(x, w))",
                  .dimensions = CONV_GRADIENT_DIMENSIONS,
                  .dimension_count = CONV_NUMBERS,
                  .counts = CONV_PADDING,
                  .tolerance = CONV_GRADIENT_TOLERANCE,
                  .lecture = "lectures/03-convolution.md",
                  .create = conv_weight_gradient_create,
                  .refresh = conv_gradient_refresh,
                  .reference = conv_gradient_reference,
                  .call = conv_gradient_call,
                  .destroy = conv_gradient_destroy,
                  .outputs = outputs,
                  .flops = conv_gradient_flops,
                  .bytes = conv_gradient_bytes},
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
