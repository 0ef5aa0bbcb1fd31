/* GoogLeNet, or Inception v1: C. Szegedy et al., "Going deeper with convolutions", 2014 (arXiv:1409.4842), table 1, in its three
 * forms. A block looks at its input with windows of four sizes and puts the results side by side:
 *
 *                  +-- 1x1 ----------------+
 *                  +-- 1x1 --- 3x3 --------+
 *             x ---+                       +--- concatenated along the channels
 *                  +-- 1x1 --- 5x5 --------+
 *                  +-- max 3x3 --- 1x1 ----+
 *
 * The 1x1 before the 3x3 and the 5x5 make the channels fewer, and so the work. Left out: the two auxiliary classifiers, which
 * training alone uses, and local response normalisation (see alexnet.c). SPDX-License-Identifier: MIT */
#include "nn/models/blocks.h"
#include "nn/models/models.h"

/* What differs between the forms. */
typedef struct Form {
    int (*conv)(Net *net, int x, Conv2d conv); /* with its ReLU, and perhaps a normalisation */
    int wide;                                  /* the window that the paper says is 5x5 */
    int last_pool;                             /* the window of the last pooling between blocks */
    bool ceil;                                 /* a pooling window may reach over the border: 112 -> 56, else 55 */
} Form;

/* The columns of table 1: channels of the four branches, and before the 3x3 and the 5x5. */
typedef struct Inception {
    int one, before_three, three, before_five, five, pooled;
} Inception;

static int
conv(Net *net, int x, const Form *form, int kernel, int channels)
{
    return form->conv(net, x, (Conv2d){.channels = channels, .kernel = kernel, .padding = kernel / 2});
}

static int
inception(Net *net, int x, const Form *form, Inception c)
{
    const int one = conv(net, x, form, 1, c.one);
    const int three = conv(net, conv(net, x, form, 1, c.before_three), form, 3, c.three);
    const int five = conv(net, conv(net, x, form, 1, c.before_five), form, form->wide, c.five);
    const int pool = net_maxpool(net, x, (Pool){.kernel = 3, .stride = 1, .padding = 1});
    const int pooled = conv(net, pool, form, 1, c.pooled);
    return net_concat(net, 4, (int[]){one, three, five, pooled});
}

static int
googlenet(Net *net, int x, int classes, const Form *form)
{
    const Pool halve = {.kernel = 3, .stride = 2, .ceil = form->ceil};
    const Pool last = {.kernel = form->last_pool, .stride = 2, .ceil = form->ceil};
    x = form->conv(net, x, (Conv2d){.channels = 64, .kernel = 7, .stride = 2, .padding = 3});
    x = net_maxpool(net, x, halve);
    x = conv(net, x, form, 1, 64);
    x = conv(net, x, form, 3, 192);
    x = net_maxpool(net, x, halve);
    x = inception(net, x, form, (Inception){64, 96, 128, 16, 32, 32}); /* 3a */
    x = inception(net, x, form, (Inception){128, 128, 192, 32, 96, 64});
    x = net_maxpool(net, x, halve);
    x = inception(net, x, form, (Inception){192, 96, 208, 16, 48, 64}); /* 4a */
    x = inception(net, x, form, (Inception){160, 112, 224, 24, 64, 64});
    x = inception(net, x, form, (Inception){128, 128, 256, 24, 64, 64});
    x = inception(net, x, form, (Inception){112, 144, 288, 32, 64, 64});
    x = inception(net, x, form, (Inception){256, 160, 320, 32, 128, 128});
    x = net_maxpool(net, x, last);
    x = inception(net, x, form, (Inception){256, 160, 320, 32, 128, 128}); /* 5a */
    x = inception(net, x, form, (Inception){384, 192, 384, 48, 128, 128});
    x = net_dropout(net, net_global_avgpool(net, x), 0.4F);
    return net_dense(net, x, classes);
}

/* As the authors ran it, and as Caffe counts windows: images of 112, 56, 28, 14 and 7 pixels. */
int
googlenet_build(Net *net, int x, int classes)
{
    return googlenet(net, x, classes, &(Form){.conv = conv_relu, .wide = 5, .last_pool = 3, .ceil = true});
}

/* 112, 55, 27, 13 and 6 pixels: the same weights, less work. */
int
googlenet_floor_build(Net *net, int x, int classes)
{
    return googlenet(net, x, classes, &(Form){.conv = conv_relu, .wide = 5, .last_pool = 3});
}

/* torchvision's weights came from a TensorFlow model that has 3x3 where the paper has 5x5, and a last pooling of 2x2. */
int
googlenet_torchvision_build(Net *net, int x, int classes)
{
    return googlenet(net, x, classes, &(Form){.conv = conv_norm_relu, .wide = 3, .last_pool = 2, .ceil = true});
}
