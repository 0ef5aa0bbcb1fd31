/* Vectors of floats: what each lane holds. Lanes are small whole numbers, so that every sum is exact in any order.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/vector.h"
#include "tests/testing.h"

static float numbers[8 * VECTOR_LANES + 1];

static void
fill(void)
{
    for (size_t i = 0; i < COUNT(numbers); i++)
        numbers[i] = (float)(int)(i * i % 61) - 30.0f;
}

static float
sum_of(const float *x, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

TEST(load_and_store_need_no_alignment)
{
    float copy[VECTOR_LANES + 2];
    fill();
    copy[0] = copy[VECTOR_LANES + 1] = 1000;
    vector_store(copy + 1, vector_load(numbers + 1));
    for (int i = 0; i < VECTOR_LANES; i++)
        ck_assert_float_eq(copy[1 + i], numbers[1 + i]);
    ck_assert(copy[0] == 1000 && copy[VECTOR_LANES + 1] == 1000);
}

TEST(octets_load_and_store)
{
    float copy[10];
    fill();
    copy[0] = copy[9] = 1000;
    octet_store(copy + 1, octet_load(numbers + 3));
    for (int i = 0; i < 8; i++)
        ck_assert_float_eq(copy[1 + i], numbers[3 + i]);
    ck_assert(copy[0] == 1000 && copy[9] == 1000);
}

TEST(splat_fills_every_lane)
{
    const Vector v = vector_splat(2.5f);
    for (int i = 0; i < VECTOR_LANES; i++)
        ck_assert_float_eq(v[i], 2.5f);
}

/* The array ends where the load must end: AddressSanitizer sees one element too many. */
TEST(load_first_reads_no_more_and_fills_with_zero)
{
    fill();
    for (int n = 0; n <= VECTOR_LANES + 1; n++) {
        const int loaded = n < VECTOR_LANES ? n : VECTOR_LANES;
        float *x = ARRAY(float, (size_t)loaded);
        memcpy(x, numbers, (size_t)loaded * sizeof(float));
        const Vector v = vector_load_first(x, n);
        for (int i = 0; i < VECTOR_LANES; i++)
            ck_assert_float_eq(v[i], i < n ? numbers[i] : 0.0f);
        array_free(x);
    }
}

TEST(sum_adds_every_lane)
{
    fill();
    for (int i = 0; i < VECTOR_LANES; i++) {
        float one[VECTOR_LANES] = {0};
        one[i] = 7;
        ck_assert_float_eq(vector_sum(vector_load(one)), 7);
    }
    ck_assert_float_eq(vector_sum(vector_load(numbers)), sum_of(numbers, VECTOR_LANES));
}

TEST(sums_are_those_of_the_eight_vectors)
{
    Vector v[8];
    fill();
    for (int i = 0; i < 8; i++)
        v[i] = vector_load(numbers + i * VECTOR_LANES);
    const Octet sums = vector_sums(v);
    for (int i = 0; i < 8; i++)
        ck_assert_float_eq(sums[i], sum_of(numbers + i * VECTOR_LANES, VECTOR_LANES));
}

TEST_MAIN("vector")
