/* The networks of src/nn/models/ counted: exact numbers, made by shape inference elsewhere, and those of torchvision and Caffe
 * that are well known (61,100,840 parameters of AlexNet, 25,557,032 of ResNet-50, ..). SPDX-License-Identifier: MIT */
#include "nn/models/models.h"
#include "nn/work.h"
#include "tests/testing.h"
#include <inttypes.h>

typedef struct Count {
    const char *name;
    int convolutions, depth, dense;
    uint64_t conv_weights, conv_macs, dense_weights, weights, macs, parameters;
} Count;

static const Count counts[] = {
    {"lenet", 2, 2, 3, 2550, 357600, 58920, 61470, 416520, 61706},
    {"lenet-caffe", 2, 2, 2, 25500, 1888000, 405000, 430500, 2293000, 431080},
    {"alexnet", 5, 5, 3, 2332704, 665784864, 58621952, 60954656, 724406816, 60965224},
    {"alexnet-ungrouped", 5, 5, 3, 3745824, 1076634144, 58621952, 62367776, 1135256096, 62378344},
    {"alexnet-torchvision", 5, 5, 3, 2468544, 655566528, 58621952, 61090496, 714188480, 61100840},
    {"overfeat", 5, 5, 3, 15984672, 2671478784, 129925120, 145909792, 2801403904, 145920872},
    {"vgg16", 13, 13, 3, 14710464, 15346630656, 123633664, 138344128, 15470264320, 138357544},
    {"googlenet", 57, 21, 1, 5966272, 1581647872, 1024000, 6990272, 1582671872, 6998552},
    {"googlenet-floor", 57, 21, 1, 5966272, 1430532352, 1024000, 6990272, 1431556352, 6998552},
    {"googlenet-torchvision", 57, 21, 1, 5585344, 1497352192, 1024000, 6609344, 1498376192, 6624904},
    {"resnet20", 21, 19, 1, 270256, 40812544, 640, 270896, 40813184, 272474},
    {"resnet50", 53, 49, 1, 23454912, 3855925248, 2048000, 25502912, 3857973248, 25557032},
    {"resnet50-v1.5", 53, 49, 1, 23454912, 4087136256, 2048000, 25502912, 4089184256, 25557032},
};

static Net *
create(const char *name)
{
    const Model *model = model_find(name);
    ck_assert_msg(model != NULL, "there is no model %s", name);
    return model_create(model, NULL, 0);
}

static NetWork
work_of(const char *name, int batch)
{
    Net *net = create(name);
    const NetWork work = net_work(net, batch);
    net_free(net);
    return work;
}

#define ck_assert_u64(name, got, want)                                                                                 \
    ck_assert_msg((got) == (want), "%s: " #got " is %" PRIu64 ", expected %" PRIu64, (name), (uint64_t)(got),          \
                  (uint64_t)(want))

TEST(counts_are_exact)
{
    for (int i = 0; i < COUNT(counts); i++) {
        const Count *want = &counts[i];
        NetWork work = work_of(want->name, 1);
        ck_assert_u64(want->name, (uint64_t)work.convolutions.layers, (uint64_t)want->convolutions);
        ck_assert_u64(want->name, (uint64_t)work.depth, (uint64_t)want->depth);
        ck_assert_u64(want->name, (uint64_t)work.dense.layers, (uint64_t)want->dense);
        ck_assert_u64(want->name, work.convolutions.weights, want->conv_weights);
        ck_assert_u64(want->name, work.convolutions.forward, want->conv_macs);
        ck_assert_u64(want->name, work.dense.weights, want->dense_weights);
        ck_assert_u64(want->name, work.dense.forward, want->dense_weights); /* each weight once */
        ck_assert_u64(want->name, work.all.weights, want->weights);
        ck_assert_u64(want->name, work.all.forward, want->macs);
        ck_assert_u64(want->name, work.all.parameters, want->parameters);
        net_work_free(&work);
    }
}

/* Twice the forward pass, but for the gradient of the image. In all of these the first layer is a convolution. */
TEST(backward_is_twice_forward_but_for_the_image)
{
    for (int i = 0; i < COUNT(counts); i++) {
        NetWork work = work_of(counts[i].name, 3);
        ck_assert_int_eq(work.layer[1].info.kind, LAYER_CONVOLUTION);
        ck_assert_u64(counts[i].name, work_backward(&work.all), 2 * work.all.forward - work.layer[1].work.forward);
        ck_assert_u64(counts[i].name, work.all.forward, 3 * counts[i].macs);
        net_work_free(&work);
    }
}

TEST(every_model_takes_other_numbers_of_classes)
{
    int count;
    const Model *table = models(&count);
    ck_assert_int_ge(count, COUNT(counts));
    for (int i = 0; i < count; i++) {
        const Shape in = table[i].input;
        Net *net = net_create(NULL, 0);
        const int y = table[i].build(net, net_input(net, in.height, in.width, in.channels), 7);
        ck_assert_msg(y == net_layer_count(net) - 1, "%s returns value %d, expected its last", table[i].name, y);
        const Shape out = net_output_shape(net);
        ck_assert_msg(out.height == 1 && out.width == 1 && out.channels == 7,
                      "%s gives %d x %d x %d, expected 1 x 1 x 7", table[i].name, out.height, out.width, out.channels);
        ck_assert_ptr_null(net_parameters(net)); /* nothing is allocated */
        ck_assert_ptr_eq(model_find(table[i].name), &table[i]);
        net_free(net);
    }
    ck_assert_ptr_null(model_find("resnet"));
    ck_assert_ptr_null(model_find(""));
}

/* Forward MACs of convolutions first .. first+count-1, in their order. */
static uint64_t
macs_of_convolutions(const NetWork *work, int first, int count)
{
    uint64_t macs = 0;
    int number = 0;
    for (int l = 0; l < work->layers; l++)
        if (work->layer[l].info.kind == LAYER_CONVOLUTION) {
            macs += number >= first && number < first + count ? work->layer[l].work.forward : 0;
            number++;
        }
    return macs;
}

TEST(stages_of_resnet50)
{
    static const int convolutions[5] = {1, 10, 13, 19, 10};
    static const uint64_t v1[5] = {118013952, 667942912, 950534144, 1387266048, 732168192};
    static const uint64_t v15[5] = {118013952, 667942912, 1027604480, 1464336384, 809238528};
    NetWork first = work_of("resnet50", 1), second = work_of("resnet50-v1.5", 1);
    for (int s = 0, at = 0; s < 5; at += convolutions[s++]) {
        ck_assert_u64("v1", macs_of_convolutions(&first, at, convolutions[s]), v1[s]);
        ck_assert_u64("v1.5", macs_of_convolutions(&second, at, convolutions[s]), v15[s]);
    }
    net_work_free(&first);
    net_work_free(&second);
}

static void
check_names(const char *model, const char *const *names, int count)
{
    Net *net = create(model);
    ck_assert_int_eq(net_parameter_tensors(net), 2 * count);
    for (int i = 0; i < 2 * count; i++) {
        char want[64];
        snprintf(want, sizeof(want), "%s.%s", names[i / 2], i % 2 ? "bias" : "weight");
        ck_assert_str_eq(net_parameter(net, i)->name, want);
    }
    net_free(net);
}

TEST(names_are_those_of_torchvision)
{
    static const char *const alexnet[] = {"features.0",  "features.3",   "features.6",   "features.8",
                                          "features.10", "classifier.1", "classifier.4", "classifier.6"};
    static const char *const vgg16[] = {"features.0",  "features.2",   "features.5",   "features.7",
                                        "features.10", "features.12",  "features.14",  "features.17",
                                        "features.19", "features.21",  "features.24",  "features.26",
                                        "features.28", "classifier.0", "classifier.3", "classifier.6"};
    check_names("alexnet-torchvision", alexnet, 8);
    check_names("vgg16", vgg16, 16);
}

/* 161 tensors: 53 convolutions, 2 for each normalisation, 2 of the dense layer. Few are large. */
TEST(tensors_of_resnet50)
{
    static const char *const names[] = {"conv1.weight", "bn1.weight", "bn1.bias", "layer1.0.conv1.weight"};
    Net *net = create("resnet50-v1.5");
    int small = 0, large = 0, shortcuts = 0;
    ck_assert_int_eq(net_parameter_tensors(net), 161);
    ck_assert_uint_eq(net_average_count(net), 53120);
    for (int i = 0; i < 4; i++)
        ck_assert_str_eq(net_parameter(net, i)->name, names[i]);
    for (int i = 0; i < 161; i++) {
        const Parameter *p = net_parameter(net, i);
        small += p->count <= 2048;
        large += p->count >= 1000000;
        shortcuts += strstr(p->name, ".0.downsample.0.weight") != NULL;
    }
    ck_assert_int_eq(small, 107);
    ck_assert_int_eq(large, 10);
    ck_assert_int_eq(shortcuts, 4);
    ck_assert_str_eq(net_parameter(net, 158)->name, "layer4.2.bn3.bias");
    ck_assert_str_eq(net_parameter(net, 159)->name, "fc.weight");
    ck_assert_str_eq(net_parameter(net, 160)->name, "fc.bias");
    net_free(net);
}

TEST_MAIN("models")
