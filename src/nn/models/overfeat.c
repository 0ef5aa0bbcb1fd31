/* OverFeat, the fast model: P. Sermanet et al., "OverFeat: integrated recognition, localization and detection using convolutional
 * networks", 2013 (arXiv:1312.6229), table 1. Its dense layers are where the weights are: the first alone has 113 million.
 * SPDX-License-Identifier: MIT */
#include "nn/models/blocks.h"
#include "nn/models/models.h"

int
overfeat_build(Net *net, int x, int classes)
{
    const Pool pool = {.kernel = 2};
    x = conv_relu(net, x, (Conv2d){.channels = 96, .kernel = 11, .stride = 4});
    x = net_maxpool(net, x, pool);
    x = conv_relu(net, x, (Conv2d){.channels = 256, .kernel = 5});
    x = net_maxpool(net, x, pool);
    x = conv_relu(net, x, (Conv2d){.channels = 512, .kernel = 3, .padding = 1});
    x = conv_relu(net, x, (Conv2d){.channels = 1024, .kernel = 3, .padding = 1});
    x = conv_relu(net, x, (Conv2d){.channels = 1024, .kernel = 3, .padding = 1});
    x = net_maxpool(net, x, pool);
    x = dense_relu(net, net_dropout(net, x, 0.5F), 3072);
    x = dense_relu(net, net_dropout(net, x, 0.5F), 4096);
    return net_dense(net, x, classes);
}
