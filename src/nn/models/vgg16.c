/* VGG-16: K. Simonyan, A. Zisserman, "Very deep convolutional networks for large-scale image recognition", 2014
 * (arXiv:1409.1556), configuration D. One idea: nothing but 3x3. Two of them in a row see 5x5 pixels and cost 18/25 of one.
 * SPDX-License-Identifier: MIT */
#include "nn/models/blocks.h"
#include "nn/models/models.h"

/* Convolutions that keep the size of the image, then a pooling that halves it. *number counts the modules, as torchvision does in
 * the parameters' names. */
static int
stage(Net *net, int x, int convolutions, int channels, int *number)
{
    for (int i = 0; i < convolutions; i++) {
        x = net_conv2d(net, x, (Conv2d){.channels = channels, .kernel = 3, .padding = 1});
        x = net_relu(net, numbered(net, x, "features", *number));
        *number += 2;
    }
    ++*number;
    return net_maxpool(net, x, (Pool){.kernel = 2});
}

int
vgg16_build(Net *net, int x, int classes)
{
    int number = 0;
    x = stage(net, x, 2, 64, &number);
    x = stage(net, x, 2, 128, &number);
    x = stage(net, x, 3, 256, &number);
    x = stage(net, x, 3, 512, &number);
    x = stage(net, x, 3, 512, &number);
    x = net_relu(net, numbered(net, net_dense(net, x, 4096), "classifier", 0));
    x = net_relu(net, numbered(net, net_dense(net, net_dropout(net, x, 0.5F), 4096), "classifier", 3));
    return numbered(net, net_dense(net, net_dropout(net, x, 0.5F), classes), "classifier", 6);
}
