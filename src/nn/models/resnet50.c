/* ResNet-50: K. He, X. Zhang, S. Ren, J. Sun, "Deep residual learning for image recognition", 2015 (arXiv:1512.03385), table 1.
 * SPDX-License-Identifier: MIT */
#include "nn/models/blocks.h"
#include "nn/models/models.h"

/* What the two versions and the blocks of one differ in. */
typedef struct Bottleneck {
    const char *name;
    int channels, stride;
    bool widens;        /* the first block of a stage */
    bool stride_in_3x3; /* v1.5 */
} Bottleneck;

/* A bottleneck: the 3x3, which costs nine times a 1x1, works on a quarter of the channels. What the block computes is added to
 * its input, so that gradients have a way around it:
 *
 *     x --- 1x1, c --- 3x3, c --- 1x1, 4c --- + --- ReLU
 *       \____________________________________/
 *                 1x1, 4c where the shape changes
 *
 * A block that halves the image has its stride in the first 1x1 (the paper), which throws away three quarters of x unread, or in
 * the 3x3 (v1.5), which does not and costs more. */
static int
bottleneck(Net *net, int x, Bottleneck b)
{
    const int c = b.channels, first = b.stride_in_3x3 ? 1 : b.stride, second = b.stride_in_3x3 ? b.stride : 1;
    int y = conv_norm(net, x, b.name, "conv1", "bn1", (Conv2d){.channels = c, .kernel = 1, .stride = first});
    y = net_relu(net, y);
    y = conv_norm(net, y, b.name, "conv2", "bn2", (Conv2d){.channels = c, .kernel = 3, .stride = second, .padding = 1});
    y = net_relu(net, y);
    y = conv_norm(net, y, b.name, "conv3", "bn3", (Conv2d){.channels = 4 * c, .kernel = 1});
    if (b.widens)
        x = conv_norm(net, x, b.name, "downsample.0", "downsample.1",
                      (Conv2d){.channels = 4 * c, .kernel = 1, .stride = b.stride});
    return net_relu(net, net_add(net, y, x));
}

static int
resnet50(Net *net, int x, int classes, bool stride_in_3x3)
{
    static const int blocks[4] = {3, 4, 6, 3};
    x = conv_norm(net, x, "", "conv1", "bn1", (Conv2d){.channels = 64, .kernel = 7, .stride = 2, .padding = 3});
    x = net_maxpool(net, net_relu(net, x), (Pool){.kernel = 3, .stride = 2, .padding = 1});
    for (int s = 0; s < 4; s++)
        for (int b = 0; b < blocks[s]; b++) {
            char name[32];
            snprintf(name, sizeof(name), "layer%d.%d.", s + 1, b);
            x = bottleneck(net, x, (Bottleneck){name, 64 << s, s > 0 && b == 0 ? 2 : 1, b == 0, stride_in_3x3});
        }
    return net_name(net, net_dense(net, net_global_avgpool(net, x), classes), "fc");
}

int
resnet50_build(Net *net, int x, int classes)
{
    return resnet50(net, x, classes, false);
}

int
resnet50_v15_build(Net *net, int x, int classes)
{
    return resnet50(net, x, classes, true);
}
