/* See nets.h. SPDX-License-Identifier: MIT */
#include "tests/nets.h"
#include "core/checked.h"
#include "nn/layer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
sum_shape(Net *net, Layer *layer)
{
    (void)net;
    CHECK_THAT(shape_elements(layer->input_shape[0]) == shape_elements(layer->input_shape[1]), "the shapes differ");
    layer->shape = layer->input_shape[0];
}

static void
sum_forward(const Pass *pass)
{
    const size_t n = shape_elements(pass->layer->shape) * (size_t)pass->size;
    memcpy(pass->y, pass->x[0], n * sizeof(float));
    pass->backend->add(n, pass->x[1], pass->y);
}

static void
sum_backward(const Pass *pass)
{
    const size_t n = shape_elements(pass->layer->shape) * (size_t)pass->size;
    for (int i = 0; i < 2; i++)
        if (pass->dx[i])
            memcpy(pass->dx[i], pass->dy, n * sizeof(float));
}

static const LayerType sum_type = {.name = "sum", .shape = sum_shape, .forward = sum_forward, .backward = sum_backward};

int
net_test_sum(Net *net, int a, int b)
{
    return net_add(net, &sum_type, "net_test_sum", 2, (int[]){a, b}, (LayerOptions){0});
}

/* Adds the layer that the word names. A loss has no output: x is returned. */
static int
add_layer(Net *net, int x, const char *word)
{
    if (strncmp(word, "dense", 5) == 0)
        return net_dense(net, x, atoi(word + 5));
    if (strcmp(word, "sigmoid") == 0)
        return net_sigmoid(net, x);
    if (strcmp(word, "tanh") == 0)
        return net_tanh(net, x);
    if (strcmp(word, "relu") == 0)
        return net_relu(net, x);
    if (strcmp(word, "twice") == 0)
        return net_test_sum(net, net_relu(net, x), net_tanh(net, x));
    CHECK_THAT(strcmp(word, "softmax") == 0 || strcmp(word, "mse") == 0, "no layer is called %s", word);
    (strcmp(word, "mse") == 0 ? net_mse_loss : net_softmax_loss)(net, x);
    return x;
}

Net *
net_from_text(const Backend *backend, uint64_t seed, Shape input, const char *text, int max_batch)
{
    Net *net = net_create(backend, seed);
    int x = net_input(net, input.height, input.width, input.channels), length;
    char word[32];
    for (; sscanf(text, "%31s%n", word, &length) == 1; text += length)
        x = add_layer(net, x, word);
    net_build(net, max_batch);
    return net;
}
