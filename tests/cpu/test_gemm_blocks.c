/* Block sizes from the caches of invented machines, and RUNGS_CACHES.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/gemm/blocks.h"
#include "tests/testing.h"

#include <stdlib.h>

/* Five machines: small caches and large ones, and in between those of a Haswell, a Zen 3 and a Zen 4. */
static const char *const machines[] = {"16K,128K,2M", "32K,256K,8M", "32K,512K,16M", "32K,1M,32M", "64K,4M,256M"};

typedef struct Tiles {
    int rows, columns;
} Tiles;
static const Tiles shapes[] = {{12, 16}, {12, 64}, {6, 16}};

static void
check_fits(const size_t cache[4], Tiles tile)
{
    const GemmBlocks blocks = gemm_blocks(cache, tile.rows, tile.columns);
    ck_assert_int_ge(blocks.k, 256);
    ck_assert_int_le(blocks.k, GEMM_K_MAX);
    ck_assert_int_gt(blocks.m, 0);
    ck_assert_int_eq(blocks.m % tile.rows, 0);
    ck_assert_int_gt(blocks.n, 0);
    ck_assert_int_eq(blocks.n % tile.columns, 0);
    ck_assert_int_le(blocks.k_in_place, GEMM_K_MAX / 4 * 5);
    const size_t a = sizeof(float) * (size_t)blocks.m * (size_t)blocks.k,
                 panel = sizeof(float) * (size_t)tile.columns * (size_t)blocks.k;
    const size_t b = sizeof(float) * (size_t)blocks.n * (size_t)blocks.k;
    ck_assert_uint_le(a, cache[2] * 3 / 8 + sizeof(float) * (size_t)tile.rows * (size_t)blocks.k);
    ck_assert_uint_le(panel, cache[2] / 2);
    ck_assert_uint_le(a + panel, cache[2]);
    ck_assert_uint_le(b, cache[3] / 4);
}

TEST(blocks_fit_the_caches)
{
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
        for (size_t j = 0; j < sizeof(shapes) / sizeof(shapes[0]); j++) {
            size_t cache[4] = {0};
            ck_assert(host_parse_caches(machines[i], cache));
            check_fits(cache, shapes[j]);
        }
}

/* Worked out by hand: 512 KiB / 1 KiB = 512 terms; 3/8 of 512 KiB / (4 * 512) = 96 rows; 4 MiB / (4 * 512) = 2048 columns. */
TEST(blocks_of_a_known_machine)
{
    const GemmBlocks blocks = gemm_blocks((const size_t[4]){0, 32 << 10, 512 << 10, 16 << 20}, 6, 16);
    ck_assert_int_eq(blocks.k, 512);
    ck_assert_int_eq(blocks.m, 96);
    ck_assert_int_eq(blocks.n, 2048);
    ck_assert_int_eq(blocks.k_in_place, 640);
    ck_assert_uint_eq(blocks.b_in_place * sizeof(float), 1 << 20);
}

TEST(unknown_caches_are_common_ones)
{
    const GemmBlocks unknown = gemm_blocks((const size_t[4]){0}, 12, 64);
    const GemmBlocks common = gemm_blocks((const size_t[4]){0, 0, 512 << 10, 8 << 20}, 12, 64);
    ck_assert_int_eq(unknown.k, common.k);
    ck_assert_int_eq(unknown.m, common.m);
    ck_assert_int_eq(unknown.n, common.n);
}

TEST(caches_are_parsed)
{
    size_t cache[4] = {7, 7, 7, 7};
    const char *const wrong[] = {"",
                                 "32K",
                                 "32K,512K",
                                 "32K,512K,16M,1M",
                                 "32,512K,16M",
                                 "0K,512K,16M",
                                 "-1K,512K,16M",
                                 "32K,512K,16G",
                                 "32K;512K;16M",
                                 "32K, 512K,16M",
                                 "99999999999999999999K,1M,1M"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        ck_assert_msg(!host_parse_caches(wrong[i], cache), "%s", wrong[i]);
    ck_assert_uint_eq(cache[1], 7);
    ck_assert(host_parse_caches("48K,2M,105M", cache));
    ck_assert_uint_eq(cache[1], 48 << 10);
    ck_assert_uint_eq(cache[2], 2 << 20);
    ck_assert_uint_eq(cache[3], 105 << 20);
}

TEST(caches_named_by_the_environment)
{
    ck_assert_int_eq(setenv("RUNGS_CACHES", "48K,2M,105M", 1), 0);
    ck_assert_uint_eq(host_get()->cache[2], 2 << 20); /* first call in this process */
}

TEST_MAIN("gemm_blocks")
