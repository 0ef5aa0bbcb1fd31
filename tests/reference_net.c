/* A network by definition: see reference_net.h. A value is [batch][height][width][channels], whole.
 * SPDX-License-Identifier: MIT */
#include "tests/reference_net.h"
#include "core/array.h"
#include "core/checked.h"
#include "tests/nets.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Value {
    int batch;
    Shape shape;
    double *x; /* owned */
} Value;

static Value
value_create(int batch, int height, int width, int channels)
{
    const size_t pixels = (size_t)batch * (size_t)height * (size_t)width;
    return (Value){batch, {height, width, channels}, ARRAY(double, pixels *(size_t)channels)};
}

static int
elements(const Value *v)
{
    return v->batch * v->shape.height * v->shape.width * v->shape.channels;
}

static double *
at(const Value *v, int b, int i, int j, int c)
{
    return v->x + ((b * v->shape.height + i) * v->shape.width + j) * v->shape.channels + c;
}

static bool
inside(const Value *v, int i, int j)
{
    return i >= 0 && i < v->shape.height && j >= 0 && j < v->shape.width;
}

/* ---- convolution and pooling, one output at a time ---- */

static double
conv_at(const Value *x, const Conv2d *o, const double *w, int b, int i, int j, int out)
{
    const int in = x->shape.channels / o->groups, first = out / (o->channels / o->groups) * in;
    double sum = 0;
    for (int a = 0; a < o->kernel; a++)
        for (int c = 0; c < o->kernel; c++) {
            const int h = i * o->stride - o->padding + a * o->dilation;
            const int v = j * o->stride - o->padding + c * o->dilation;
            for (int k = 0; k < in && inside(x, h, v); k++)
                sum += *at(x, b, h, v, first + k) * w[((a * o->kernel + c) * in + k) * o->channels + out];
        }
    return sum;
}

/* The largest (or mean) of a window. */
static double
pool_at(const Value *x, const Pool *o, bool maximum, int b, int i, int j, int c)
{
    const int top = i * o->stride - o->padding, left = j * o->stride - o->padding;
    double sum = 0, most = -INFINITY;
    int counted = 0;
    for (int h = top; h < top + o->kernel; h++)
        for (int v = left; v < left + o->kernel; v++) {
            counted += h < x->shape.height + o->padding && v < x->shape.width + o->padding;
            if (inside(x, h, v)) {
                sum += *at(x, b, h, v, c);
                most = fmax(most, *at(x, b, h, v, c));
            }
        }
    return maximum ? most : sum / counted;
}

/* A layer whose output has the shape that the network inferred. w moves behind the layer's parameters. */
static Value
slide(const Value *x, const char *word, Shape shape, const double **w)
{
    Value y = value_create(x->batch, shape.height, shape.width, shape.channels);
    const Conv2d conv = conv_from_word(word);
    const Pool pool = pool_from_word(word);
    const bool convolves = word_is(word, "conv");
    const int weights = convolves ? conv.kernel * conv.kernel * (x->shape.channels / conv.groups) * conv.channels : 0;
    for (int b = 0; b < y.batch; b++)
        for (int i = 0; i < shape.height; i++)
            for (int j = 0; j < shape.width; j++)
                for (int c = 0; c < shape.channels; c++)
                    *at(&y, b, i, j, c) =
                        convolves ? conv_at(x, &conv, *w, b, i, j, c) + (conv.no_bias ? 0 : (*w)[weights + c])
                                  : pool_at(x, &pool, word_is(word, "max"), b, i, j, c);
    *w += convolves ? weights + (conv.no_bias ? 0 : conv.channels) : 0;
    return y;
}

/* ---- the other layers ---- */

/* n numbers with a stride get mean 0 and variance 1, then each its weight and bias (which lie step apart). */
static void
normalize(double *x, int n, int stride, const double *weight, const double *bias, int step)
{
    double mean = 0, variance = 0;
    for (int i = 0; i < n; i++)
        mean += x[i * stride] / n;
    for (int i = 0; i < n; i++)
        variance += (x[i * stride] - mean) * (x[i * stride] - mean) / n;
    for (int i = 0; i < n; i++)
        x[i * stride] = (x[i * stride] - mean) / sqrt(variance + 1e-5) * weight[i * step] + bias[i * step];
}

static void
norm(const Value *x, bool by_channel, const double **w)
{
    const int channels = x->shape.channels, pixels = elements(x) / channels;
    for (int c = 0; by_channel && c < channels; c++)
        normalize(x->x + c, pixels, channels, *w + c, *w + channels + c, 0);
    for (int p = 0; !by_channel && p < pixels; p++)
        normalize(x->x + p * channels, channels, 1, *w, *w + channels, 1);
    *w += 2 * channels;
}

static Value
dense(const Value *x, int out, const double **w)
{
    const int in = elements(x) / x->batch;
    Value y = value_create(x->batch, 1, 1, out);
    for (int b = 0; b < x->batch; b++)
        for (int j = 0; j < out; j++) {
            double sum = (*w)[in * out + j];
            for (int k = 0; k < in; k++)
                sum += (*w)[j * in + k] * x->x[b * in + k];
            y.x[b * out + j] = sum;
        }
    *w += in * out + out;
    return y;
}

static double
relu(double x)
{
    return x > 0 ? x : 0;
}

/* Element by element; "wide" makes three channels of one. */
static Value
map(const Value *x, const char *word)
{
    const bool wide = word_is(word, "wide");
    const int channels = x->shape.channels, n = elements(x);
    Value y = value_create(x->batch, x->shape.height, x->shape.width, wide ? 3 * channels : channels);
    for (int i = 0; i < n; i++) {
        const double v = x->x[i];
        double *row = y.x + (i / channels) * 3 * channels + i % channels;
        if (wide) {
            row[0] = relu(v);
            row[channels] = v;
            row[2 * channels] = tanh(v);
        } else {
            y.x[i] = word_is(word, "relu")      ? relu(v)
                     : word_is(word, "tanh")    ? tanh(v)
                     : word_is(word, "sigmoid") ? 1 / (1 + exp(-v))
                     : word_is(word, "twice")   ? relu(v) + tanh(v)
                                                : v;
        }
    }
    return y;
}

static Value
apply(const Value *x, const char *word, const double **w)
{
    const Shape in = x->shape;
    if (word_is(word, "dense"))
        return dense(x, atoi(word + strlen("dense")), w);
    if (word_is(word, "global")) {
        const Pool whole = {.kernel = in.height, .stride = 1};
        Value y = value_create(x->batch, 1, 1, in.channels);
        CHECK_THAT(in.height == in.width, "a global average of a square image is all that is written here");
        for (int i = 0; i < elements(&y); i++)
            y.x[i] = pool_at(x, &whole, false, i / in.channels, 0, 0, i % in.channels);
        return y;
    }
    if (word_is(word, "conv") || word_is(word, "max") || word_is(word, "avg")) {
        Net *net = net_create(NULL, 0); /* only for the shape */
        const int input = net_input(net, in.height, in.width, in.channels);
        const int made = word_is(word, "conv")  ? net_conv2d(net, input, conv_from_word(word))
                         : word_is(word, "max") ? net_maxpool(net, input, pool_from_word(word))
                                                : net_avgpool(net, input, pool_from_word(word));
        const Shape shape = net_layer_info(net, made).shape;
        net_free(net);
        return slide(x, word, shape, w);
    }
    Value y = map(x, word);
    if (word_is(word, "batchnorm") || word_is(word, "layernorm"))
        norm(&y, word_is(word, "batchnorm"), w);
    return y;
}

static double
softmax_loss(const Value *x, const int *labels)
{
    const int classes = elements(x) / x->batch;
    double loss = 0;
    for (int b = 0; b < x->batch; b++) {
        const double *row = x->x + b * classes;
        double sum = 0;
        for (int c = 0; c < classes; c++)
            sum += exp(row[c] - row[labels[b]]);
        loss += log(sum) / x->batch;
    }
    return loss;
}

double
reference_loss(const char *layers, Shape input, int batch, const float *x, const int *labels, const double *parameters)
{
    Value value = value_create(batch, input.height, input.width, input.channels);
    char word[32];
    int length;
    for (int i = 0; i < elements(&value); i++)
        value.x[i] = x[i];
    for (; sscanf(layers, "%31s%n", word, &length) == 1 && strcmp(word, "softmax") != 0; layers += length) {
        Value next = apply(&value, word, &parameters);
        array_free(value.x);
        value = next;
    }
    const double loss = softmax_loss(&value, labels);
    array_free(value.x);
    return loss;
}
