/* For the tests of the GPU's rungs: the same checks on the emulator in three orders of threads, on the emulator that watches,
 * which must find nothing, and on the device where there is one.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_GPU_RUNGS_H
#define TESTS_GPU_RUNGS_H

#include "core/array.h"
#include "tests/gpu/checked.h"

static const char *const rungs_orders[] = {"forward", "reverse", "17"};
enum { RUNGS_ORDERS = COUNT(rungs_orders) };

static inline void
rungs_use_order(int order)
{
    setenv("RUNGS_EMULATOR_ORDER", rungs_orders[order % RUNGS_ORDERS], 1);
}

static inline const GpuLibrary *
rungs_library(GpuKind kind)
{
    const GpuLibrary *gpu = gpu_library(kind, &error);
    if (gpu == NULL)
        skip_test("%s", error.text);
    return gpu;
}

/* ---- the same checks everywhere ----------------------------------------------------------------------------------------- */

/* Checks all rungs on a ladder's shape number `shape`. */
typedef void RungsCheck(const GpuLibrary *gpu, int shape);

/* Each shape in one order of threads, the next shape in the next order; or each in all of them. */
static inline void
rungs_on_emulator(RungsCheck *check, int shapes, bool all_orders)
{
    const GpuLibrary *gpu = rungs_library(GPU_EMULATOR);
    for (int shape = 0; shape < shapes; shape++)
        for (int order = 0; order < (all_orders ? RUNGS_ORDERS : 1); order++) {
            rungs_use_order(shape + order);
            check(gpu, shape);
        }
}

static inline void
rungs_without_findings(RungsCheck *check, int shapes, bool all_orders)
{
    const Checked checked = checked_open("librungs_emulator_checked.so", 2);
    checked.reset();
    for (int shape = 0; shape < shapes; shape++)
        for (int order = 0; order < (all_orders ? RUNGS_ORDERS : 1); order++) {
            rungs_use_order(shape + order + 1);
            check(checked.library, shape);
        }
    ck_assert_int_eq(checked.leaks(), 0);
    if (checked.findings() > 0)
        checked.report(stderr, "A100");
    ck_assert_int_eq(checked.findings(), 0);
}

static inline void
rungs_on_device(RungsCheck *check, int shapes)
{
    const GpuLibrary *gpu = rungs_library(GPU_DEVICE);
    for (int shape = 0; shape < shapes; shape++)
        check(gpu, shape);
}

/* The tests of a ladder. checked_shapes: the first of the shapes, where every access is watched.
 * all_orders: each shape in every order of threads. */
#define RUNGS_CHECKED_ON(check, shapes, checked_shapes, all_orders)                                                    \
    TEST(right_on_the_emulator)                                                                                        \
    {                                                                                                                  \
        rungs_on_emulator(check, (int)(shapes), all_orders);                                                           \
    }                                                                                                                  \
    TEST(no_findings)                                                                                                  \
    {                                                                                                                  \
        rungs_without_findings(check, (int)(checked_shapes), all_orders);                                              \
    }                                                                                                                  \
    TEST(right_on_the_device)                                                                                          \
    {                                                                                                                  \
        rungs_on_device(check, (int)(shapes));                                                                         \
    }

static inline void
rungs_no_error(const char *message)
{
    ck_assert_msg(message == NULL, "%s", message);
}

/* The emulator that counts, with its counts forgotten. */
static inline Checked
rungs_counters(void)
{
    const Checked checked = checked_open("librungs_emulator_checked.so", 2);
    if (!((int (*)(void))function_of(checked.library, "emulator_counts_exact"))())
        skip_test("clang compiled the kernels: counts are rough");
    checked.reset();
    return checked;
}

/* What the kernel counted since it was asked last. */
static inline EmulatorCounts
rungs_counted(const Checked *checked, const char *kernel)
{
    rungs_no_error(checked->library->synchronize());
    const EmulatorKernel *it = checked->kernel_named(kernel);
    ck_assert_msg(it != NULL, "%s has not run", kernel);
    const EmulatorCounts total = it->total;
    return total;
}

/* ---- device memory ------------------------------------------------------------------------------------------- */

/* A copy of x[n]. NULL if n is 0. */
static inline float *
rungs_input(const GpuLibrary *gpu, const float *x, size_t n)
{
    float *memory = gpu->allocate(n * sizeof(float));
    ck_assert(memory != NULL || n == 0);
    rungs_no_error(gpu->copy_in(memory, x, n * sizeof(float)));
    return memory;
}

/* Room for n floats, NaN, and behind them floats that must stay NaN. Where every access is watched there are none: it would not
 * see that they are read. */
enum { RUNGS_BEHIND = 8 };

static inline size_t
rungs_behind(const GpuLibrary *gpu)
{
    return gpu->properties.checked ? 0 : RUNGS_BEHIND;
}

static inline float *
rungs_output(const GpuLibrary *gpu, size_t n)
{
    const size_t bytes = (n + rungs_behind(gpu)) * sizeof(float);
    float *memory = gpu->allocate(bytes);
    ck_assert(memory != NULL || bytes == 0);
    rungs_no_error(gpu->fill(memory, 0xff, bytes));
    return memory;
}

/* Waits, copies rungs_output's floats to got and gives the memory back. */
static inline void
rungs_fetch(const GpuLibrary *gpu, float *memory, float *got, size_t n, const char *what)
{
    const size_t behind = rungs_behind(gpu);
    float *all = ARRAY(float, n + behind);
    const char *message = gpu->synchronize();
    ck_assert_msg(message == NULL, "%s: %s", what, message);
    rungs_no_error(gpu->copy_out(all, memory, (n + behind) * sizeof(float)));
    memcpy(got, all, n * sizeof(float));
    for (size_t i = 0; i < behind * sizeof(float); i++)
        ck_assert_msg(((unsigned char *)(all + n))[i] == 0xff, "%s: wrote behind the %zu floats of its output", what,
                      n);
    array_free(all);
    gpu->free(memory);
}

#endif
