/* Nothing is allocated in a training step but the first. The allocator's entry points are replaced, in this program
 * alone, by ones that count;
 * glibc's own stand behind them. Sanitizers replace the allocator themselves: there the test is skipped.
 * SPDX-License-Identifier: MIT */
#include "cpu/backend.h"
#include "nn/optimizer.h"
#include "tests/nets.h"
#include "tests/testing.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ALLOCATOR_IS_REPLACED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define ALLOCATOR_IS_REPLACED 1
#endif

static volatile size_t allocations;

#ifdef ALLOCATOR_IS_REPLACED
static const bool counting = false;
#else
static const bool counting = true;
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *
malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *
realloc(void *old, size_t size)
{
    allocations++;
    return __libc_realloc(old, size);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __libc_memalign(alignment, size);
}

int
posix_memalign(void **memory, size_t alignment, size_t size)
{
    allocations++;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : 12;
}
#endif

static void
step(Run *run, Optimizer *optimizer, const Batch *batch)
{
    Net *net = run_net(run);
    run_forward(run, batch);
    run_backward(run, 1, RUN_ONLY);
    optimizer_step(optimizer, net_parameters(net), net_gradients(net), 0.01);
}

static void
check_with(const char *kernels, OptimizerKind kind, Shape input, const char *layers)
{
    static float x[32 * 128];
    static int labels[32];
    Run *run = run_from_text(cpu_backend(kernels, NULL), 1, input, layers, 32);
    const Net *net = run_net(run);
    Optimizer *optimizer = optimizer_create(net_backend(net), kind, optimizer_defaults(), net_parameter_count(net));
    ck_assert_uint_gt(allocations, 0); /* the counter counts */
    step(run, optimizer,
         &(Batch){32, x, labels, NULL}); /* the kernels' workspace grows to its size, and stays (core/workspace.h) */
    const size_t before = allocations;
    for (int i = 1; i <= 32; i++)
        step(run, optimizer, &(Batch){i, x, labels, NULL});
    const size_t made = allocations - before; /* a variable: the assertion itself allocates */
    ck_assert_uint_eq(made, 0);
    optimizer_free(optimizer);
    run_free_all(run);
}

static void
check(const char *kernels)
{
    if (!counting)
        skip_test("the allocator of this build cannot be counted");
    for (int kind = OPTIMIZER_SGD; kind <= OPTIMIZER_ADAM; kind++)
        check_with(kernels, (OptimizerKind)kind, (Shape){1, 1, 40},
                   "dense64 relu twice dense33 tanh dense17 sigmoid dense10 softmax");
    check_with(
        kernels, OPTIMIZER_ADAM, (Shape){8, 8, 2},
        "conv6k5p2 batchnorm relu max2 conv16k3p1g2 layernorm twice wide conv8k1 avg2 drop50 flatten dense10 softmax");
    check_with(kernels, OPTIMIZER_ADAM, (Shape){8, 8, 2}, "conv16k3p1 relu conv16k3p1 relu global dense10 softmax");
}

TEST_CALL(a_step_with_the_naive_kernels_allocates_nothing, check("naive"))
TEST_CALL(a_step_with_the_best_kernels_allocates_nothing, check("best"))

TEST_MAIN("net allocation")
