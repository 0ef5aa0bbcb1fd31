/* The input: the caller's batch as value 0. It has nothing to compute.
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "nn/layer.h"

static void
input_shape(Net *net, Layer *layer)
{
    (void)net;
    layer->shape = layer->options.shape;
}

static const LayerType input_type = {.name = "input", .shape = input_shape};

int
net_input(Net *net, int height, int width, int channels)
{
    CHECK_THAT(height >= 1 && width >= 1 && channels >= 1, "net_input: %d x %d x %d: each must be at least 1", height,
               width, channels);
    const int number =
        net_append(net, &input_type, "net_input", 0, NULL, (LayerOptions){.shape = {height, width, channels}});
    CHECK_THAT(number == 0, "net_input: the network has an input already");
    return number;
}
