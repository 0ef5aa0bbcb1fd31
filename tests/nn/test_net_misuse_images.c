/* Networks of images that cannot be: each wrong call ends the program with a sentence that says which and why.
 * SPDX-License-Identifier: MIT */
#include "cpu/backend.h"
#include "tests/capture.h"
#include "tests/nets.h"
#include "tests/testing.h"
#include <limits.h>

/* An image of 6 x 4 pixels with 3 channels. */
static Net *
begin(void)
{
    Net *net = net_create(cpu_backend("naive", NULL), 1);
    net_input(net, 6, 4, 3);
    return net;
}

static const float x[72];

#define CONV(...) net_conv2d(begin(), 0, (Conv2d){__VA_ARGS__});
#define POOL(...) net_maxpool(begin(), 0, (Pool){__VA_ARGS__});

TEST_ENDS_CALL(no_channels, "net_conv2d: channels 0", CONV(.kernel = 3))
TEST_ENDS_CALL(no_kernel, "kernel 0", CONV(.channels = 2))
TEST_ENDS_CALL(negative_stride, "stride -1", CONV(.channels = 2, .kernel = 1, .stride = -1))
TEST_ENDS_CALL(negative_padding, "padding -1", CONV(.channels = 2, .kernel = 1, .padding = -1))
TEST_ENDS_CALL(immense_dilation, "dilation 2147483647", CONV(.channels = 2, .kernel = 3, .dilation = INT_MAX))
TEST_ENDS_CALL(groups_of_the_input, "2 groups must divide both the 3 channels",
               CONV(.channels = 4, .kernel = 1, .groups = 2))
TEST_ENDS_CALL(groups_of_the_output, "and the 4 of the output", CONV(.channels = 4, .kernel = 1, .groups = 3))
TEST_ENDS_CALL(kernel_too_large, "larger than the image of 6 x 4 with padding 0", CONV(.channels = 1, .kernel = 5))
TEST_ENDS_CALL(kernel_too_wide_apart, "3 x 3 pixels 2 apart", CONV(.channels = 1, .kernel = 3, .dilation = 2))
TEST_ENDS_CALL(pool_without_kernel, "net_maxpool: kernel 0", POOL(.stride = 2))
TEST_ENDS_CALL(pool_padding, "padding 2 must be 0 to half the kernel", POOL(.kernel = 3, .padding = 2))
TEST_ENDS_CALL(pool_too_large, "the image of 6 x 4 with padding 0 is smaller", POOL(.kernel = 5))
TEST_ENDS_CALL(average_padding, "net_avgpool: kernel 2", net_avgpool(begin(), 0, (Pool){.kernel = 2, .padding = 2});)
TEST_ENDS_CALL(sum_of_shapes, "net_add: 6 x 4 x 3 and 1 x 1 x 3", Net *net = begin();
               net_add(net, 0, net_global_avgpool(net, 0));)
TEST_ENDS_CALL(concat_of_one, "net_concat: 1 values: 2 to 4", net_concat(begin(), 1, (int[]){0});)
TEST_ENDS_CALL(concat_of_five, "net_concat: 5 values: 2 to 4", net_concat(begin(), 5, (int[]){0, 0, 0, 0, 0});)
TEST_ENDS_CALL(concat_of_sizes, "value 1 has 1 x 1 pixels, the first one 6 x 4", Net *net = begin();
               net_concat(net, 2, (int[]){0, net_global_avgpool(net, 0)});)
TEST_ENDS_CALL(dropout_of_all, "net_dropout: probability 1", net_dropout(begin(), 0, 1);)
TEST_ENDS_CALL(dropout_below_zero, "net_dropout: probability -0.5", net_dropout(begin(), 0, -0.5F);)
TEST_ENDS_CALL(norm_of_a_flat_image, "6 x 4 x 3 was flattened before", Net *net = begin();
               net_batchnorm(net, net_relu(net, net_flatten(net, 0)));)
TEST_ENDS_CALL(name_of_nothing, "net_name: there is no value 1", net_name(begin(), 1, "conv1");)
TEST_ENDS_CALL(no_such_layer, "there is no layer 1, the network has 1", net_layer_info(begin(), 1);)
TEST_ENDS_CALL(no_such_average, "there is no average 0, the network has 0", net_average(begin(), 0);)
TEST_ENDS_CALL(backward_of_inference, "not for inference",
               Run *run = run_from_text(cpu_backend("naive", NULL), 1, (Shape){6, 4, 3}, "dense2 softmax", 1);
               run_forward(run, &(Batch){.size = 1, .x = x, .labels = (int[]){1}, .inference = true});
               run_backward(run, 1, RUN_ONLY);)

/* What is no mistake: names of parameters, shapes before anything is built. */
TEST(names_and_shapes)
{
    Net *net = net_create(NULL, 0);
    int y = net_input(net, 6, 4, 3);
    y = net_name(net, net_conv2d(net, y, (Conv2d){.channels = 8, .kernel = 3, .padding = 1}), "stem.conv");
    y = net_name(net, net_batchnorm(net, y), "stem.bn");
    y = net_maxpool(net, y, (Pool){.kernel = 3, .stride = 2, .ceil = true});
    y = net_dense(net, net_flatten(net, y), 5);
    static const char *const names[] = {"stem.conv.weight", "stem.conv.bias",  "stem.bn.weight",
                                        "stem.bn.bias",     "layers.4.weight", "layers.4.bias"};
    ck_assert_int_eq(net_parameter_tensors(net), 6);
    for (int i = 0; i < 6; i++)
        ck_assert_str_eq(net_parameter(net, i)->name, names[i]);
    ck_assert_str_eq(net_average(net, 1)->name, "stem.bn.running_var");
    const LayerInfo pool = net_layer_info(net, 3), last = net_layer_info(net, y);
    ck_assert_str_eq(pool.type, "maxpool");
    ck_assert_int_eq(pool.shape.height, 3); /* 0..2, 2..4, 4..6: the last one ends outside */
    ck_assert_int_eq(pool.shape.width, 2);
    ck_assert_int_eq(pool.pool.stride, 2);
    ck_assert_int_eq(pool.input[0], 2);
    ck_assert_uint_eq(last.parameters, 5 * (3 * 2 * 8) + 5);
    ck_assert_int_eq(net_layer_info(net, 1).conv.groups, 1);
    net_free(net);
}

TEST_MAIN("net misuse of images")
