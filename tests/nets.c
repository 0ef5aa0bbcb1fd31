/* See nets.h. SPDX-License-Identifier: MIT */
#include "tests/nets.h"
#include "core/checked.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number behind a letter of the options: option("conv6k3p1", 'p', 0) is 1. */
static int
option(const char *word, char letter, int otherwise)
{
    const char *at = word + strcspn(word, "0123456789"); /* behind the layer's name */
    at = strchr(at, letter);
    return at ? atoi(at + 1) : otherwise;
}

static int
first_number(const char *word)
{
    return atoi(word + strcspn(word, "0123456789"));
}

Conv2d
conv_from_word(const char *word)
{
    return (Conv2d){.channels = first_number(word),
                    .kernel = option(word, 'k', 1),
                    .stride = option(word, 's', 1),
                    .padding = option(word, 'p', 0),
                    .dilation = option(word, 'd', 1),
                    .groups = option(word, 'g', 1),
                    .no_bias = option(word, 'n', 0)};
}

Pool
pool_from_word(const char *word)
{
    const int kernel = first_number(word);
    return (Pool){.kernel = kernel,
                  .stride = option(word, 's', kernel),
                  .padding = option(word, 'p', 0),
                  .ceil = option(word, 'c', 0)};
}

bool
word_is(const char *word, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && !isalpha((unsigned char)word[length]);
}

/* Layers with options. -1: it is none of them. */
static int
add_image_layer(Net *net, int x, const char *word)
{
    if (word_is(word, "conv"))
        return net_conv2d(net, x, conv_from_word(word));
    if (word_is(word, "max"))
        return net_maxpool(net, x, pool_from_word(word));
    if (word_is(word, "avg"))
        return net_avgpool(net, x, pool_from_word(word));
    if (word_is(word, "global"))
        return net_global_avgpool(net, x);
    if (word_is(word, "batchnorm"))
        return net_batchnorm(net, x);
    if (word_is(word, "layernorm"))
        return net_layernorm(net, x);
    return -1;
}

/* Adds the layer that the word names. A loss has no output: x is returned. */
static int
add_layer(Net *net, int x, const char *word)
{
    if (word_is(word, "dense"))
        return net_dense(net, x, first_number(word));
    if (word_is(word, "sigmoid"))
        return net_sigmoid(net, x);
    if (word_is(word, "tanh"))
        return net_tanh(net, x);
    if (word_is(word, "relu"))
        return net_relu(net, x);
    if (word_is(word, "flatten"))
        return net_flatten(net, x);
    if (word_is(word, "drop"))
        return net_dropout(net, x, (float)first_number(word) / 100);
    if (word_is(word, "twice"))
        return net_add(net, net_relu(net, x), net_tanh(net, x));
    if (word_is(word, "wide"))
        return net_concat(net, 3, (int[]){net_relu(net, x), x, net_tanh(net, x)});
    const int y = add_image_layer(net, x, word);
    if (y >= 0)
        return y;
    CHECK_THAT(strcmp(word, "softmax") == 0 || strcmp(word, "mse") == 0, "no layer is called %s", word);
    (strcmp(word, "mse") == 0 ? net_mse_loss : net_softmax_loss)(net, x);
    return x;
}

Net *
net_from_text(const Backend *backend, uint64_t seed, Shape input, const char *text)
{
    Net *net = net_create(backend, seed);
    int x = net_input(net, input.height, input.width, input.channels), length;
    char word[32];
    for (; sscanf(text, "%31s%n", word, &length) == 1; text += length)
        x = add_layer(net, x, word);
    net_build(net);
    return net;
}

Run *
run_from_text(const Backend *backend, uint64_t seed, Shape input, const char *text, int max_batch)
{
    return run_create(net_from_text(backend, seed, input, text), &(RunOptions){.max_batch = max_batch});
}

void
run_free_all(Run *run)
{
    Net *net = run_net(run);
    run_free(run);
    net_free(net);
}
