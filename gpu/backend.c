/* The device's kernel table. Most of its functions are the library's own (gpu/backend/kernels.h); those that return something, or
 * need memory for a step between, are here.
 * SPDX-License-Identifier: MIT */
#include "gpu/backend.h"
#include "core/checked.h"
#include "gpu/backend/kernels.h"
#include "gpu/gemm/gemm.h"
#include <math.h>
#include <string.h>

/* What is taken from the library: member `add` is launch_add. gemm_shared_tile: the rung of gpu/gemm that networks run on. */
#define KERNELS(_)                                                                                                     \
    _(gemm_shared_tile)                                                                                                \
    _(transposed)                                                                                                      \
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
    _(conv_forward)                                                                                                    \
    _(conv_input_gradient)                                                                                             \
    _(conv_weight_gradient)                                                                                            \
    _(max_pool_forward)                                                                                                \
    _(max_pool_backward)                                                                                               \
    _(average_pool_forward)                                                                                            \
    _(average_pool_backward)                                                                                           \
    _(batch_norm_forward)                                                                                              \
    _(batch_norm_infer)                                                                                                \
    _(batch_norm_backward)                                                                                             \
    _(layer_norm_forward)                                                                                              \
    _(layer_norm_backward)                                                                                             \
    _(softmax_loss)                                                                                                    \
    _(softmax_loss_backward)                                                                                           \
    _(mse_loss)                                                                                                        \
    _(mse_loss_backward)                                                                                               \
    _(sgd_step)                                                                                                        \
    _(momentum_step)                                                                                                   \
    _(adam_step)

#define POINTER(name) __typeof__(launch_##name) *name;
#define PLACE(name)   {"launch_" #name, &launch.name},

static struct {
    KERNELS(POINTER)
} launch;
static const GpuLibrary *library; /* whose functions they are; NULL before the first gpu_backend */

/* ---- memory ------------------------------------------------------------------------------------------ */

/* What functions need for a step between: it grows to the largest that was asked for, and goes with the last array of the
 * caller's. */
static struct {
    void *memory;
    size_t bytes;
} room;
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
    library->free(room.memory);
    room.memory = NULL;
    room.bytes = 0;
}

static void *
room_for(size_t bytes)
{
    if (room.memory != NULL && bytes <= room.bytes)
        return room.memory;
    library->free(room.memory);
    room.memory = allocate_bytes(bytes);
    room.bytes = bytes;
    return room.memory;
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

/* The rungs of gpu/gemm do not transpose: operands that are to be are turned first, which costs a pass over them. */
static void
gemm(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda, const float *B,
     int ldb, float beta, float *C, int ldc)
{
    const size_t a = transpose_a ? (size_t)M * (size_t)K : 0, b = transpose_b ? (size_t)K * (size_t)N : 0;
    float *turned_a = room_for((a + b) * sizeof(float)), *turned_b = turned_a + a;
    if (transpose_a) {
        launch.transposed(K, M, A, lda, turned_a);
        A = turned_a;
        lda = K;
    }
    if (transpose_b) {
        launch.transposed(N, K, B, ldb, turned_b);
        B = turned_b;
        ldb = N;
    }
    launch.gemm_shared_tile(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
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
fetched(const double *memory)
{
    double number;
    device_copy_out(&number, memory, sizeof(number));
    return number;
}

static double
softmax_loss(int rows, int classes, const float *logits, const int *labels, float *probability)
{
    double *sum = room_for(((size_t)rows + 1) * sizeof(double));
    launch.softmax_loss(rows, classes, logits, labels, probability, sum + 1, sum);
    return labels != NULL ? fetched(sum) : NAN;
}

static double
mse_loss(size_t n, const float *x, const float *target)
{
    double *sum = room_for(sizeof(double));
    launch.mse_loss(n, x, target, sum);
    return fetched(sum);
}

static bool
all_finite(size_t n, const float *x)
{
    int found, *flag = room_for(sizeof(found));
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
        .conv_forward = launch.conv_forward,
        .conv_input_gradient = launch.conv_input_gradient,
        .conv_weight_gradient = launch.conv_weight_gradient,
        .max_pool_forward = launch.max_pool_forward,
        .max_pool_backward = launch.max_pool_backward,
        .average_pool_forward = launch.average_pool_forward,
        .average_pool_backward = launch.average_pool_backward,
        .batch_norm_forward = launch.batch_norm_forward,
        .batch_norm_infer = launch.batch_norm_infer,
        .batch_norm_backward = launch.batch_norm_backward,
        .layer_norm_forward = launch.layer_norm_forward,
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

/* Each is stored where its pointer lies: all pointers to functions have one size (POSIX). */
static bool
take_kernels(const GpuLibrary *from, Error *error)
{
    const struct {
        const char *name;
        void *where;
    } kernels[] = {KERNELS(PLACE)};
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        LibraryFunction *function = gpu_function(from, kernels[i].name, error);
        if (function == NULL)
            return false;
        memcpy(kernels[i].where, &function, sizeof(function));
    }
    return true;
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
    if (library == NULL && !take_kernels(wanted, error))
        return NULL;
    library = wanted;
    table = make_table(kind);
    return &table;
}
