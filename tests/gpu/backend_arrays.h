/* For the tests of the device's table of kernels: arrays that stand on both sides, the processor's and the device's, with guard
 * words around them.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_GPU_BACKEND_ARRAYS_H
#define TESTS_GPU_BACKEND_ARRAYS_H

#include "core/array.h"
#include "core/rng.h"
#include "cpu/backend.h"
#include "gpu/backend.h"
#include "tests/testing.h"

enum { GUARD = 32 };
static const uint32_t GUARD_WORD = 0xa5a5a5a5;

enum { CPU, GPU };
static const Backend *table[2];

/* Does the same with both tables; s is the side. */
#define ON_BOTH(call)                                                                                                  \
    for (int s = CPU; s <= GPU; s++)                                                                                   \
    table[s]->call

/* ---- arrays on both sides ---------------------------------------------------------------------------- */

/* n floats or n ints; x[GPU] is between guard words in device memory. */
typedef struct Array {
    float *x[2];
    size_t n;
} Array;

static inline Array
array_of(size_t n, const float *values)
{
    const size_t bytes = (n + 2 * (size_t)GUARD) * sizeof(float);
    uint32_t *words = ARRAY(uint32_t, n + 2 * (size_t)GUARD);
    for (size_t i = 0; i < n + 2 * (size_t)GUARD; i++)
        words[i] = GUARD_WORD;
    memcpy(words + GUARD, values, n * sizeof(float));
    Array a = {.n = n, .x = {ARRAY(float, n), (float *)table[GPU]->memory->allocate(bytes) + GUARD}};
    memcpy(a.x[CPU], values, n * sizeof(float));
    table[GPU]->memory->copy_in(a.x[GPU] - GUARD, words, bytes);
    array_free(words);
    return a;
}

static inline Array
random_array(size_t n, uint64_t stream)
{
    float *values = ARRAY(float, n);
    rng_fill_uniform(5, stream, 0, values, n, -1, 1);
    Array a = array_of(n, values);
    array_free(values);
    return a;
}

static inline Array
constant_array(size_t n, float value)
{
    float *values = ARRAY(float, n);
    for (size_t i = 0; i < n; i++)
        values[i] = value;
    Array a = array_of(n, values);
    array_free(values);
    return a;
}

/* An output: NaN until it is written. */
static inline Array
poisoned_array(size_t n)
{
    return constant_array(n, NAN);
}

static inline Array
random_labels(int rows, int classes)
{
    int *labels = ARRAY(int, (size_t)rows);
    for (int r = 0; r < rows; r++)
        labels[r] = (int)(rng_bits_at(5, 77, (uint64_t)r) % (uint32_t)classes);
    float *bits = ARRAY(float, (size_t)rows);
    memcpy(bits, labels, (size_t)rows * sizeof(int));
    Array a = array_of((size_t)rows, bits);
    array_free(bits);
    array_free(labels);
    return a;
}

/* Both sides equal within the tolerance, or bit by bit where it is negative; guard words untouched. Frees the array. */
static inline void
expect_equal(Array *a, double tolerance, const char *what)
{
    uint32_t *words = ARRAY(uint32_t, a->n + 2 * (size_t)GUARD);
    table[GPU]->memory->copy_out(words, a->x[GPU] - GUARD, (a->n + 2 * (size_t)GUARD) * sizeof(float));
    for (size_t i = 0; i < GUARD; i++) {
        ck_assert_msg(words[i] == GUARD_WORD, "%s: written before its array", what);
        ck_assert_msg(words[GUARD + a->n + i] == GUARD_WORD, "%s: written behind its array of %zu", what, a->n);
    }
    if (tolerance < 0)
        ck_assert_msg(memcmp(words + GUARD, a->x[CPU], a->n * sizeof(float)) == 0, "%s: not the same bits", what);
    else
        ck_assert_verdict(verify_floats((float *)(words + GUARD), a->x[CPU], a->n, tolerance, tolerance), "%s", what);
    array_free(words);
    array_free(a->x[CPU]);
    table[GPU]->memory->free(a->x[GPU] - GUARD);
}

static inline void
expect_unchanged(Array *a)
{
    expect_equal(a, -1, "an input");
}

/* Sizes of arrays and matrices: 0, 1, primes, around a warp and a block; rows longer than registers hold (rungs 5 of softmax and
 * layer normalisation). */
static const int sizes[] = {0, 1, 31, 32, 33, 255, 256, 257, 1021};
enum { SIZES = COUNT(sizes) };
static const int matrices[][2] = {{0, 5},   {5, 0},   {1, 1},   {1, 37},   {37, 1},
                                  {16, 32}, {17, 33}, {31, 65}, {129, 10}, {2, 1030}};
enum { MATRICES = COUNT(matrices) };

/* ---- where they run ----------------------------------------------------------------------------------- */

static inline void
run_on(GpuKind kind, void (*check)(void), bool all_orders)
{
    table[CPU] = cpu_backend("naive", &error);
    table[GPU] = gpu_backend(kind, &error);
    if (table[GPU] == NULL)
        skip_test("%s", error.text);
    static const char *const orders[] = {"17", "forward", "reverse"};
    for (int order = 0; order < (kind == GPU_EMULATOR && all_orders ? 3 : 1); order++) {
        setenv("RUNGS_EMULATOR_ORDER", orders[order], 1);
        check();
    }
}

/* all_orders: in every order of threads, not one. */
#define CHECKED(name, all_orders)                                                                                      \
    TEST(name##_on_the_emulator)                                                                                       \
    {                                                                                                                  \
        run_on(GPU_EMULATOR, check_##name, all_orders);                                                                \
    }                                                                                                                  \
    TEST(name##_on_the_device)                                                                                         \
    {                                                                                                                  \
        run_on(GPU_DEVICE, check_##name, all_orders);                                                                  \
    }

#endif
