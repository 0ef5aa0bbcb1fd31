/* Pooling: the largest or the mean of each window of pixels, channel by channel. The maximum keeps which pixel it
 * was. SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "nn/layer.h"

enum { WINDOW_MAX = 1 << 14 }; /* pixels */

/* One window: the global average. */
static Window
whole_image(Shape in)
{
    const WindowAxis vertical = {in.height, in.height, 0, 1}, horizontal = {in.width, in.width, 0, 1};
    return (Window){vertical, horizontal};
}

static PoolShape
shape_of(const Layer *layer, int batch)
{
    const Pool *pool = &layer->options.pool;
    const Shape in = layer->input_shape[0];
    return (PoolShape){.batch = batch,
                       .height = in.height,
                       .width = in.width,
                       .channels = in.channels,
                       .out_height = layer->shape.height,
                       .out_width = layer->shape.width,
                       .window = pool->kernel ? window_square(pool->kernel, pool->stride, pool->padding, 1)
                                              : whole_image(in)};
}

/* With ceil, one more window where pixels are left over, if it begins inside the image or its padding in front. */
static int
outputs(const Pool *pool, int pixels)
{
    const WindowAxis axis = {pool->kernel, pool->stride, pool->padding, 1};
    const int whole = window_outputs(axis, pixels);
    const int last_end = window_begin(axis, whole - 1) + pool->kernel;
    const bool more = whole > 0 && last_end < pixels + pool->padding && window_begin(axis, whole) < pixels;
    return whole + (pool->ceil && more);
}

static void
pool_shape(Net *net, Layer *layer)
{
    const Pool *pool = &layer->options.pool;
    const Shape in = layer->input_shape[0];
    (void)net;
    layer->shape = (Shape){outputs(pool, in.height), outputs(pool, in.width), in.channels};
    CHECK_THAT(layer->shape.height > 0 && layer->shape.width > 0,
               "pooling over %d x %d pixels: the image of %d x %d with padding %d is smaller", pool->kernel,
               pool->kernel, in.height, in.width, pool->padding);
}

static void
maxpool_shape(Net *net, Layer *layer)
{
    pool_shape(net, layer);
    layer->kept_each = shape_elements(layer->shape); /* the winners: int32_t are as large as floats */
}

static int32_t *
winners(const Pass *pass)
{
    return pass->kept;
}

static void
maxpool_forward(const Pass *pass)
{
    const PoolShape s = shape_of(pass->layer, pass->size);
    pass->backend->max_pool_forward(&s, pass->x[0], pass->y, winners(pass));
}

static void
maxpool_backward(const Pass *pass)
{
    const PoolShape s = shape_of(pass->layer, pass->size);
    pass->backend->max_pool_backward(&s, pass->dy, winners(pass), pass->dx[0]);
}

static void
avgpool_forward(const Pass *pass)
{
    const PoolShape s = shape_of(pass->layer, pass->size);
    pass->backend->average_pool_forward(&s, pass->x[0], pass->y);
}

static void
avgpool_backward(const Pass *pass)
{
    const PoolShape s = shape_of(pass->layer, pass->size);
    pass->backend->average_pool_backward(&s, pass->dy, pass->dx[0]);
}

static void
global_shape(Net *net, Layer *layer)
{
    (void)net;
    layer->shape = (Shape){1, 1, layer->input_shape[0].channels};
}

static const LayerType maxpool_type = {.name = "maxpool",
                                       .kind = LAYER_POOLING,
                                       .shape = maxpool_shape,
                                       .forward = maxpool_forward,
                                       .backward_inputs = maxpool_backward,
                                       .passes_on = true};
static const LayerType avgpool_type = {.name = "avgpool",
                                       .kind = LAYER_POOLING,
                                       .shape = pool_shape,
                                       .forward = avgpool_forward,
                                       .backward_inputs = avgpool_backward,
                                       .passes_on = true};
static const LayerType global_type = {.name = "global avgpool",
                                      .shape = global_shape,
                                      .forward = avgpool_forward,
                                      .backward_inputs = avgpool_backward,
                                      .passes_on = true};

static int
append(Net *net, const LayerType *type, const char *call, int x, Pool pool)
{
    pool.stride = pool.stride ? pool.stride : pool.kernel;
    CHECK_THAT(pool.kernel >= 1 && pool.kernel <= WINDOW_MAX && pool.stride >= 1 && pool.stride <= WINDOW_MAX &&
                   pool.padding >= 0 && pool.padding <= pool.kernel / 2,
               "%s: kernel %d and stride %d must be 1 to %d, padding %d must be 0 to half the kernel", call,
               pool.kernel, pool.stride, WINDOW_MAX, pool.padding);
    return net_append(net, type, call, 1, &x, (LayerOptions){.pool = pool});
}

int
net_maxpool(Net *net, int x, Pool pool)
{
    return append(net, &maxpool_type, "net_maxpool", x, pool);
}

int
net_avgpool(Net *net, int x, Pool pool)
{
    return append(net, &avgpool_type, "net_avgpool", x, pool);
}

int
net_global_avgpool(Net *net, int x)
{
    return net_append(net, &global_type, "net_global_avgpool", 1, &x, (LayerOptions){0});
}
