/* How the emulator runs kernels: indices, barriers, shuffles, votes, atomics, in every order of threads.
 * SPDX-License-Identifier: MIT */
#include "tests/gpu/kernels.h"

TEST(a_thread_knows_where_it_stands)
{
    const unsigned grid[3] = {3, 2, 2}, block[3] = {5, 3, 4};
    enum { BLOCKS = 12, THREADS = 60 };
    static unsigned out[BLOCKS * THREADS * 12];
    for (int order = 0; order < KERNEL_ORDERS; order++) {
        kernels_use_order(order);
        unsigned *memory = kernels_to_device(NULL, sizeof(out));
        KERNELS_FUNCTION("launch_indices", void (*)(const unsigned *, const unsigned *, unsigned *))
        (grid, block, memory);
        kernels_from_device(out, memory, sizeof(out));
        for (unsigned i = 0; i < BLOCKS * THREADS; i++) {
            const unsigned t = i % THREADS, b = i / THREADS;
            const unsigned want[12] = {t % 5, t / 5 % 3, t / 15, b % 3, b / 3 % 2, b / 6, 5, 3, 4, 3, 2, 2};
            ck_assert_msg(memcmp(&out[12 * i], want, sizeof(want)) == 0, "thread %u of block %u", t, b);
        }
    }
}

TEST(shared_memory_is_the_blocks_own)
{
    static const int sizes[] = {1, 2, 31, 33, 64};
    for (int order = 0; order < KERNEL_ORDERS; order++) {
        kernels_use_order(order);
        for (int s = 0; s < 5; s++) {
            float x[7 * 64];
            const int n = sizes[s];
            for (int i = 0; i < 7 * n; i++)
                x[i] = (float)i;
            float *memory = kernels_to_device(x, sizeof(x));
            KERNELS_FUNCTION("launch_reverse", void (*)(float *, int, int))(memory, 7, n);
            kernels_from_device(x, memory, sizeof(x));
            for (int i = 0; i < 7 * n; i++)
                ck_assert_float_eq(x[i], (float)(i / n * n + n - 1 - i % n));
        }
    }
}

/* The result of PTX's shfl: from its own group, or the lane's own value where the source is beyond it. */
static int
shuffled(const int *in, int lane, int kind, int width)
{
    const int first = lane / width * width, last = first + width - 1;
    switch (kind) {
    case 0:
        return in[first + 5 % width];
    case 1:
        return in[lane - 3 >= first ? lane - 3 : lane];
    case 2:
        return in[lane + 3 <= last ? lane + 3 : lane];
    default:
        return in[(lane ^ 6) <= last ? lane ^ 6 : lane];
    }
}

static void
check_lane(const int *out, const int *in, int lane, int width)
{
    unsigned ballot = 0, match = 0, reversed = 0;
    for (int other = 0; other < 32; other++) {
        ballot |= (unsigned)(in[other] % 3 == 0) << other;
        match |= (unsigned)(in[other] % 4 == in[lane] % 4) << other;
        reversed |= ((unsigned)in[lane] >> other & 1) << (31 - other);
    }
    for (int kind = 0; kind < 4; kind++)
        ck_assert_msg(out[kind] == shuffled(in, lane, kind, width), "lane %d, shuffle %d, width %d", lane, kind, width);
    ck_assert_uint_eq((unsigned)out[4], ballot);
    ck_assert_int_eq(out[5], 1); /* any is 7 */
    ck_assert_int_eq(out[6], 0); /* all are above 7 */
    ck_assert_uint_eq((unsigned)out[7], 0xffffffffu);
    if (lane < 19)
        ck_assert_int_eq(out[8], in[lane + 1]);
    else if (lane >= 20)
        ck_assert_int_eq(out[8], in[lane ^ 1]);
    ck_assert_int_eq(out[9], lane < 20);
    ck_assert_int_eq(out[10], 2 * in[lane ^ 1]);
    ck_assert_int_eq(out[11], in[lane ^ 1]);
    ck_assert_int_eq(out[12], __builtin_popcount((unsigned)in[lane]) + 100 * __builtin_ffs(in[lane]) +
                                  10000 * (in[lane] == 0 ? 32 : __builtin_clz((unsigned)in[lane])));
    ck_assert_uint_eq((unsigned)out[13], match);
    const int nearest = in[lane] % 2 ? in[lane] + 1 : in[lane]; /* a half rounds to even */
    ck_assert_int_eq(out[14], nearest + 0x3f800000);
    ck_assert_uint_eq((unsigned)out[15], reversed);
}

TEST(lanes_exchange_values)
{
    int in[32], out[32 * 16];
    for (int lane = 0; lane < 32; lane++)
        in[lane] = lane * 37 % 64;
    in[4] = 7;
    for (int order = 0; order < KERNEL_ORDERS; order++) {
        kernels_use_order(order);
        for (int width = 32; width >= 1; width /= 2) {
            int *d_in = kernels_to_device(in, sizeof(in)), *d_out = kernels_to_device(NULL, sizeof(out));
            KERNELS_FUNCTION("launch_warp_functions", void (*)(int *, const int *, int))(d_out, d_in, width);
            kernels_from_device(out, d_out, sizeof(out));
            kernels()->free(d_in);
            for (int lane = 0; lane < 32; lane++)
                check_lane(&out[16 * lane], in, lane, width);
        }
    }
}

TEST(blocks_vote)
{
    enum { BLOCKS = 3, THREADS = 45, LIMIT = 44 };
    int in[BLOCKS * THREADS], out[3 * BLOCKS * THREADS];
    for (int i = 0; i < BLOCKS * THREADS; i++) /* none, some, all above the limit */
        in[i] = i;
    for (int order = 0; order < KERNEL_ORDERS; order++) {
        kernels_use_order(order);
        for (int limit = LIMIT; limit <= LIMIT + 15; limit += 15) {
            int *d_in = kernels_to_device(in, sizeof(in)), *d_out = kernels_to_device(NULL, sizeof(out));
            KERNELS_FUNCTION("launch_barrier_votes", void (*)(int *, const int *, int, int, int))
            (d_out, d_in, BLOCKS, THREADS, limit);
            kernels_from_device(out, d_out, sizeof(out));
            kernels()->free(d_in);
            for (int i = 0; i < BLOCKS * THREADS; i++) {
                const int end = (i / THREADS + 1) * THREADS, above = end - 1 - limit;
                const int count = above < 0 ? 0 : above > THREADS ? THREADS : above;
                ck_assert_int_eq(out[3 * i], count);
                ck_assert_int_eq(out[3 * i + 1], count > 0);
                ck_assert_int_eq(out[3 * i + 2], count == THREADS);
            }
        }
    }
}

typedef void LaunchAtomics(int *, unsigned *, unsigned long long *, float *, double *, int, int);

TEST(atomics_of_all_blocks_meet)
{
    enum { BLOCKS = 9, THREADS = 70, N = BLOCKS * THREADS };
    unsigned xored = 0;
    for (unsigned i = 0; i < N; i++)
        xored ^= i;
    for (int order = 0; order < KERNEL_ORDERS; order++) {
        kernels_use_order(order);
        int i[5] = {0};
        unsigned u[7] = {0xffffffffu};
        unsigned long long l = 0;
        float f = 0;
        double d = 0;
        int *di = kernels_to_device(i, sizeof(i));
        unsigned *du = kernels_to_device(u, sizeof(u));
        unsigned long long *dl = kernels_to_device(&l, sizeof(l));
        float *df = kernels_to_device(&f, sizeof(f));
        double *dd = kernels_to_device(&d, sizeof(d));
        KERNELS_FUNCTION("launch_atomics", LaunchAtomics *)(di, du, dl, df, dd, BLOCKS, THREADS);
        kernels_from_device(i, di, sizeof(i));
        kernels_from_device(u, du, sizeof(u));
        kernels_from_device(&l, dl, sizeof(l));
        kernels_from_device(&f, df, sizeof(f));
        kernels_from_device(&d, dd, sizeof(d));
        const int want[5] = {N * (N - 1) / 2, -N, N - 1, -(N - 1), 0x7fffffff};
        ck_assert_mem_eq(i, want, sizeof(want));
        ck_assert_uint_eq(u[0], 0);
        ck_assert_uint_eq(u[1], xored);
        ck_assert_uint_eq(u[2], N % 7);
        ck_assert(u[3] >= 1 && u[3] <= N);
        ck_assert_uint_eq(u[4], 1);     /* one thread has won */
        ck_assert_uint_eq(u[5], N - 1); /* all but the first found a 1 */
        ck_assert(l == (unsigned long long)N * (N - 1) / 2 << 30);
        ck_assert_float_eq(f, N / 2);
        ck_assert_double_eq(d, N / 4.0);
    }
}

TEST(the_last_block_sees_all)
{
    enum { BLOCKS = 37 };
    for (int order = 0; order < KERNEL_ORDERS; order++) {
        kernels_use_order(order);
        float out[2] = {0};
        const unsigned zero = 0;
        float *d_out = kernels_to_device(out, sizeof(out)), *sums = kernels_to_device(NULL, BLOCKS * sizeof(float));
        unsigned *ticket = kernels_to_device(&zero, sizeof(zero));
        int *lock = kernels_to_device(&zero, sizeof(zero));
        KERNELS_FUNCTION("launch_last_block", void (*)(float *, float *, unsigned *, int *, int))
        (d_out, sums, ticket, lock, BLOCKS);
        kernels_from_device(out, d_out, sizeof(out));
        ck_assert_float_eq(out[0], BLOCKS * (BLOCKS + 1) / 2);
        ck_assert_float_eq(out[1], BLOCKS * 8);
        kernels()->free(sums);
        kernels()->free(ticket);
        kernels()->free(lock);
    }
}

TEST_MAIN("gpu execution")
