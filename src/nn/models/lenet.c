/* LeNet-5: Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, "Gradient-based learning applied to document recognition", Proceedings of
 * the IEEE 86(11), 1998.
 *
 *     28x28x1 --conv 5x5--> 28x28x6 --pool--> 14x14x6 --conv 5x5--> 10x10x16 --pool--> 5x5x16 --dense--> 120, 84, 10
 *
 * Today's form. The paper pads the digits to 32x32 itself, lets each filter of the second convolution read only some of the six
 * channels, multiplies what it pools by a trained number, squashes by tanh, and ends with distances to drawn digits.
 * SPDX-License-Identifier: MIT */
#include "nn/models/blocks.h"
#include "nn/models/models.h"

/* A convolution, ReLU and pooling to half the size; "conv1" is its name in files. */
static int
stage(Net *net, int x, const char *name, Conv2d conv)
{
    x = net_relu(net, net_name(net, net_conv2d(net, x, conv), name));
    return net_maxpool(net, x, (Pool){.kernel = 2});
}

/* Digits of 8x8 pixels would not survive two 5x5 convolutions: 8x8x6 -> 4x4x6 -> 4x4x16 -> 2x2x16. */
int
lenet_build(Net *net, int x, int classes)
{
    const bool small = net_layer_info(net, x).shape.height < 16;
    x = stage(net, x, "conv1", (Conv2d){.channels = 6, .kernel = 5, .padding = 2});
    x = stage(net, x, "conv2",
              small ? (Conv2d){.channels = 16, .kernel = 3, .padding = 1} : (Conv2d){.channels = 16, .kernel = 5});
    x = net_relu(net, net_name(net, net_dense(net, x, 120), "fc1"));
    x = net_relu(net, net_name(net, net_dense(net, x, 84), "fc2"));
    return net_name(net, net_dense(net, x, classes), "fc3");
}

/* Caffe's example for MNIST (examples/mnist/lenet.prototxt): no padding, wider, one hidden dense layer, one ReLU. */
int
lenet_caffe_build(Net *net, int x, int classes)
{
    x = net_conv2d(net, x, (Conv2d){.channels = 20, .kernel = 5});
    x = net_maxpool(net, x, (Pool){.kernel = 2});
    x = net_conv2d(net, x, (Conv2d){.channels = 50, .kernel = 5});
    x = net_maxpool(net, x, (Pool){.kernel = 2});
    x = dense_relu(net, x, 500);
    return net_dense(net, x, classes);
}
