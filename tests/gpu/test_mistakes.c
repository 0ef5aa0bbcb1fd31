/* What the plain emulator does with wrong kernels and launches: results that show it, sentences instead of hangs.
 * SPDX-License-Identifier: MIT */
#include "tests/gpu/kernels.h"

TEST(a_missing_barrier_changes_the_result)
{
    int out[64], sums[2];
    for (int order = 0; order < 2; order++) {
        kernels_use_order(order);
        int *memory = kernels_to_device(NULL, sizeof(out));
        KERNELS_FUNCTION("launch_race", void (*)(int *))(memory);
        kernels_from_device(out, memory, sizeof(out));
        sums[order] = 0;
        for (int i = 0; i < 64; i++)
            sums[order] += out[i];
    }
    ck_assert_int_eq(sums[0], 64);
    ck_assert_int_ne(sums[1], 64);
}

TEST(fresh_memory_is_nan)
{
    float out[8];
    float *memory = kernels_to_device(NULL, sizeof(out)), *fresh = kernels()->allocate(sizeof(out));
    KERNELS_FUNCTION("launch_uninitialised", void (*)(float *, const float *))(memory, fresh);
    kernels_from_device(out, memory, sizeof(out));
    for (int i = 0; i < 8; i++)
        ck_assert(isnan(out[i]));
    kernels()->free(fresh);
}

/* ---- mistakes ---------------------------------------------------------------------------------------- */

TEST(threads_that_wait_for_ever_are_an_error)
{
    for (int order = 0; order < KERNEL_ORDERS; order++) {
        kernels_use_order(order);
        int *out = kernels_to_device(NULL, 32 * sizeof(int));
        KERNELS_FUNCTION("launch_deadlock", void (*)(int *))(out);
        const char *failure = kernels()->synchronize();
        ck_assert_ptr_nonnull(failure);
        ck_assert_msg(strstr(failure, "deadlock, launched at tests/gpu/kernels.cu:") != NULL, "%s", failure);
        ck_assert_msg(strstr(failure, "16 at __syncthreads, tests/gpu/kernels.cu:") != NULL, "%s", failure);
        ck_assert_msg(strstr(failure, "16 at __shfl_sync") != NULL, "%s", failure);
        ck_assert_ptr_null(kernels()->synchronize()); /* forgotten: the next launch is another matter */
        kernels()->free(out);
    }
}

TEST(threads_that_spin_for_ever_are_an_error)
{
    const unsigned zero = 0;
    setenv("RUNGS_EMULATOR_SECONDS", "0.2", 1);
    unsigned *flag = kernels_to_device(&zero, sizeof(zero));
    KERNELS_FUNCTION("launch_spin", void (*)(unsigned *))(flag);
    const char *failure = kernels()->synchronize();
    ck_assert(failure != NULL && strstr(failure, "for ever") != NULL);
    kernels()->free(flag);
}

typedef int LaunchLimits(char *, const unsigned *, const unsigned *, size_t, int);

/* The error's number, and that its text says what is wrong. */
static void
check_limit(const unsigned grid[3], const unsigned block[3], size_t dynamic, int allowed, int want, const char *words)
{
    char *out = kernels_to_device(NULL, 1);
    const int got = KERNELS_FUNCTION("launch_limits", LaunchLimits *)(out, grid, block, dynamic, allowed);
    const char *text = kernels()->synchronize();
    ck_assert_msg(got == want, "%d, want %d: %s", got, want, text != NULL ? text : "no text");
    ck_assert(words == NULL ? text == NULL : text != NULL && strstr(text, words) != NULL);
    kernels()->free(out);
}

TEST(a_launch_has_limits)
{
    enum { VALUE = 1, CONFIGURATION = 9 };
    const unsigned one[3] = {1, 1, 1}, none[3] = {0, 1, 1}, tall[3] = {1, 65536, 1}, deep[3] = {1, 1, 65};
    const unsigned most[3] = {1024, 1, 1}, many[3] = {33, 32, 1};
    check_limit(one, most, 1, -1, 0, NULL);
    check_limit(one, none, 1, -1, CONFIGURATION, "a block has no threads");
    check_limit(none, one, 1, -1, CONFIGURATION, "the grid has no blocks");
    check_limit(tall, one, 1, -1, CONFIGURATION, "65535 in y");
    check_limit(one, deep, 1, -1, CONFIGURATION, "64 of them in z");
    check_limit(one, many, 1, -1, CONFIGURATION, "at most 1024 threads");
    check_limit(one, one, 49152, -1, 0, NULL);
    check_limit(one, one, 49153, -1, VALUE, "shared memory");
    check_limit(one, one, 232448, 232448, 0, NULL);
    check_limit(one, one, 232449, 232448, VALUE, "227 KiB");
    char *out = kernels_to_device(NULL, 1);
    ck_assert_int_eq(KERNELS_FUNCTION("launch_limits", LaunchLimits *)(out, one, one, 1, 232449), VALUE);
    ck_assert_ptr_null(kernels()->synchronize());
    KERNELS_FUNCTION("launch_large_static", void (*)(char *, int))(out, 0);
    ck_assert_ptr_null(kernels()->synchronize());
    KERNELS_FUNCTION("launch_large_static", void (*)(char *, int))(out, 1);
    const char *text = kernels()->synchronize();
    ck_assert(text != NULL && strstr(text, "49152 are allowed") != NULL);
    setenv("RUNGS_EMULATOR_ORDER", "sideways", 1);
    check_limit(one, one, 1, -1, VALUE, "RUNGS_EMULATOR_ORDER");
    kernels()->free(out);
}

TEST(copies_know_whose_memory_it_is)
{
    const GpuLibrary *gpu = kernels();
    char host[64] = "here", back[64];
    ck_assert_ptr_null(gpu->allocate(0));
    ck_assert_ptr_null(gpu->allocate((size_t)1 << 60));
    char *memory = gpu->allocate(64);
    ck_assert_uint_eq((size_t)memory % 256, 0);
    ck_assert_ptr_null(gpu->copy_in(memory, host, 64));
    ck_assert_ptr_null(gpu->copy_out(back, memory, 64));
    ck_assert_str_eq(back, "here");
    ck_assert_ptr_nonnull(gpu->copy_in(memory, host, 65)); /* more than there is */
    ck_assert_ptr_nonnull(gpu->copy_in(host, back, 64));   /* not device memory */
    ck_assert_ptr_nonnull(gpu->copy_out(memory, memory, 64));
    ck_assert_ptr_nonnull(gpu->fill(host, 0, 64));
    ck_assert_ptr_null(gpu->fill(memory, 3, 64));
    ck_assert_ptr_null(gpu->copy_out(back, memory, 64));
    ck_assert_int_eq(back[63], 3);
    gpu->free(memory);
    ck_assert_ptr_nonnull(gpu->copy_out(back, memory, 64)); /* freed */
    gpu->free(NULL);
}

TEST_MAIN("gpu mistakes")
