/* The rules that the emulator counts by, without a kernel: sectors, banks, and GPUs in numbers. SPDX-License-Identifier: MIT */
#include "gpu/emulator/gpu_specs.h"
#include "tests/gpu/checked.h"

TEST(sectors_and_passes_of_a_request)
{
    const Checked c = checked_open("libkernels_checked.so", 0);
    typedef unsigned Sectors(const unsigned long long[32], unsigned, unsigned);
    typedef unsigned Passes(const unsigned long long[32], unsigned, unsigned, unsigned *);
    Sectors *sectors = (Sectors *)function_of(c.library, "emulator_sectors");
    Passes *passes = (Passes *)function_of(c.library, "emulator_bank_passes");
    unsigned long long address[32];
    unsigned ideal;
    for (unsigned i = 0; i < 32; i++)
        address[i] = 4096 + 4 * i;
    ck_assert_uint_eq(sectors(address, 4, 0xffffffff), 4);
    ck_assert_uint_eq(sectors(address, 4, 0x1), 1);
    ck_assert_uint_eq(sectors(address, 4, 0), 0);
    ck_assert_uint_eq(sectors(address, 4, 0x80000001), 2);
    ck_assert_uint_eq(passes(address, 4, 0xffffffff, &ideal), 1);
    ck_assert_uint_eq(passes(address, 4, 0, &ideal), 0);
    ck_assert_uint_eq(ideal, 0);
    ck_assert_uint_eq(passes(address, 16, 0xff, &ideal), 1); /* a quarter of the warp, 11 different words */
    ck_assert_uint_eq(ideal, 1);
    for (unsigned i = 0; i < 32; i++)
        address[i] = 4096 + 4 * (i + 3); /* not aligned: one sector more */
    ck_assert_uint_eq(sectors(address, 4, 0xffffffff), 5);
    for (unsigned i = 0; i < 32; i++)
        address[i] = 4096 + 8 * i; /* every second bank: two lanes share one */
    ck_assert_uint_eq(passes(address, 4, 0xffffffff, &ideal), 2);
    ck_assert_uint_eq(ideal, 1);
    ck_assert_uint_eq(passes(address, 8, 0xffffffff, &ideal), 2);
    ck_assert_uint_eq(ideal, 2);
    for (unsigned i = 0; i < 32; i++)
        address[i] = 4096 + 2 * i; /* two lanes share a word: both get it */
    ck_assert_uint_eq(passes(address, 2, 0xffffffff, &ideal), 1);
    ck_assert_uint_eq(sectors(address, 2, 0xffffffff), 2);
}

TEST(specifications_give_the_published_peaks)
{
    static const struct {
        const char *name;
        double peak, bandwidth;
    } want[] = {{"P100", 10.609e12, 716.8e9},
                {"V100", 15.667e12, 896e9},
                {"A100", 19.492e12, 1555.2e9},
                {"H100", 66.91e12, 3350e9},
                {"H200", 66.91e12, 4800e9}};
    for (size_t i = 0; i < COUNT(want); i++) {
        const GpuSpecs *gpu = gpu_specs_named(want[i].name);
        ck_assert_ptr_nonnull(gpu);
        ck_assert_double_eq_tol(gpu_peak(gpu) / want[i].peak, 1, 1e-3);
        ck_assert_double_eq_tol(gpu_peak_double(gpu) / want[i].peak, 0.5, 1e-3);
        ck_assert_double_eq_tol(gpu_bandwidth(gpu) / want[i].bandwidth, 1, 2e-3);
        ck_assert_ptr_nonnull(strstr(gpu_specs_names(), want[i].name));
    }
    ck_assert_ptr_null(gpu_specs_named("B52"));
    ck_assert_ptr_null(gpu_specs(-1));
    ck_assert_ptr_null(gpu_specs(5));
    ck_assert_ptr_eq(gpu_specs_named("a100"), gpu_specs(2));
}

TEST(occupancy_by_threads_and_shared_memory)
{
    const GpuSpecs *a100 = gpu_specs_named("A100"), *v100 = gpu_specs_named("V100"), *p100 = gpu_specs_named("P100");
    const char *limit;
    ck_assert_int_eq(gpu_blocks_per_sm(a100, 256, 0, &limit), 8);
    ck_assert_str_eq(limit, "threads");
    ck_assert_double_eq(gpu_occupancy(a100, 256, 0), 1);
    ck_assert_double_eq(gpu_occupancy(a100, 1024, 0), 1);
    ck_assert_double_eq(gpu_occupancy(a100, 768, 0), 0.75);
    ck_assert_int_eq(gpu_blocks_per_sm(a100, 32, 0, &limit), 32);
    ck_assert_str_eq(limit, "blocks");
    ck_assert_double_eq(gpu_occupancy(a100, 33, 0), 1);                  /* 33 threads are two warps */
    ck_assert_int_eq(gpu_blocks_per_sm(a100, 256, 48 << 10, &limit), 3); /* 164 / (48 + 1) */
    ck_assert_str_eq(limit, "shared memory");
    ck_assert_int_eq(gpu_blocks_per_sm(v100, 256, 48 << 10, NULL), 2);
    ck_assert_int_eq(gpu_blocks_per_sm(p100, 256, 48 << 10, NULL), 1);
    ck_assert_int_eq(gpu_blocks_per_sm(p100, 256, 49 << 10, NULL), 0);
    ck_assert_int_eq(gpu_blocks_per_sm(a100, 0, 0, NULL), 0);
}

TEST_MAIN("gpu counters, rules")
