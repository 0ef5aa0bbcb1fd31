/* pooling: the ladders. A size is B x H x W x C x kernel x stride x padding, as in 32x112x112x64x3x2x1.
 * SPDX-License-Identifier: MIT */
#include "cpu/ladder_arrays.h"
#include "cpu/ladders.h"
#include "cpu/pool/pool.h"
#include "cpu/pool/taps.h"
#include <float.h>
#include <math.h>
#include <string.h>

static PoolShape
shape_of(const int *size)
{
    const Window window = window_square(size[4], size[5], size[6], 1);
    return (PoolShape){.batch = size[0],
                       .height = size[1],
                       .width = size[2],
                       .channels = size[3],
                       .out_height = window_outputs(window.vertical, size[1]),
                       .out_width = window_outputs(window.horizontal, size[2]),
                       .window = window};
}

static size_t
inputs_of(const int *size)
{
    return ladder_arrays_count(4, size);
}

static size_t
outputs_of_pool(const int *size)
{
    const PoolShape s = shape_of(size);
    return (size_t)s.batch * (size_t)s.out_height * (size_t)s.out_width * (size_t)s.channels;
}

static bool
size_is_possible(const int *size, Error *error)
{
    if (size[4] >= 1 && size[5] >= 1 && size[6] < size[4] && inputs_of(size) < SIZE_MAX / 64)
        return true;
    return error_set(
        error,
        "pooling %dx%dx%dx%d with kernel %d, stride %d, padding %d: expected a kernel and a stride of 1 or "
        "more, and a padding smaller than the kernel; as in 32x112x112x64x3x2x1",
        size[0], size[1], size[2], size[3], size[4], size[5], size[6]);
}

/* LadderArray 0: x, or of a gradient dy; 1: where the winners go, or come from; 2: of a gradient, the x that they are found in. */
static LadderArrays
describe(const int *size, uint64_t seed)
{
    LadderArrays s = {.seed = seed};
    memcpy(s.size, size, 7 * sizeof *size);
    return s;
}

static void *
create(const int *size, uint64_t seed, Error *error)
{
    if (!size_is_possible(size, error))
        return NULL;
    LadderArrays description = describe(size, seed);
    description.array[0] = (LadderArray){inputs_of(size), -1, 1, NULL};
    description.array[1] = (LadderArray){outputs_of_pool(size), -1, 1, NULL};
    return ladder_arrays_create(&description, error);
}

static void
call_max(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    const PoolShape s = shape_of(in->size);
    ((MaxPoolForward *)function)(&s, in->array[0].x, output, (int32_t *)(void *)in->array[1].x);
}

static void
call_average(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    const PoolShape s = shape_of(in->size);
    ((AveragePoolForward *)function)(&s, in->array[0].x, output);
}

/* Sum and maximum of one channel of one window. */
static double
window(const PoolShape *s, Taps down, Taps along, const float *image, bool maximum)
{
    double sum = 0, max = -INFINITY;
    for (int h = down.first; h < down.end; h += down.step)
        for (int w = along.first; w < along.end; w += along.step) {
            const double x = (double)image[((size_t)h * (size_t)s->width + (size_t)w) * (size_t)s->channels];
            sum += x;
            max = x > max ? x : max; /* gcc 12 fails to compile fmax of widened floats here for AArch64 */
        }
    return maximum ? max : sum / (down.counted * along.counted);
}

static void
reference(const LadderArrays *in, bool maximum, double *want, double *tolerance)
{
    const PoolShape s = shape_of(in->size);
    const double terms = in->size[4] * in->size[4] + 2.0;
    size_t n = 0;
    for (int b = 0; b < s.batch; b++)
        for (int i = 0; i < s.out_height; i++)
            for (int j = 0; j < s.out_width; j++)
                for (int c = 0; c < s.channels; c++, n++) {
                    want[n] = window(&s, taps_down(&s, i), taps_along(&s, j), in->array[0].x + pool_image(&s, b) + c,
                                     maximum);
                    tolerance[n] = maximum ? 0 : terms * (double)FLT_EPSILON / 2;
                }
}

static void
max_reference(const void *inputs, double *want, double *tolerance)
{
    reference(inputs, true, want, tolerance);
}

static void
average_reference(const void *inputs, double *want, double *tolerance)
{
    reference(inputs, false, want, tolerance);
}

static double
forward_flops(const int *size)
{
    return (double)outputs_of_pool(size) * size[4] * size[4];
}

static double
max_bytes(const int *size)
{
    return 4.0 * (double)inputs_of(size) + 8.0 * (double)outputs_of_pool(size);
}

static double
average_bytes(const int *size)
{
    return 4.0 * (double)inputs_of(size) + 4.0 * (double)outputs_of_pool(size);
}

/* ---- backward --------------------------------------------------------------------------------------------------------------- */

static void
refresh_gradient(void *inputs, uint64_t round)
{
    LadderArrays *in = inputs;
    const PoolShape s = shape_of(in->size);
    ladder_arrays_refresh(in, round);
    max_pool_forward_vector(&s, in->array[2].x, in->array[3].x, (int32_t *)(void *)in->array[1].x);
}

static void *
create_gradient(const int *size, uint64_t seed, Error *error)
{
    if (!size_is_possible(size, error))
        return NULL;
    const size_t outputs = outputs_of_pool(size);
    LadderArrays description = describe(size, seed);
    for (int i = 0; i < 4; i++)
        description.array[i] = (LadderArray){i == 2 ? inputs_of(size) : outputs, -1, 1, NULL};
    LadderArrays *in = ladder_arrays_create(&description, error);
    if (in != NULL)
        refresh_gradient(in, 0);
    return in;
}

static void
call_max_gradient(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    const PoolShape s = shape_of(in->size);
    ((MaxPoolBackward *)function)(&s, in->array[0].x, (const int32_t *)(const void *)in->array[1].x, output);
}

static void
call_average_gradient(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    const PoolShape s = shape_of(in->size);
    ((AveragePoolBackward *)function)(&s, in->array[0].x, output);
}

/* dy scattered, in double; the tolerance collects |dy|. image: from one channel on. */
static void
spread(const PoolShape *s, Taps down, Taps along, double dy, double *image, double *sizes)
{
    for (int h = down.first; h < down.end; h += down.step)
        for (int w = along.first; w < along.end; w += along.step) {
            const size_t at = ((size_t)h * (size_t)s->width + (size_t)w) * (size_t)s->channels;
            image[at] += dy / (down.counted * along.counted);
            sizes[at] += fabs(dy);
        }
}

static void
reference_gradient(const LadderArrays *in, bool maximum, double *want, double *tolerance)
{
    const PoolShape s = shape_of(in->size);
    const int32_t *winner = (const int32_t *)(const void *)in->array[1].x;
    const size_t C = (size_t)s.channels;
    const double terms = in->size[4] * in->size[4] + 2.0;
    memset(want, 0, inputs_of(in->size) * sizeof *want);
    memset(tolerance, 0, inputs_of(in->size) * sizeof *tolerance);
    for (size_t n = 0; n < outputs_of_pool(in->size); n++) {
        const size_t pixel = n / C, out_width = (size_t)s.out_width, out_height = (size_t)s.out_height;
        const int j = (int)(pixel % out_width), i = (int)(pixel / out_width % out_height);
        const size_t image = pool_image(&s, (int)(pixel / out_width / out_height)) + n % C;
        const double dy = (double)in->array[0].x[n];
        if (maximum) {
            want[image + (size_t)winner[n] * C] += dy;
            tolerance[image + (size_t)winner[n] * C] += fabs(dy);
        } else {
            spread(&s, taps_down(&s, i), taps_along(&s, j), dy, want + image, tolerance + image);
        }
    }
    for (size_t n = 0; n < inputs_of(in->size); n++)
        tolerance[n] *= terms * (double)FLT_EPSILON / 2;
}

static void
max_gradient_reference(const void *inputs, double *want, double *tolerance)
{
    reference_gradient(inputs, true, want, tolerance);
}

static void
average_gradient_reference(const void *inputs, double *want, double *tolerance)
{
    reference_gradient(inputs, false, want, tolerance);
}

/* ---- the tables ------------------------------------------------------------------------------------------------------------- */

#define RUNGS(naive, vector, top)                                                                                      \
    {                                                                                                                  \
        {.name = "naive",                                                                                              \
         .idea = "a channel of a window at a time",                                                                    \
         .file = "cpu/pool/01_naive.c",                                                                                \
         .function = (LadderFunction *)naive},                                                                         \
        {                                                                                                              \
            .name = "vector", .idea = "vectors along the channels, threads", .file = top,                              \
            .function = (LadderFunction *)vector                                                                       \
        }                                                                                                              \
    }

static const Rung max_rungs[] = RUNGS(max_pool_forward_naive, max_pool_forward_vector, "cpu/pool/02_vector.c");
static const Rung max_gradient_rungs[] =
    RUNGS(max_pool_backward_naive, max_pool_backward_vector, "cpu/pool/02_vector.c");
static const Rung average_rungs[] =
    RUNGS(average_pool_forward_naive, average_pool_forward_vector, "cpu/pool/02_vector_average.c");
static const Rung average_gradient_rungs[] =
    RUNGS(average_pool_backward_naive, average_pool_backward_vector, "cpu/pool/02_vector_average.c");

/* clang-format off */
#define POOL(ladder_name, text, prefix, limit, creator, refresher, caller, results, count_bytes)                        \
    const Ladder ladder_name##_ladder = {                                                                              \
        .operation = {.name = #ladder_name, .formula = text, .dimensions = "BxHxWxCxKxSxP", .dimension_count = 7,      \
                      .counts = 6, .tolerance = limit, .lecture = "lectures/03-convolution.md", .create = creator,     \
                      .refresh = refresher, .reference = prefix##_reference, .call = caller,                           \
                      .destroy = ladder_arrays_destroy, .outputs = results, .flops = forward_flops, .bytes = count_bytes,    \
                      .streams = true},                                                                                \
        .rungs = prefix##_rungs, .count = 2}
/* clang-format on */

POOL(max_pool, "y = the largest x of each window, and which it was", max, "equal", create, ladder_arrays_refresh,
     call_max, outputs_of_pool, max_bytes);
POOL(max_pool_gradient, "dx = the sum of dy over the windows that x won", max_gradient,
     "|error| <= 2^-24 (K K + 2) sum |dy|", create_gradient, refresh_gradient, call_max_gradient, inputs_of, max_bytes);
POOL(average_pool, "y = the mean x of each window, padding included", average, "|error| <= 2^-24 (K K + 2)", create,
     ladder_arrays_refresh, call_average, outputs_of_pool, average_bytes);
POOL(average_pool_gradient, "dx = the sum of dy / K K over the windows of x", average_gradient,
     "|error| <= 2^-24 (K K + 2) sum |dy|", create_gradient, refresh_gradient, call_average_gradient, inputs_of,
     average_bytes);
