/* The generator against its authors' numbers, and what is made from its bits.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "core/rng.h"
#include "tests/testing.h"

static void
assert_philox(const uint32_t counter[4], const uint32_t key[2], const uint32_t want[4])
{
    uint32_t got[4];
    rng_philox(counter, key, got);
    for (int i = 0; i < 4; i++)
        ck_assert_msg(got[i] == want[i], "word %d: got %08x, want %08x", i, got[i], want[i]);
}

/* The three vectors for philox4x32-10 of Random123's kat_vectors. */
TEST(philox_of_zeros)
{
    assert_philox((uint32_t[]){0, 0, 0, 0}, (uint32_t[]){0, 0},
                  (uint32_t[]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
}

TEST(philox_of_ones)
{
    assert_philox((uint32_t[]){~0u, ~0u, ~0u, ~0u}, (uint32_t[]){~0u, ~0u},
                  (uint32_t[]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
}

TEST(philox_of_pi)
{
    assert_philox((uint32_t[]){0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, (uint32_t[]){0xa4093822, 0x299f31d0},
                  (uint32_t[]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

/* Seed 0, stream 0 starts with the words of the zero counter; the stream's halves stand in counter words 2 and 3. */
TEST(sequence_is_words_of_counters)
{
    ck_assert_uint_eq(rng_bits_at(0, 0, 0), 0x6627e8d5);
    ck_assert_uint_eq(rng_bits_at(0, 0, 3), 0x9b00dbd8);
    uint32_t want[4];
    rng_philox((uint32_t[]){2, 0, 0x89abcdef, 0x01234567}, (uint32_t[]){0x76543210, 0xfedcba98}, want);
    for (uint64_t i = 0; i < 4; i++)
        ck_assert_uint_eq(rng_bits_at(0xfedcba9876543210, 0x0123456789abcdef, 8 + i), want[i]);
}

TEST(sequence_equals_random_access)
{
    Rng rng = rng_create(7, 3);
    for (uint64_t i = 0; i < 30; i += 3) {
        ck_assert_uint_eq(rng_bits(&rng), rng_bits_at(7, 3, i));
        ck_assert_double_eq(rng_uniform(&rng), rng_uniform_at(7, 3, i + 1));
        ck_assert_double_eq(rng_normal(&rng), rng_normal_at(7, 3, i + 2));
    }
    ck_assert_uint_eq(rng.counter, 30);
}

/* A checkpoint stores the three fields and goes on. */
TEST(sequence_resumes_from_counter)
{
    Rng first = rng_create(1, 2);
    for (int i = 0; i < 13; i++)
        rng_bits(&first);
    Rng second = {.seed = 1, .stream = 2, .counter = first.counter};
    for (int i = 0; i < 13; i++)
        ck_assert_uint_eq(rng_bits(&first), rng_bits(&second));
}

TEST(seeds_and_streams_differ)
{
    int equal = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        equal += rng_bits_at(1, 0, i) == rng_bits_at(2, 0, i);
        equal += rng_bits_at(1, 0, i) == rng_bits_at(1, 1, i);
        equal += rng_bits_at(1, 0, i) == rng_bits_at((uint64_t)1 << 32, 0, i);
        equal += rng_bits_at(1, 0, i) == rng_bits_at(1, (uint64_t)1 << 32, i);
    }
    ck_assert_int_eq(equal, 0);
}

TEST(uniform_is_in_range)
{
    for (uint64_t i = 0; i < 100000; i++) {
        const double u = rng_uniform_at(5, 0, i);
        ck_assert(u >= 0 && u < 1);
    }
}

/* Chi-square with 99 degrees of freedom: 99.9 % of all generators stay below 148.2 and above 60.2. */
TEST(uniform_fills_cells_evenly)
{
    enum { CELLS = 100, N = 100000 };
    double count[CELLS] = {0}, chi2 = 0;
    for (uint64_t i = 0; i < N; i++)
        count[(int)(rng_uniform_at(11, 0, i) * CELLS)]++;
    for (int c = 0; c < CELLS; c++)
        chi2 += (count[c] - N / CELLS) * (count[c] - N / CELLS) / (N / CELLS);
    ck_assert_double_lt(chi2, 148.2);
    ck_assert_double_gt(chi2, 60.2);
}

/* Mean, variance, skewness and kurtosis within five standard errors. */
TEST(normal_has_right_moments)
{
    enum { N = 200000 };
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    for (uint64_t i = 0; i < N; i++) {
        const double z = rng_normal_at(3, 1, i);
        m1 += z / N, m2 += z * z / N, m3 += z * z * z / N, m4 += z * z * z * z / N;
    }
    ck_assert_double_eq_tol(m1, 0, 5 * sqrt(1.0 / N));
    ck_assert_double_eq_tol(m2, 1, 5 * sqrt(2.0 / N));
    ck_assert_double_eq_tol(m3, 0, 5 * sqrt(15.0 / N));
    ck_assert_double_eq_tol(m4, 3, 5 * sqrt(96.0 / N));
}

/* Chi-square in 20 cells of equal probability (19 degrees of freedom: 99.9 % below 43.8). */
TEST(normal_follows_its_distribution)
{
    enum { CELLS = 20, N = 100000 };
    double count[CELLS] = {0}, chi2 = 0;
    for (uint64_t i = 0; i < N; i++)
        count[(int)(0.5 * erfc(-rng_normal_at(17, 0, i) / sqrt(2)) * CELLS)]++;
    for (int c = 0; c < CELLS; c++)
        chi2 += (count[c] - N / CELLS) * (count[c] - N / CELLS) / (N / CELLS);
    ck_assert_double_lt(chi2, 43.8);
}

/* The two numbers of a Box-Muller pair, and a mixed sequence of both kinds, are not correlated. */
TEST(normal_pairs_and_mixed_kinds_are_independent)
{
    enum { N = 100000 };
    double pairs = 0, squares = 0, mixed = 0;
    Rng rng = rng_create(23, 0);
    for (uint64_t i = 0; i < N; i++) {
        const double a = rng_normal_at(23, 9, 2 * i), b = rng_normal_at(23, 9, 2 * i + 1);
        pairs += a * b / N;
        squares += (a * a - 1) * (b * b - 1) / N;
        const double u = rng_uniform(&rng), z = rng_normal(&rng);
        mixed += sqrt(12) * (u - 0.5) * (z * z - 1) / sqrt(2) / N;
    }
    ck_assert_double_eq_tol(pairs, 0, 5 / sqrt(N));
    ck_assert_double_eq_tol(squares, 0, 5 * 2 / sqrt(N));
    ck_assert_double_eq_tol(mixed, 0, 5 / sqrt(N));
}

TEST(below_stays_below_and_is_even)
{
    Rng rng = rng_create(2, 0);
    int count[7] = {0};
    for (int i = 0; i < 70000; i++) {
        const uint64_t k = rng_below(&rng, 7);
        ck_assert_uint_lt(k, 7);
        count[k]++;
    }
    for (int i = 0; i < 7; i++)
        ck_assert_int_lt(abs(count[i] - 10000), 500);
    ck_assert_uint_eq(rng_below(&rng, 1), 0);
}

/* With n = 3 * 2^62 a modulo of 64 bits would give the lowest third twice as often. */
TEST(below_has_no_modulo_bias)
{
    Rng rng = rng_create(4, 0);
    const uint64_t third = (uint64_t)1 << 62, n = 3 * third;
    int lowest = 0;
    for (int i = 0; i < 30000; i++) {
        const uint64_t k = rng_below(&rng, n);
        ck_assert_uint_lt(k, n);
        lowest += k < third;
    }
    ck_assert_int_lt(abs(lowest - 10000), 500);
    ck_assert_uint_lt(rng_below(&rng, UINT64_MAX), UINT64_MAX);
}

TEST(shuffle_is_a_permutation)
{
    const size_t sizes[] = {0, 1, 2, 7, 100, 1009};
    for (size_t s = 0; s < COUNT(sizes); s++) {
        size_t *index = ARRAY(size_t, sizes[s]), *seen = ARRAY(size_t, sizes[s]);
        for (size_t i = 0; i < sizes[s]; i++)
            index[i] = i;
        Rng rng = rng_create(6, s);
        rng_shuffle(&rng, index, sizes[s]);
        for (size_t i = 0; i < sizes[s]; i++)
            ck_assert_uint_eq(seen[index[i]]++, 0);
        array_free(index);
        array_free(seen);
    }
}

/* All six orders of three things, equally often. */
TEST(shuffle_is_fair)
{
    Rng rng = rng_create(8, 0);
    int count[27] = {0};
    for (int i = 0; i < 60000; i++) {
        size_t index[3] = {0, 1, 2};
        rng_shuffle(&rng, index, 3);
        count[index[0] * 9 + index[1] * 3 + index[2]]++;
    }
    const int orders[6] = {0 * 9 + 1 * 3 + 2, 0 * 9 + 2 * 3 + 1, 1 * 9 + 0 * 3 + 2,
                           1 * 9 + 2 * 3 + 0, 2 * 9 + 0 * 3 + 1, 2 * 9 + 1 * 3 + 0};
    for (int i = 0; i < 6; i++)
        ck_assert_int_lt(abs(count[orders[i]] - 10000), 500);
}

TEST(fill_equals_random_access)
{
    float uniform[259], normal[259];
    rng_fill_uniform(9, 1, 70, uniform, 259, -2, 3);
    rng_fill_normal(9, 1, 70, normal, 259, 10, 0.5);
    for (uint64_t i = 0; i < 259; i++) {
        const double u = -2 + 5 * rng_uniform_at(9, 1, 70 + i), z = 10 + 0.5 * rng_normal_at(9, 1, 70 + i);
        ck_assert_double_eq_tol(uniform[i], u, 1e-6);
        ck_assert_double_eq_tol(normal[i], z, 1e-5);
    }
}

/* Slices of every length and start give the bits of the complete stream, and write nothing beside them. */
TEST(fill_in_slices_equals_whole)
{
    enum { N = 700 };
    float whole[N], part[N + 2];
    for (int kind = 0; kind < 2; kind++) {
        void (*fill)(uint64_t, uint64_t, uint64_t, float *, size_t, double, double) =
            kind ? rng_fill_normal : rng_fill_uniform;
        fill(1, 2, 0, whole, N, 0.25, 1.75);
        for (size_t first = 0; first < 140; first++) {
            for (size_t n = 0; n < 140; n++) {
                part[0] = part[n + 1] = 1e9f;
                fill(1, 2, first, part + 1, n, 0.25, 1.75);
                ck_assert_int_eq(memcmp(part + 1, whole + first, n * sizeof(float)), 0);
                ck_assert(part[0] == 1e9f && part[n + 1] == 1e9f);
            }
        }
    }
}

TEST(fill_is_the_same_on_any_number_of_threads)
{
    const size_t n = 300007;
    float *one = ARRAY(float, n), *many = ARRAY(float, n);
    host_set_threads(1);
    rng_fill_normal(1, 0, 3, one, n, 0, 1);
    for (int threads = 2; threads <= 4; threads += 2) {
        host_set_threads(threads);
        memset(many, 0, n * sizeof(float));
        rng_fill_normal(1, 0, 3, many, n, 0, 1);
        ck_assert_int_eq(memcmp(one, many, n * sizeof(float)), 0);
    }
    array_free(one);
    array_free(many);
}

/* Far along a stream, the block number passes 2^32: its high half must count. */
TEST(fill_far_along_the_stream)
{
    const uint64_t far = ((uint64_t)1 << 34) - 5;
    float x[10];
    rng_fill_uniform(1, 0, far, x, 10, 0, 1);
    for (uint64_t i = 0; i < 10; i++)
        ck_assert_float_eq(x[i], (float)rng_uniform_at(1, 0, far + i));
    ck_assert_float_ne(x[5], (float)rng_uniform_at(1, 0, 0));
}

TEST_MAIN("rng")
