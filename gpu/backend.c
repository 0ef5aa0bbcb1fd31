/* The device's kernel table. Most of its functions are the library's own (gpu/backend/kernels.h); those that return something, or
 * need memory for a step between, are here.
 * SPDX-License-Identifier: MIT */
#include "gpu/backend.h"
#include "core/checked.h"
#include "gpu/backend/kernels.h"
#include "gpu/conv/conv.h"
#include "gpu/gemm/gemm.h"
#include "gpu/layernorm/layernorm.h"
#include "gpu/reduce/reduce.h"
#include "gpu/softmax/softmax.h"
#include "gpu/transpose/transpose.h"
#include <limits.h>
#include <math.h>

/* The functions of the library that networks run on: member `add` is launch_add. The first are rungs of the ladders in gpu/, the
 * best that keep floats as they are and, between them, accept every shape (`..._forward` and `softmax_loss` below choose):
 *
 *     gemm         rung 8: rungs 9 and 10 round A and B, 11 is nearly exact but makes NaN of an infinity
 *     transpose    rung 5: for operands that gemm's rungs, which do not transpose, cannot read in place
 *     conv         rung 3; where x is the matrix of patches rung 2, which is then gemm's product alone
 *     layernorm    rung 5 up to 1024 channels, else rung 4
 *     softmax      rung 5 up to 1024 classes, else rung 4
 *     reduce       rung 6: one launch, and the same bits each time */
#define KERNELS(_)                                                                                                     \
    _(gemm_double_buffer)                                                                                              \
    _(transpose_several_rows)                                                                                          \
    _(conv_im2col)                                                                                                     \
    _(conv_implicit)                                                                                                   \
    _(layer_norm_welford)                                                                                              \
    _(layer_norm_registers)                                                                                            \
    _(softmax_online)                                                                                                  \
    _(softmax_registers)                                                                                               \
    _(reduce_last_block)                                                                                               \
    _(find_not_finite)                                                                                                 \
    _(clear)                                                                                                           \
    _(narrow)                                                                                                          \
    _(widen)                                                                                                           \
    _(add)                                                                                                             \
    _(copy_rows)                                                                                                       \
    _(bias_fill)                                                                                                       \
    _(bias_gradient)                                                                                                   \
    _(sigmoid)                                                                                                         \
    _(tanh)                                                                                                            \
    _(relu)                                                                                                            \
    _(sigmoid_gradient)                                                                                                \
    _(tanh_gradient)                                                                                                   \
    _(relu_gradient)                                                                                                   \
    _(dropout)                                                                                                         \
    _(conv_input_gradient)                                                                                             \
    _(conv_weight_gradient)                                                                                            \
    _(max_pool_forward)                                                                                                \
    _(max_pool_backward)                                                                                               \
    _(average_pool_forward)                                                                                            \
    _(average_pool_backward)                                                                                           \
    _(batch_norm_forward)                                                                                              \
    _(batch_norm_infer)                                                                                                \
    _(batch_norm_backward)                                                                                             \
    _(layer_norm_backward)                                                                                             \
    _(softmax_loss_backward)                                                                                           \
    _(mse_loss)                                                                                                        \
    _(mse_loss_backward)                                                                                               \
    _(sgd_step)                                                                                                        \
    _(momentum_step)                                                                                                   \
    _(adam_step)

#define POINTER(name) __typeof__(launch_##name) *name;
#define ENTRY(name)   {"launch_" #name, &launch.name},

static struct {
    KERNELS(POINTER)
} launch;
static const GpuLibrary *library; /* whose functions they are; NULL before the first gpu_backend */

/* ---- memory ------------------------------------------------------------------------------------------ */

/* Scratch memory of the functions below: it grows to the largest request, and is freed with the caller's last array. */
static struct {
    void *memory;
    size_t bytes;
} scratch;
static size_t allocations; /* of the caller's */

static void
check(const char *failure)
{
    CHECK_THAT(failure == NULL, "the %s failed: %s", gpu_kind_name(library->kind), failure);
}

static void *
allocate_bytes(size_t bytes)
{
    void *memory = library->allocate(bytes > 0 ? bytes : 1);
    CHECK_THAT(memory != NULL, "the %s has no memory for %zu bytes more: make the network or the batch smaller",
               gpu_kind_name(library->kind), bytes);
    return memory;
}

static void *
device_allocate(size_t bytes)
{
    allocations++;
    return allocate_bytes(bytes);
}

static void
device_free(void *memory)
{
    if (memory == NULL)
        return;
    library->free(memory);
    if (--allocations > 0)
        return;
    library->free(scratch.memory);
    scratch.memory = NULL;
    scratch.bytes = 0;
}

static void *
scratch_of(size_t bytes)
{
    if (scratch.memory != NULL && bytes <= scratch.bytes)
        return scratch.memory;
    library->free(scratch.memory);
    scratch.memory = allocate_bytes(bytes);
    scratch.bytes = bytes;
    return scratch.memory;
}

static void
device_copy_in(void *memory, const void *host, size_t bytes)
{
    check(library->copy_in(memory, host, bytes));
}

static void
device_copy_out(void *host, const void *memory, size_t bytes)
{
    check(library->copy_out(host, memory, bytes));
}

static const Memory device_memory = {.separate = true,
                                     .allocate = device_allocate,
                                     .free = device_free,
                                     .copy_in = device_copy_in,
                                     .copy_out = device_copy_out};

/* ---- what is more than a launch ---------------------------------------------------------------------- */

static void
gemm(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda, const float *B,
     int ldb, float beta, float *C, int ldc)
{
    const size_t a = transpose_a ? (size_t)M * (size_t)K : 0, b = transpose_b ? (size_t)K * (size_t)N : 0;
    float *transposed_a = scratch_of((a + b) * sizeof(float)), *transposed_b = transposed_a + a;
    if (transpose_a) {
        launch.transpose_several_rows(K, M, A, lda, transposed_a);
        A = transposed_a;
        lda = K;
    }
    if (transpose_b) {
        launch.transpose_several_rows(N, K, B, ldb, transposed_b);
        B = transposed_b;
        ldb = N;
    }
    launch.gemm_double_buffer(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}

static void
conv_forward(const ConvShape *shape, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    const size_t pixels = gpu_conv_pixels(shape);
    CHECK_THAT(pixels < INT_MAX - 64, "a convolution of %zu pixels on the %s: make the batch smaller", pixels,
               gpu_kind_name(library->kind));
    (gpu_conv_is_product(shape) ? launch.conv_im2col : launch.conv_implicit)(shape, x, w, NULL, epilogue, y);
}

static void
layer_norm_forward(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                   float *y, float *mean, float *inverse)
{
    (channels <= LAYER_NORM_REGISTERS ? launch.layer_norm_registers : launch.layer_norm_welford)(
        rows, channels, x, gamma, beta, epsilon, y, mean, inverse);
}

static void
activation_forward(Activation kind, size_t n, const float *x, float *y)
{
    GpuActivation *const forward[] = {
        [ACTIVATION_SIGMOID] = launch.sigmoid, [ACTIVATION_TANH] = launch.tanh, [ACTIVATION_RELU] = launch.relu};
    forward[kind](n, x, y);
}

static void
activation_backward(Activation kind, size_t n, const float *y, const float *dy, float *dx)
{
    GpuActivationGradient *const backward[] = {[ACTIVATION_SIGMOID] = launch.sigmoid_gradient,
                                               [ACTIVATION_TANH] = launch.tanh_gradient,
                                               [ACTIVATION_RELU] = launch.relu_gradient};
    backward[kind](n, y, dy, dx);
}

static double
softmax_loss(int rows, int classes, const float *logits, const int *labels, float *probability)
{
    const size_t n = (size_t)rows;
    float total, *losses = scratch_of((n + 1 + reduce_work(n)) * sizeof(float)), *sum = losses + n;
    (classes <= SOFTMAX_REGISTERS ? launch.softmax_registers : launch.softmax_online)(rows, classes, logits, labels,
                                                                                      probability, losses);
    if (labels == NULL)
        return NAN;
    launch.reduce_last_block(n, losses, sum, sum + 1);
    device_copy_out(&total, sum, sizeof(total));
    return (double)total;
}

static double
mse_loss(size_t n, const float *x, const float *target)
{
    double sum, *sums = scratch_of(MSE_SUMS * sizeof(double));
    launch.mse_loss(n, x, target, sums);
    device_copy_out(&sum, sums, sizeof(sum));
    return sum;
}

static bool
all_finite(size_t n, const float *x)
{
    int found, *flag = scratch_of(sizeof(found));
    void *const bits = flag;
    launch.clear(1, bits); /* the bits of 0 are those of 0.0f */
    launch.find_not_finite(n, x, flag);
    device_copy_out(&found, flag, sizeof(found));
    return !found;
}

/* ---- the table --------------------------------------------------------------------------------------- */

static Backend
make_table(GpuKind kind)
{
    return (Backend){
        .name = gpu_kind_name(kind),
        .memory = &device_memory,
        .clear = launch.clear,
        .narrow = launch.narrow,
        .widen = launch.widen,
        .all_finite = all_finite,
        .gemm = gemm,
        .bias_fill = launch.bias_fill,
        .bias_gradient = launch.bias_gradient,
        .activation_forward = activation_forward,
        .activation_backward = activation_backward,
        .add = launch.add,
        .copy = launch.copy_rows,
        .dropout = launch.dropout,
        .conv_forward = conv_forward,
        .conv_input_gradient = launch.conv_input_gradient,
        .conv_weight_gradient = launch.conv_weight_gradient,
        .max_pool_forward = launch.max_pool_forward,
        .max_pool_backward = launch.max_pool_backward,
        .average_pool_forward = launch.average_pool_forward,
        .average_pool_backward = launch.average_pool_backward,
        .batch_norm_forward = launch.batch_norm_forward,
        .batch_norm_infer = launch.batch_norm_infer,
        .batch_norm_backward = launch.batch_norm_backward,
        .layer_norm_forward = layer_norm_forward,
        .layer_norm_backward = launch.layer_norm_backward,
        .softmax_loss = softmax_loss,
        .softmax_loss_backward = launch.softmax_loss_backward,
        .mse_loss = mse_loss,
        .mse_loss_backward = launch.mse_loss_backward,
        .sgd_step = launch.sgd_step,
        .momentum_step = launch.momentum_step,
        .adam_step = launch.adam_step,
    };
}

static bool
load_kernels(const GpuLibrary *from, Error *error)
{
    const GpuFunction kernels[] = {KERNELS(ENTRY)};
    return gpu_functions(from, kernels, sizeof(kernels) / sizeof(kernels[0]), error);
}

const Backend *
gpu_backend(GpuKind kind, Error *error)
{
    static Backend table;
    const GpuLibrary *wanted = gpu_library(kind, error);
    if (wanted == NULL)
        return NULL;
    if (library != NULL && library != wanted) {
        error_set(error, "the %s is in use: a process works with one kind of device", gpu_kind_name(library->kind));
        return NULL;
    }
    if (library == NULL && !load_kernels(wanted, error))
        return NULL;
    library = wanted;
    table = make_table(kind);
    return &table;
}
