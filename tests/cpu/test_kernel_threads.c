/* The same bits whatever the number of threads, on arrays long enough that threads are used.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "core/rng.h"
#include "cpu/backend.h"
#include "cpu/chunks.h"
#include "tests/testing.h"

enum { N = CHUNKS_MIN + 3 * CHUNK + 977 };

typedef struct Data {
    float *x, *y; /* inputs */
    float *a, *b, *c;
    double sum;
} Data;

static const Backend *backend;

/* Runs a kernel on fresh data with 1 to 4 threads and compares all that it may have written. */
static void
check(void (*run)(Data *data))
{
    Data first = {0}, now;
    for (int threads = 1; threads <= 4; threads++) {
        now = (Data){ARRAY(float, N), ARRAY(float, N), ARRAY(float, N), ARRAY(float, N), ARRAY(float, N), 0};
        float *const arrays[] = {now.x, now.y, now.a, now.b, now.c};
        for (uint64_t i = 0; i < 5; i++)
            rng_fill_uniform(3, i, 0, arrays[i], N, i == 4 ? 0 : -2, 2); /* c may be a variance: positive */
        backend = cpu_backend("best", NULL);
        host_set_threads(threads);
        run(&now);
        if (threads == 1) {
            first = now;
            continue;
        }
        const float *const wants[] = {first.x, first.y, first.a, first.b, first.c};
        for (int i = 0; i < 5; i++) {
            ck_assert_msg(memcmp(arrays[i], wants[i], N * sizeof(float)) == 0, "%d threads: array %d has other bits",
                          threads, i);
            array_free(arrays[i]);
        }
        ck_assert_msg(memcmp(&now.sum, &first.sum, sizeof now.sum) == 0, "%d threads: another sum", threads);
    }
    float *const arrays[] = {first.x, first.y, first.a, first.b, first.c};
    for (int i = 0; i < 5; i++)
        array_free(arrays[i]);
}

static void
run_activations(Data *d)
{
    backend->activation_forward(ACTIVATION_SIGMOID, N, d->x, d->a);
    backend->activation_forward(ACTIVATION_TANH, N, d->x, d->b);
    backend->activation_forward(ACTIVATION_RELU, N, d->x, d->c);
}

static void
run_activation_gradients(Data *d)
{
    backend->activation_backward(ACTIVATION_SIGMOID, N, d->x, d->y, d->a);
    backend->activation_backward(ACTIVATION_TANH, N, d->x, d->y, d->b);
    backend->activation_backward(ACTIVATION_RELU, N, d->x, d->y, d->c);
    backend->add(N, d->x, d->y);
}

static void
softmax_of(Data *d, int classes)
{
    static int labels[N];
    const int rows = N / classes;
    for (int r = 0; r < rows; r++)
        labels[r] = r % classes;
    d->sum = backend->softmax_loss(rows, classes, d->x, labels, d->a);
    backend->softmax_loss_backward(rows, classes, d->a, labels, 0.25F, d->b);
}

static void
run_softmax_10(Data *d)
{
    softmax_of(d, 10);
}

static void
run_softmax_1013(Data *d)
{
    softmax_of(d, 1013);
}

static void
run_mse(Data *d)
{
    d->sum = backend->mse_loss(N, d->x, d->y);
    backend->mse_loss_backward(N, d->x, d->y, 0.3F, d->a);
}

static void
run_bias(Data *d)
{
    backend->bias_fill(N / 101, 101, d->x, d->a);
    backend->bias_gradient(N / 101, 101, d->y, d->b);
    backend->bias_gradient(3, N / 3, d->y, d->c);
}

static void
run_sgd(Data *d)
{
    backend->sgd_step(N, d->a, d->x, 0.1F, 0.01F);
    backend->momentum_step(N, d->b, d->x, d->c, 0.1F, 0.9F, 0.01F, true);
    backend->momentum_step(N, d->b, d->x, d->c, 0.1F, 0.9F, 0.01F, false);
}

static void
run_adam(Data *d)
{
    backend->adam_step(N, d->a, d->x, d->b, d->c, 0.1F, 0.9, 0.999, 1e-8F, 0.01F, 0.1, 0.001);
}

#define SAME_BITS(name)                                                                                                \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        check(run_##name);                                                                                             \
    }

SAME_BITS(activations)
SAME_BITS(activation_gradients)
SAME_BITS(softmax_10)
SAME_BITS(softmax_1013)
SAME_BITS(mse)
SAME_BITS(bias)
SAME_BITS(sgd)
SAME_BITS(adam)

TEST_MAIN("kernel threads")
