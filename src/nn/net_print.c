/* The network as a table. SPDX-License-Identifier: MIT */
#include "nn/net_internal.h"
#include <stdio.h>

static void
print_layer(const Layer *layer)
{
    char shape[64] = "", from[64] = "";
    int at = 0;
    if (layer->shape.height > 0)
        snprintf(shape, sizeof shape, "%d x %d x %d", layer->shape.height, layer->shape.width, layer->shape.channels);
    for (int i = 0; i < layer->inputs; i++)
        at += snprintf(from + at, sizeof from - (size_t)at, "%s%d", i ? ", " : "", layer->input[i]);
    printf("%5d  %-14s %-8s %-18s %12zu\n", layer->number, layer->type->name, from, shape, layer->count);
}

void
net_print(const Net *net)
{
    printf("%5s  %-14s %-8s %-18s %12s\n", "value", "layer", "reads", "output", "parameters");
    for (int l = 0; l < net->layer_count; l++)
        print_layer(&net->layers[l]);
    printf("%zu parameters; kernels: %s\n", net->parameter.elements, net->backend->name);
}
