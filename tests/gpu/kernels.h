/* For the tests of the emulator: the library of tests/gpu/kernels*.cu, its functions by name, and memory in and out.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_GPU_KERNELS_H
#define TESTS_GPU_KERNELS_H

#include "tests/gpu/checked.h"

static const char *const kernel_orders[] = {"forward", "reverse", "1", "2024"};
enum { KERNEL_ORDERS = COUNT(kernel_orders) };

static inline void
kernels_use_order(int order)
{
    setenv("RUNGS_EMULATOR_ORDER", kernel_orders[order], 1);
}

/* The plain library beside this program. */
static inline const GpuLibrary *
kernels(void)
{
    static const GpuLibrary *library;
    static const char name[] = "libkernels.so";
    char path[4096] = "";
    if (library != NULL)
        return library;
    ck_assert(readlink("/proc/self/exe", path, sizeof(path) - sizeof(name)) > 0);
    strcpy(strrchr(path, '/') + 1, name);
    library = gpu_library_open(path, &error);
    if (library == NULL)
        skip_test("%s", error.text);
    return library;
}

#define KERNELS_FUNCTION(name, type) ((type)function_of(kernels(), name))

/* Device memory, with a copy of host in it unless that is NULL. */
static inline void *
kernels_to_device(const void *host, size_t bytes)
{
    void *memory = kernels()->allocate(bytes);
    ck_assert_ptr_nonnull(memory);
    if (host != NULL)
        ck_assert_ptr_null(kernels()->copy_in(memory, host, bytes));
    return memory;
}

/* Waits for the launches, which must be right; copies to the host; frees. */
static inline void
kernels_from_device(void *host, void *memory, size_t bytes)
{
    const char *failure = kernels()->synchronize();
    ck_assert_msg(failure == NULL, "%s", failure);
    ck_assert_ptr_null(kernels()->copy_out(host, memory, bytes));
    kernels()->free(memory);
}

#endif
