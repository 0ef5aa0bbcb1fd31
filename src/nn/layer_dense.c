/* Dense, or fully connected: every output is a weighted sum of all inputs of the sample and a bias. w^l_{jk} goes from neuron k
 * of the layer below to neuron j of this one, so w is [out][in].
 *
 *     y = x w^T + b       dw = dy^T x       db = sum of dy over the batch       dx = dy w
 *
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "nn/layer.h"

enum { WEIGHT, BIAS };

static void
dense_shape(Net *net, Layer *layer)
{
    const size_t in = shape_elements(layer->input_shape[0]), out = (size_t)layer->options.dense.units;
    const size_t first = (size_t)layer->options.dense.first, whole = (size_t)layer->options.dense.whole;
    layer->shape = (Shape){1, 1, layer->options.dense.units};
    layer_parameter(net, layer, "weight", 2, (size_t[]){out, in}, START_WEIGHT, in, whole);
    layer_layout(net, LAYOUT_OF_IMAGE, layer->input_image);
    layer_shard(net, first, whole);
    layer_parameter(net, layer, "bias", 1, (size_t[]){out}, START_ZERO, in, whole);
    layer_shard(net, first, whole);
}

static void
dense_forward(const Pass *pass)
{
    const int in = (int)shape_elements(pass->layer->input_shape[0]), out = pass->layer->options.dense.units;
    const Backend *backend = pass->backend;
    backend->bias_fill(pass->size, out, pass->parameter[BIAS], pass->y);
    backend->gemm(false, true, pass->size, out, in, 1, pass->x[0], in, pass->parameter[WEIGHT], in, 1, pass->y, out);
}

static void
dense_backward_weights(const Pass *pass)
{
    const int in = (int)shape_elements(pass->layer->input_shape[0]), out = pass->layer->options.dense.units;
    const Backend *backend = pass->backend;
    backend->gemm(true, false, out, in, pass->size, 1, pass->dy, out, pass->x[0], in, 0, pass->gradient[WEIGHT], in);
    backend->clear((size_t)out, pass->gradient[BIAS]);
    backend->bias_gradient(pass->size, out, pass->dy, pass->gradient[BIAS]);
}

static void
dense_backward_inputs(const Pass *pass)
{
    const int in = (int)shape_elements(pass->layer->input_shape[0]), out = pass->layer->options.dense.units;
    pass->backend->gemm(false, false, pass->size, in, out, 1, pass->dy, out, pass->parameter[WEIGHT], in, 0,
                        pass->dx[0], in);
}

static const LayerType dense_type = {
    .name = "dense",
    .kind = LAYER_DENSE,
    .shape = dense_shape,
    .forward = dense_forward,
    .backward_inputs = dense_backward_inputs,
    .backward_weights = dense_backward_weights,
    .weights_read_x = true,
};

int
net_dense_shard(Net *net, int x, int units, Shard shard)
{
    CHECK_THAT(units >= 1, "net_dense: %d units: at least 1 is needed", units);
    CHECK_THAT(
        shard.index >= 0 && shard.index < shard.count && shard.count <= units,
        "net_dense_shard: shard %d of %d: expected 0 to one less than the shards, at most one for each of the %d "
        "units",
        shard.index, shard.count, units);
    const int first = (int)((int64_t)units * shard.index / shard.count),
              end = (int)((int64_t)units * (shard.index + 1) / shard.count);
    const LayerOptions options = {.dense = {.units = end - first, .first = first, .whole = units}};
    return net_append(net, &dense_type, "net_dense", 1, &x, options);
}

int
net_dense(Net *net, int x, int units)
{
    return net_dense_shard(net, x, units, (Shard){0, 1});
}
