/* The table of networks. SPDX-License-Identifier: MIT */
#include "nn/models/models.h"
#include <string.h>

/* Those of mlp were found on validation parts, never on test parts; the others are first choices that nobody has tuned. */
static const ModelDefaults mlp_defaults[] = {{"digits", 40, 32, 0.003, "range", 128},
                                             {"iris", 60, 8, 0.01, "standard", 8},
                                             {"mnist", 10, 64, 0.003, "range", 128},
                                             {"fashion", 10, 64, 0.003, "range", 128},
                                             {NULL, 40, 32, 0.003, "standard", 64}},
                           lenet_defaults[] = {{"digits", 40, 32, 0.003, "range"},
                                               {"mnist", 10, 64, 0.002, "range"},
                                               {"fashion", 10, 64, 0.002, "range"},
                                               {"cifar10", 20, 64, 0.001, "range"},
                                               {NULL, 20, 64, 0.001, "range"}},
                           cifar_defaults[] = {{"cifar10", 20, 64, 0.001, "range"}, {NULL, 10, 64, 0.001, "range"}},
                           large_defaults[] = {{NULL, 20, 32, 0.0001, "range"}},
                           normalised_defaults[] = {
                               {NULL, 20, 32, 0.001, "range"}}; /* by batch normalisation, which bears a higher rate */

/* clang-format off */
static const Model table[] = {
    {"mlp", "a multi-layer perceptron (Rumelhart et al. 1986), with ReLU",
     {8, 8, 1}, 10, mlp_build, 1, mlp_defaults},
    {"lenet", "LeNet-5 (LeCun et al. 1998), with ReLU, max-pooling and a full second convolution",
     {28, 28, 1}, 10, lenet_build, 8, lenet_defaults},
    {"lenet-caffe", "the LeNet of Caffe's examples: 20 and 50 filters",
     {28, 28, 1}, 10, lenet_caffe_build, 16, lenet_defaults + 1},
    {"vgg-small", "a VGG for CIFAR-10: six 3x3 convolutions with batch normalisation",
     {32, 32, 3}, 10, vgg_small_build, 8, cifar_defaults},
    {"alexnet", "AlexNet (Krizhevsky et al. 2012), in two groups as on its two GPUs",
     {227, 227, 3}, 1000, alexnet_build, 67, large_defaults},
    {"alexnet-ungrouped", "AlexNet without groups",
     {227, 227, 3}, 1000, alexnet_ungrouped_build, 67, large_defaults},
    {"alexnet-torchvision", "AlexNet as in torchvision (Krizhevsky 2014)",
     {224, 224, 3}, 1000, alexnet_torchvision_build, 63, large_defaults},
    {"overfeat", "OverFeat, the fast model (Sermanet et al. 2013, arXiv:1312.6229)",
     {231, 231, 3}, 1000, overfeat_build, 71, large_defaults},
    {"vgg16", "VGG-16 (Simonyan and Zisserman 2014, arXiv:1409.1556)",
     {224, 224, 3}, 1000, vgg16_build, 32, large_defaults},
    {"googlenet", "GoogLeNet, Inception v1 (Szegedy et al. 2014, arXiv:1409.4842)",
     {224, 224, 3}, 1000, googlenet_build, 47, large_defaults},
    {"googlenet-floor", "GoogLeNet whose pooling windows never reach over the border",
     {224, 224, 3}, 1000, googlenet_floor_build, 61, large_defaults},
    {"googlenet-torchvision", "GoogLeNet as in torchvision: 3x3 for 5x5, batch normalisation",
     {224, 224, 3}, 1000, googlenet_torchvision_build, 31, normalised_defaults},
    {"resnet20", "ResNet-20 for CIFAR-10 (He et al. 2015), 1x1 convolutions where the shape changes",
     {32, 32, 3}, 10, resnet20_build, 8, cifar_defaults},
    {"resnet50", "ResNet-50 (He et al. 2015, arXiv:1512.03385): stride in the first 1x1",
     {224, 224, 3}, 1000, resnet50_build, 8, normalised_defaults},
    {"resnet50-v1.5", "ResNet-50 v1.5, as in torchvision: stride in the 3x3",
     {224, 224, 3}, 1000, resnet50_v15_build, 8, normalised_defaults},
};
/* clang-format on */
enum { MODEL_COUNT = sizeof(table) / sizeof(table[0]) };

const Model *
models(int *count)
{
    *count = MODEL_COUNT;
    return table;
}

const Model *
model_find(const char *name)
{
    for (int i = 0; i < MODEL_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

Net *
model_create(const Model *model, const Backend *backend, uint64_t seed)
{
    Net *net = net_create(backend, seed);
    const int x = net_input(net, model->input.height, model->input.width, model->input.channels);
    model->build(net, x, model->classes);
    return net;
}
