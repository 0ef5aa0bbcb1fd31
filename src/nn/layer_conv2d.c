/* Convolution (core/conv_shape.h states the formula): the weight is [KH][KW][IC / groups][OC], which makes it a matrix whose rows
 * are what an output pixel sees. SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "nn/layer.h"

enum { WEIGHT, BIAS };
enum { WINDOW_MAX = 1 << 14 }; /* pixels: a window's span then fits an int */

static ConvShape
shape_of(const Layer *layer, int batch)
{
    const Conv2d *conv = &layer->options.conv;
    const Shape in = layer->input_shape[0];
    return (ConvShape){.batch = batch,
                       .height = in.height,
                       .width = in.width,
                       .channels = in.channels,
                       .out_channels = conv->channels,
                       .groups = conv->groups,
                       .window = window_square(conv->kernel, conv->stride, conv->padding, conv->dilation)};
}

static void
conv2d_shape(Net *net, Layer *layer)
{
    const ConvShape s = shape_of(layer, 1);
    const size_t kernel = (size_t)layer->options.conv.kernel, out = (size_t)s.out_channels;
    CHECK_THAT(s.channels % s.groups == 0 && s.out_channels % s.groups == 0,
               "net_conv2d: %d groups must divide both the %d channels of the input and the %d of the output", s.groups,
               s.channels, s.out_channels);
    layer->shape = (Shape){conv_out_height(&s), conv_out_width(&s), s.out_channels};
    CHECK_THAT(layer->shape.height > 0 && layer->shape.width > 0,
               "net_conv2d: the kernel of %d x %d pixels %d apart is larger than the image of %d x %d with padding %d",
               s.window.vertical.kernel, s.window.vertical.kernel, s.window.vertical.dilation, s.height, s.width,
               s.window.vertical.padding);
    const size_t in = (size_t)(s.channels / s.groups), taps = kernel * kernel;
    layer_parameter(net, layer, "weight", 4, (size_t[]){kernel, kernel, in, out}, START_WEIGHT, taps * in,
                    taps * (out / (size_t)s.groups));
    layer_layout(net, LAYOUT_OF_KERNEL, (Shape){0});
    if (!layer->options.conv.no_bias)
        layer_parameter(net, layer, "bias", 1, (size_t[]){out}, START_ZERO, in, out);
}

static void
conv2d_forward(const Pass *pass)
{
    const ConvShape s = shape_of(pass->layer, pass->size);
    const Epilogue bias = {.bias = pass->layer->options.conv.no_bias ? NULL : pass->parameter[BIAS]};
    pass->backend->conv_forward(&s, pass->x[0], pass->parameter[WEIGHT], &bias, pass->y);
}

static void
conv2d_backward_weights(const Pass *pass)
{
    const ConvShape s = shape_of(pass->layer, pass->size);
    const Shape y = pass->layer->shape;
    pass->backend->conv_weight_gradient(&s, pass->x[0], pass->dy, pass->gradient[WEIGHT]);
    if (!pass->layer->options.conv.no_bias) {
        pass->backend->clear((size_t)y.channels, pass->gradient[BIAS]);
        pass->backend->bias_gradient(pass->size * y.height * y.width, y.channels, pass->dy, pass->gradient[BIAS]);
    }
}

static void
conv2d_backward_inputs(const Pass *pass)
{
    const ConvShape s = shape_of(pass->layer, pass->size);
    pass->backend->conv_input_gradient(&s, pass->dy, pass->parameter[WEIGHT], pass->dx[0]);
}

static const LayerType conv2d_type = {
    .name = "conv2d",
    .kind = LAYER_CONVOLUTION,
    .shape = conv2d_shape,
    .forward = conv2d_forward,
    .backward_inputs = conv2d_backward_inputs,
    .backward_weights = conv2d_backward_weights,
    .weights_read_x = true,
};

static void
check_options(const Conv2d *o)
{
    CHECK_THAT(
        o->channels >= 1 && o->kernel >= 1 && o->stride >= 1 && o->dilation >= 1 && o->groups >= 1 && o->padding >= 0,
        "net_conv2d: channels %d, kernel %d, stride %d, dilation %d, groups %d must be at least 1, padding %d at "
        "least 0",
        o->channels, o->kernel, o->stride, o->dilation, o->groups, o->padding);
    CHECK_THAT(o->kernel <= WINDOW_MAX && o->stride <= WINDOW_MAX && o->dilation <= WINDOW_MAX &&
                   o->padding <= WINDOW_MAX,
               "net_conv2d: kernel %d, stride %d, dilation %d, padding %d must be at most %d", o->kernel, o->stride,
               o->dilation, o->padding, WINDOW_MAX);
}

int
net_conv2d(Net *net, int x, Conv2d conv)
{
    conv.stride = conv.stride ? conv.stride : 1;
    conv.dilation = conv.dilation ? conv.dilation : 1;
    conv.groups = conv.groups ? conv.groups : 1;
    check_options(&conv);
    return net_append(net, &conv2d_type, "net_conv2d", 1, &x, (LayerOptions){.conv = conv});
}
