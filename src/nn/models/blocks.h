/* What nearly every network repeats: a layer and what stands behind it. SPDX-License-Identifier: MIT */
#ifndef NN_MODELS_BLOCKS_H
#define NN_MODELS_BLOCKS_H

#include "nn/net.h"
#include <stdio.h>

static inline int
conv_relu(Net *net, int x, Conv2d conv)
{
    return net_relu(net, net_conv2d(net, x, conv));
}

static inline int
dense_relu(Net *net, int x, int units)
{
    return net_relu(net, net_dense(net, x, units));
}

/* The normalisation subtracts each channel's mean, so a bias before it would be lost: there is none. */
static inline int
conv_norm_relu(Net *net, int x, Conv2d conv)
{
    conv.no_bias = true;
    return net_relu(net, net_batchnorm(net, net_conv2d(net, x, conv)));
}

/* The same without ReLU, named as in torchvision: block "layer1.0." has layer1.0.conv1.weight, layer1.0.bn1.weight, .. */
static inline int
conv_norm(Net *net, int x, const char *block, const char *conv_name, const char *norm_name, Conv2d conv)
{
    char name[64];
    conv.no_bias = true;
    snprintf(name, sizeof(name), "%s%s", block, conv_name);
    x = net_name(net, net_conv2d(net, x, conv), name);
    snprintf(name, sizeof(name), "%s%s", block, norm_name);
    return net_name(net, net_batchnorm(net, x), name);
}

/* Names the layer that made x "features.3", as PyTorch names the third module of a list. Returns x. */
static inline int
numbered(Net *net, int x, const char *list, int number)
{
    char name[64];
    snprintf(name, sizeof(name), "%s.%d", list, number);
    return net_name(net, x, name);
}

#endif
