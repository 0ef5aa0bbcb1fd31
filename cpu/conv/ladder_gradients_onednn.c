/* The gradients of convolution, peers: the primitives of oneDNN. The last one is kept, as a framework keeps those of its layers.
 * Not for several threads at once.
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "cpu/conv/ladder_gradients.h"
#include "cpu/onednn_conv.h"
#include <string.h>

static ConvShape made_for; /* int alone: no gaps, so that memcmp compares */
static OnednnConvKind made_as;
static OnednnConv *conv;

static OnednnConv *
keep(OnednnConvKind kind, const ConvShape *shape, Error *error)
{
    if (conv != NULL && made_as == kind && memcmp(&made_for, shape, sizeof made_for) == 0)
        return conv;
    onednn_conv_free(conv);
    made_for = *shape;
    made_as = kind;
    return conv = onednn_conv_create(kind, shape, error);
}

static bool
accepts(OnednnConvKind kind, const int *size, Error *reason)
{
    const ConvShape s = conv_gradient_shape(size);
    for (int i = 0; i < CONV_PADDING; i++)
        if (size[i] == 0)
            return error_set(reason, "takes no size of 0");
    return conv_out_height(&s) > 0 && conv_out_width(&s) > 0
               ? keep(kind, &s, reason) != NULL
               : error_set(reason, "takes no window larger than the image");
}

bool
conv_input_gradient_onednn_accepts(const int *size, Error *reason)
{
    return accepts(ONEDNN_CONV_INPUT_GRADIENT, size, reason);
}

bool
conv_weight_gradient_onednn_accepts(const int *size, Error *reason)
{
    return accepts(ONEDNN_CONV_WEIGHT_GRADIENT, size, reason);
}

void
conv_gradient_onednn_prepare(const void *inputs)
{
    const ConvGradientOperands in = conv_gradient_operands(inputs);
    Error error = {""};
    OnednnConvKind kind = in.of_weights ? ONEDNN_CONV_WEIGHT_GRADIENT : ONEDNN_CONV_INPUT_GRADIENT;
    CHECK_THAT(keep(kind, in.shape, &error) != NULL, "%s", error.text);
    onednn_conv_set(conv, in.other, in.dy);
}

void
conv_gradient_onednn_run(const ConvShape *shape, const float *first, const float *second, float *output)
{
    (void)shape, (void)first, (void)second, (void)output;
    CHECK_THAT(conv != NULL, "nothing is prepared");
    onednn_conv_run(conv);
}

void
conv_gradient_onednn_fetch(const void *inputs, void *output)
{
    (void)inputs;
    onednn_conv_get(conv, output);
}

const char *
conv_gradient_onednn_algorithm(const int *size)
{
    (void)size;
    return conv != NULL ? onednn_conv_name(conv) : "nothing";
}

double
conv_gradient_onednn_tolerance_factor(const int *size)
{
    return strstr(conv_gradient_onednn_algorithm(size), "wino") != NULL ? 24.0 : 1.0;
}
