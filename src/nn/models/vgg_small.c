/* A small VGG for images of 32x32 pixels: the rule of Simonyan and Zisserman 2014 (arXiv:1409.1556), 3x3 convolutions in blocks,
 * twice the channels where the image is halved, with batch normalisation behind each convolution.
 *
 *     32x32x3 --32, 32, pool--> 16x16x32 --64, 64, pool--> 8x8x64 --128, 128, pool--> 4x4x128 --dense--> 256, classes
 *
 * Parameters are named as in torchvision's VGG: features.<n>, classifier.<n>, where n counts the modules.
 * SPDX-License-Identifier: MIT */
#include "nn/models/models.h"
#include <stdio.h>

/* Modules number *n and the two behind it. */
static int
conv_norm_relu(Net *net, int x, int channels, int *n)
{
    char conv[32], norm[32];
    snprintf(conv, sizeof(conv), "features.%d", *n);
    snprintf(norm, sizeof(norm), "features.%d", *n + 1);
    *n += 3;
    x = net_name(net, net_conv2d(net, x, (Conv2d){.channels = channels, .kernel = 3, .padding = 1}), conv);
    return net_relu(net, net_name(net, net_batchnorm(net, x), norm));
}

int
vgg_small_build(Net *net, int x, int classes)
{
    int n = 0;
    for (int channels = 32; channels <= 128; channels *= 2) {
        x = conv_norm_relu(net, x, channels, &n);
        x = conv_norm_relu(net, x, channels, &n);
        x = net_maxpool(net, x, (Pool){.kernel = 2});
        n++;
    }
    x = net_relu(net, net_name(net, net_dense(net, x, 256), "classifier.0"));
    x = net_dropout(net, x, 0.5F);
    return net_name(net, net_dense(net, x, classes), "classifier.3");
}
