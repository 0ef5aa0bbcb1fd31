/* See bench_net.h. SPDX-License-Identifier: MIT */
#include "nn/models/bench_net.h"
#include "core/array.h"
#include "core/rng.h"
#include "nn/work.h"
#include <stdio.h>
#include <string.h>

Shape
bench_net_input(const BenchNet *what)
{
    return what->model ? what->model->input : (Shape){1, 1, what->inputs};
}

size_t
bench_net_features(const BenchNet *what)
{
    const Shape s = bench_net_input(what);
    return (size_t)s.height * (size_t)s.width * (size_t)s.channels;
}

const Model *
bench_net_model(const char *name)
{
    return strcmp(name, "mlp") == 0 ? NULL : model_find(name);
}

const char *
bench_net_text(const BenchNet *what, char text[BENCH_NET_TEXT])
{
    const Shape s = bench_net_input(what);
    if (what->model) {
        snprintf(text, BENCH_NET_TEXT, "%s, %d x %d x %d", what->model->name, s.height, s.width, s.channels);
        return text;
    }
    int length = snprintf(text, BENCH_NET_TEXT, "%d", what->inputs);
    for (int l = 0; l < what->hidden.count; l++)
        length += snprintf(text + length, BENCH_NET_TEXT - (size_t)length, "-%d", what->hidden.values[l]);
    snprintf(text + length, BENCH_NET_TEXT - (size_t)length, "-%d, ReLU", what->classes);
    return text;
}

Net *
bench_net_create(const BenchNet *what, const Backend *backend)
{
    const Shape s = bench_net_input(what);
    Net *net = net_create(backend, 1);
    int x = net_input(net, s.height, s.width, s.channels);
    if (what->model) {
        net_softmax_loss(net, what->model->build(net, x, what->classes));
        return net;
    }
    for (int l = 0; l < what->hidden.count; l++)
        x = net_relu(net, net_dense(net, x, what->hidden.values[l]));
    net_softmax_loss(net, net_dense(net, x, what->classes));
    return net;
}

size_t
bench_net_parameters(const BenchNet *what)
{
    Net *net = bench_net_create(what, NULL);
    const size_t parameters = net_parameter_count(net);
    net_free(net);
    return parameters;
}

double
bench_net_flops(const BenchNet *what, int batch)
{
    Net *net = bench_net_create(what, NULL);
    NetWork work = net_work(net, batch);
    const double flops = 2.0 * (double)(work.all.forward + work_backward(&work.all));
    net_work_free(&work);
    net_free(net);
    return flops;
}

BenchData
bench_data_create(const BenchNet *what, size_t samples, int part)
{
    enum { STREAM_X = 1, STREAM_LABELS, STREAMS };
    const uint64_t first = (uint64_t)part * (STREAMS - STREAM_X);
    const size_t n = samples * bench_net_features(what);
    BenchData data = {ARRAY(float, n), ARRAY(int, samples)};
    Rng rng = rng_create(1, first + STREAM_LABELS);
    rng_fill_normal(1, first + STREAM_X, 0, data.x, n, 0, 1);
    for (size_t i = 0; i < samples; i++)
        data.labels[i] = (int)rng_below(&rng, (uint64_t)what->classes);
    return data;
}

void
bench_data_free(BenchData *data)
{
    array_free(data->x);
    array_free(data->labels);
}
