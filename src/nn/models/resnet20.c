/* ResNet-20 for CIFAR-10: K. He, X. Zhang, S. Ren, J. Sun, "Deep residual learning for image recognition", 2015
 * (arXiv:1512.03385), section 4.2: 6n + 2 layers with n = 3. Any image that can be halved twice will do.
 *
 *     32x32x3 --3x3--> 32x32x16 --3 blocks--> 32x32x16 --3 blocks--> 16x16x32 --3 blocks--> 8x8x64 --mean--> 64 --dense--> 10
 *
 * Where the shape changes the paper's shortcut skips every other pixel and fills the new channels with zeros (its option A); here
 * it is a 1x1 convolution with batch normalisation, as in its larger networks (option B): 272,474 parameters for 269,722.
 * SPDX-License-Identifier: MIT */
#include "nn/models/blocks.h"
#include "nn/models/models.h"

/*     x --- 3x3, c --- 3x3, c --- + --- ReLU
 *       \________________________/
 *          1x1, c where the shape changes                */
static int
basic_block(Net *net, int x, const char *name, int channels, int stride)
{
    const bool changes = net_layer_info(net, x).shape.channels != channels;
    int y = conv_norm(net, x, name, "conv1", "bn1",
                      (Conv2d){.channels = channels, .kernel = 3, .stride = stride, .padding = 1});
    y = net_relu(net, y);
    y = conv_norm(net, y, name, "conv2", "bn2", (Conv2d){.channels = channels, .kernel = 3, .padding = 1});
    if (changes)
        x = conv_norm(net, x, name, "downsample.0", "downsample.1",
                      (Conv2d){.channels = channels, .kernel = 1, .stride = stride});
    return net_relu(net, net_add(net, y, x));
}

int
resnet20_build(Net *net, int x, int classes)
{
    x = conv_norm(net, x, "", "conv1", "bn1", (Conv2d){.channels = 16, .kernel = 3, .padding = 1});
    x = net_relu(net, x);
    for (int s = 0; s < 3; s++)
        for (int b = 0; b < 3; b++) {
            char name[32];
            snprintf(name, sizeof(name), "layer%d.%d.", s + 1, b);
            x = basic_block(net, x, name, 16 << s, s > 0 && b == 0 ? 2 : 1);
        }
    return net_name(net, net_dense(net, net_global_avgpool(net, x), classes), "fc");
}
