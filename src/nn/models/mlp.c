/* A multi-layer perceptron: dense layers, each with its activation, and one more that gives the logits.
 * SPDX-License-Identifier: MIT */
#include "nn/models/models.h"

int
mlp_layers(Net *net, int x, const int *hidden, int count, int (*activation)(Net *net, int x), int classes)
{
    for (int l = 0; l < count; l++)
        x = activation(net, net_dense(net, x, hidden[l]));
    return net_dense(net, x, classes);
}

int
mlp_build(Net *net, int x, int classes)
{
    return mlp_layers(net, x, (int[]){128}, 1, net_relu, classes);
}
