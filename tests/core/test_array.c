/* Arrays and sizes. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "tests/testing.h"

TEST(multiply_of_sizes_that_fit)
{
    size_t product = 0;
    ck_assert(size_multiply(3, 5, &product) && product == 15);
    ck_assert(size_multiply(0, SIZE_MAX, &product) && product == 0);
    ck_assert(size_multiply(1, SIZE_MAX, &product) && product == SIZE_MAX);
    ck_assert(size_multiply((size_t)1 << 32, ((size_t)1 << 32) - 1, &product));
}

TEST(multiply_of_sizes_that_do_not_fit)
{
    size_t product = 0;
    ck_assert(!size_multiply((size_t)1 << 32, (size_t)1 << 32, &product));
    ck_assert(!size_multiply(2, SIZE_MAX, &product));
    ck_assert(!size_multiply(SIZE_MAX, SIZE_MAX, &product));
}

TEST(arrays_are_aligned_and_zero)
{
    for (size_t n = 0; n < 200; n++) {
        unsigned char *x = ARRAY(unsigned char, n);
        ck_assert_ptr_nonnull(x);
        ck_assert_uint_eq((uintptr_t)x % ARRAY_ALIGNMENT, 0);
        for (size_t i = 0; i < n; i++)
            ck_assert_uint_eq(x[i], 0);
        memset(x, 0xff, n); /* so that the next one is not zero by chance */
        array_free(x);
    }
    array_free(NULL);
}

TEST(try_create_gives_what_fits)
{
    double *x = array_try_create(1000, sizeof(double), &error);
    ck_assert_ptr_nonnull(x);
    ck_assert_double_eq(x[999], 0);
    array_free(x);
}

TEST(try_create_refuses_an_overflow)
{
    ck_assert_refused(array_try_create(SIZE_MAX / 2, 4, &error), "damaged");
    ck_assert_ptr_null(array_try_create(SIZE_MAX, 1, NULL));
}

/* 100 TiB: fits into size_t and not into the machine. */
TEST(try_create_refuses_more_than_the_machine_has)
{
    ck_assert_refused(array_try_create((size_t)100 << 40, 1, &error), "100 TiB");
}

TEST_MAIN("array")
