/* The count of small networks, by hand. SPDX-License-Identifier: MIT */
#include "nn/work.h"
#include "tests/capture.h"
#include "tests/testing.h"

/* 7x5 pixels, stride 2, padding 1, kernel 3: 4x3 outputs. Four channels in, six out, two groups: each filter reads two. */
static const Conv2d conv = {.channels = 6, .kernel = 3, .stride = 2, .padding = 1, .groups = 2};
enum { CONV_WEIGHTS = 6 * 3 * 3 * 2, CONV_MACS = CONV_WEIGHTS * 4 * 3 };

TEST(a_convolution)
{
    Net *net = net_create(NULL, 0);
    net_conv2d(net, net_input(net, 7, 5, 4), conv);
    NetWork work = net_work(net, 1);
    const Work *y = &work.layer[1].work;
    ck_assert_int_eq(work.layers, 2);
    ck_assert_int_eq(work.layer[1].info.kind, LAYER_CONVOLUTION);
    ck_assert_uint_eq(y->weights, CONV_WEIGHTS);
    ck_assert_uint_eq(y->parameters, CONV_WEIGHTS + 6);
    ck_assert_uint_eq(y->forward, CONV_MACS);
    ck_assert_uint_eq(y->weight_gradient, CONV_MACS);
    ck_assert_uint_eq(y->input_gradient, 0); /* that of the image is not needed */
    ck_assert_uint_eq(y->weight_bytes, 4 * (CONV_WEIGHTS + 6));
    ck_assert_uint_eq(y->activation_bytes, 4 * 4 * 3 * 6);
    ck_assert_uint_eq(y->gradient_bytes, y->weight_bytes + y->activation_bytes);
    ck_assert_uint_eq(y->moved_bytes, 4 * (7 * 5 * 4 + CONV_WEIGHTS + 6 + 4 * 3 * 6));
    ck_assert_double_eq(work_intensity(y), 2.0 * CONV_MACS / (double)y->moved_bytes);
    ck_assert_int_eq(work.depth, 1);
    net_work_free(&work);
    net_free(net);
}

TEST(a_convolution_without_bias)
{
    Net *net = net_create(NULL, 0);
    Conv2d bare = conv;
    bare.no_bias = true;
    net_conv2d(net, net_input(net, 7, 5, 4), bare);
    NetWork work = net_work(net, 1);
    ck_assert_uint_eq(work.all.weights, CONV_WEIGHTS);
    ck_assert_uint_eq(work.all.parameters, CONV_WEIGHTS);
    net_work_free(&work);
    net_free(net);
}

/* Weights are there once, whatever the batch; everything else grows with it, and so does the intensity. */
TEST(a_batch)
{
    Net *net = net_create(NULL, 0);
    net_dense(net, net_input(net, 1, 1, 11), 13);
    NetWork one = net_work(net, 1), many = net_work(net, 64);
    ck_assert_uint_eq(many.all.weights, 11 * 13);
    ck_assert_uint_eq(many.all.weight_bytes, one.all.weight_bytes);
    ck_assert_uint_eq(many.all.forward, 64 * one.all.forward);
    ck_assert_uint_eq(many.all.activation_bytes, 64 * one.all.activation_bytes);
    ck_assert_uint_eq(one.all.activation_bytes, 4 * (11 + 13)); /* the input counts */
    ck_assert_uint_eq(many.dense.moved_bytes, 4 * (11 * 13 + 13 + 64 * (11 + 13)));
    ck_assert_double_eq(work_intensity(&many.dense), 2.0 * 64 * 11 * 13 / (4 * (11 * 13 + 13 + 64 * (11 + 13))));
    ck_assert_double_gt(work_intensity(&many.dense), work_intensity(&one.dense));
    ck_assert_int_eq(many.batch, 64);
    ck_assert_int_eq(many.depth, 0);
    net_work_free(&one);
    net_work_free(&many);
    net_free(net);
}

/* x -- relu -- conv a --+-- conv b -- batchnorm --+
 *                       |                         +-- add -- concat with a -- dense
 *                       +-------------------------+                                  */
TEST(a_graph)
{
    Net *net = net_create(NULL, 0);
    const Conv2d same = {.channels = 3, .kernel = 1};
    const int x = net_relu(net, net_input(net, 2, 2, 3)), a = net_conv2d(net, x, same);
    const int sum = net_add(net, net_batchnorm(net, net_conv2d(net, a, same)), a);
    const int y = net_dense(net, net_concat(net, 2, (int[]){a, sum}), 5);
    NetWork work = net_work(net, 1);
    ck_assert_int_eq(work.layers, 8);
    ck_assert_int_eq(work.depth, 2);
    ck_assert_int_eq(work.convolutions.layers, 2);
    ck_assert_int_eq(work.dense.layers, 1);
    ck_assert_int_eq(work.all.layers, 8);
    ck_assert_uint_eq(work.layer[a].work.input_gradient, 0); /* no parameter before it: a ReLU has none */
    ck_assert_uint_eq(work.layer[x].work.gradient_bytes, 0);
    ck_assert_uint_eq(work.layer[3].work.input_gradient, 9 * 4);
    ck_assert_uint_eq(work.layer[4].work.weights, 0); /* a normalisation has parameters, but no weights */
    ck_assert_uint_eq(work.layer[4].work.parameters, 2 * 3);
    ck_assert_uint_eq(work.layer[4].work.forward, 0);
    ck_assert_uint_eq(work.layer[sum].work.moved_bytes, 3 * 4 * 12); /* two read, one written */
    ck_assert_double_eq(work_intensity(&work.layer[sum].work), 0);
    ck_assert_uint_eq(work.layer[y].work.weights, 5 * 24);
    ck_assert_uint_eq(work.all.weights, 9 + 9 + 5 * 24);
    ck_assert_uint_eq(work.all.parameters, net_parameter_count(net));
    net_work_free(&work);
    net_free(net);
}

TEST_ENDS(an_empty_batch_is_refused, "net_work: a batch of 0 samples")
{
    Net *net = net_create(NULL, 0);
    net_input(net, 1, 1, 1);
    net_work(net, 0);
}

TEST(a_network_without_layers)
{
    Net *net = net_create(NULL, 0);
    NetWork work = net_work(net, 1);
    ck_assert_int_eq(work.layers, 0);
    ck_assert_uint_eq(work.all.parameters, 0);
    net_work_free(&work);
    net_free(net);
}

TEST_MAIN("work")
