/* AlexNet: A. Krizhevsky, I. Sutskever, G. Hinton, "ImageNet classification with deep convolutional neural networks", 2012.
 * It was trained on two GPUs, and three of its convolutions read only the channels of their own GPU: two groups.
 * Left out is its local response normalisation, which has no parameters and is not among the layers here; the slides' table does
 * not count it either. The paper says 224x224, but its shapes need 227: 55 = (227 - 11) / 4 + 1.
 * SPDX-License-Identifier: MIT */
#include "nn/models/blocks.h"
#include "nn/models/models.h"

static int
classifier(Net *net, int x, int classes)
{
    x = numbered(net, net_dense(net, net_dropout(net, x, 0.5F), 4096), "classifier", 1);
    x = numbered(net, net_dense(net, net_dropout(net, net_relu(net, x), 0.5F), 4096), "classifier", 4);
    return numbered(net, net_dense(net, net_relu(net, x), classes), "classifier", 6);
}

static int
alexnet(Net *net, int x, int classes, int groups)
{
    const Pool pool = {.kernel = 3, .stride = 2};
    x = conv_relu(net, x, (Conv2d){.channels = 96, .kernel = 11, .stride = 4});
    x = net_maxpool(net, x, pool);
    x = conv_relu(net, x, (Conv2d){.channels = 256, .kernel = 5, .padding = 2, .groups = groups});
    x = net_maxpool(net, x, pool);
    x = conv_relu(net, x, (Conv2d){.channels = 384, .kernel = 3, .padding = 1});
    x = conv_relu(net, x, (Conv2d){.channels = 384, .kernel = 3, .padding = 1, .groups = groups});
    x = conv_relu(net, x, (Conv2d){.channels = 256, .kernel = 3, .padding = 1, .groups = groups});
    x = net_maxpool(net, x, pool);
    return classifier(net, x, classes);
}

int
alexnet_build(Net *net, int x, int classes)
{
    return alexnet(net, x, classes, 2);
}

int
alexnet_ungrouped_build(Net *net, int x, int classes)
{
    return alexnet(net, x, classes, 1);
}

/* Named as in torchvision, where a ReLU stands behind each convolution and counts as a module. */
static int
numbered_conv(Net *net, int x, int number, int channels, int kernel)
{
    x = net_conv2d(net, x, (Conv2d){.channels = channels, .kernel = kernel, .padding = kernel / 2});
    return net_relu(net, numbered(net, x, "features", number));
}

/* "One weird trick for parallelizing convolutional neural networks" (Krizhevsky 2014, arXiv:1404.5997): one GPU, fewer
 * channels. torchvision's adaptive pooling changes nothing at 224x224 and is left out. */
int
alexnet_torchvision_build(Net *net, int x, int classes)
{
    const Pool pool = {.kernel = 3, .stride = 2};
    x = net_conv2d(net, x, (Conv2d){.channels = 64, .kernel = 11, .stride = 4, .padding = 2});
    x = net_maxpool(net, net_relu(net, numbered(net, x, "features", 0)), pool);
    x = net_maxpool(net, numbered_conv(net, x, 3, 192, 5), pool);
    x = numbered_conv(net, x, 6, 384, 3);
    x = numbered_conv(net, x, 8, 256, 3);
    x = net_maxpool(net, numbered_conv(net, x, 10, 256, 3), pool);
    return classifier(net, x, classes);
}
