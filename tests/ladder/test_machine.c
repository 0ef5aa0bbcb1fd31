/* Peaks, roofline, steal time. No speed is asserted, only that rates are rates. SPDX-License-Identifier: MIT */
#include "core/vector.h"
#include "ladder/machine.h"
#include "ladder/machine_kernels.h"
#include "ladder/quiet.h"
#include "ladder/steal.h"
#include "tests/testing.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static void
check_peaks(const MachinePeaks *peaks, int threads)
{
    ck_assert_int_eq(peaks->threads, threads);
    ck_assert(peaks->fma > 0.0 && isfinite(peaks->fma));
    ck_assert(peaks->fma256 > 0.0 && isfinite(peaks->fma256));
    for (int level = 0; level < MACHINE_LEVELS; level++)
        ck_assert(peaks->read[level] > 0.0 && isfinite(peaks->read[level]));
    ck_assert(peaks->triad >= 0.0 && isfinite(peaks->triad));
}

TEST(every_peak_is_a_rate)
{
    Machine machine;
    machine_measure(&machine, 2);
    check_peaks(&machine.one, 1);
#ifdef _OPENMP
    check_peaks(&machine.all, 2);
#endif
    ck_assert(machine.all.fma >= machine.one.fma && machine.all.fma256 >= machine.one.fma256);
    for (int level = 0; level < MACHINE_LEVELS; level++)
        ck_assert(machine.all.read[level] >= machine.one.read[level]); /* two threads can leave it to one */
    ck_assert(machine.chain > 0.0 && machine.chain < 1e-3);
    ck_assert_uint_lt(machine.capacity[MACHINE_L1], machine.capacity[MACHINE_L2]);
}

/* What was faster before stays. */
TEST(measuring_again_only_raises)
{
    Machine machine = {.capacity = {1 << 14, 1 << 18, 1 << 22}};
    machine.one = (MachinePeaks){.threads = 1, .fma = 1e30, .fma256 = 1.0, .read = {1e30, 1.0, 7.0, 8.0}, .triad = 9.0};
    machine.all = (MachinePeaks){.threads = 2, .fma = 1.0, .read = {1.0, 1e31, 7.0, 8.0}};
    machine_measure_again(&machine, 2);
    ck_assert_double_eq(machine.one.fma, 1e30);
    ck_assert_double_eq(machine.one.read[MACHINE_L1], 1e30);
    ck_assert_double_eq(machine.all.read[MACHINE_L2], 1e31);
    ck_assert(machine.one.fma256 > 1.0 && machine.one.read[MACHINE_L2] > 1.0);
    ck_assert_double_eq(machine.all.fma, 1e30);             /* two threads can leave it to one */
    ck_assert_double_eq(machine.one.read[MACHINE_L3], 7.0); /* what is shared is not measured */
    ck_assert_double_eq(machine.one.read[MACHINE_MEMORY], 8.0);
    ck_assert_double_eq(machine.one.triad, 9.0);
    ck_assert_int_eq(machine.all.threads, 2);
}

TEST(the_rate_of_this_moment_is_a_rate)
{
    for (int threads = 1; threads <= 2; threads++) {
        const double rate = machine_flops_now(threads);
        ck_assert(rate > 0.0 && isfinite(rate));
    }
}

/* The chains converge to 1: nothing was left out, and nothing overflows. */
TEST(multiply_adds_are_computed)
{
    ck_assert_float_eq_tol(kernel_fma(1000), (float)(KERNEL_CHAINS * VECTOR_LANES), 1e-2f);
    ck_assert_float_eq_tol(kernel_fma256(1000), (float)(KERNEL_CHAINS * 8), 1e-2f);
}

TEST(everything_is_read)
{
    enum { LENGTH = 8 * VECTOR_LANES * 3 };
    float x[LENGTH], sum = 0.0f;
    for (int i = 0; i < LENGTH; i++) {
        x[i] = (float)i;
        sum += x[i];
    }
    ck_assert_float_eq(kernel_read(LENGTH, x), sum); /* small whole numbers: exact in every order */
    ck_assert_float_eq(kernel_chain(4, x, x), 14.0f);
    float a[7];
    kernel_triad(7, a, x, x + 1, 0.5f);
    for (int i = 0; i < 7; i++)
        ck_assert_float_eq(a[i], (float)i + 0.5f * (float)(i + 1));
}

TEST(a_working_set_is_read_from_the_smallest_level_that_holds_it)
{
    Machine machine = {.capacity = {1000, 10000, 100000}};
    machine.one = (MachinePeaks){.threads = 1, .fma = 1.0, .read = {8, 4, 2, 1}};
    machine.all = (MachinePeaks){.threads = 3, .fma = 5.0, .read = {24, 12, 6, 3}};
    ck_assert_double_eq(machine_read(&machine, 1, 0), 8);
    ck_assert_double_eq(machine_read(&machine, 1, 1000), 8);
    ck_assert_double_eq(machine_read(&machine, 1, 1001), 4);
    ck_assert_double_eq(machine_read(&machine, 1, 10001), 2);
    ck_assert_double_eq(machine_read(&machine, 1, 100001), 1);
    ck_assert_double_eq(machine_read(&machine, 3, 3000), 24); /* three L1 caches */
    ck_assert_double_eq(machine_read(&machine, 3, 30001), 6); /* one third */
    ck_assert_double_eq(machine_read(&machine, 2, 2000), 16); /* between 1 and 3 threads */
    ck_assert_double_eq(machine_read_from(&machine, 1, MACHINE_L3), 2);
    ck_assert_double_eq(machine_read_from(&machine, 3, MACHINE_MEMORY), 3);
    ck_assert_double_eq(machine_flops(&machine, 1), 1.0);
    ck_assert_double_eq(machine_flops(&machine, 2), 3.0);
    ck_assert_double_eq(machine_flops(&machine, 9), 5.0); /* more threads than were measured: no more than all */
    ck_assert_str_eq(machine_level_name(machine_level(&machine, 1, 5000)), "L2");
    ck_assert_str_eq(machine_level_name(MACHINE_MEMORY), "memory");
}

TEST(the_roofline_is_the_lower_of_two_lines)
{
    ck_assert_double_eq(roofline_attainable(100.0, 0.5, 40.0), 20.0);
    ck_assert_double_eq(roofline_attainable(100.0, 2.5, 40.0), 100.0); /* the ridge */
    ck_assert_double_eq(roofline_attainable(100.0, 50.0, 40.0), 100.0);
}

TEST(steal_is_the_eighth_number)
{
    Steal steal;
    ck_assert(steal_parse("cpu  10 0 20 60 1 2 3 4 99 99\ncpu0 ..", &steal));
    ck_assert_double_eq(steal.stolen, 4.0);
    ck_assert_double_eq(steal.total, 100.0); /* guest time is part of user time */
    ck_assert(!steal_parse("", &steal));
    ck_assert(!steal_parse("cpu 1 2 3", &steal));
    ck_assert(!steal_parse("intr 1 2 3 4 5 6 7 8", &steal));
}

TEST(the_share_of_steal_is_between_two_readings)
{
    const Steal before = {10, 1000}, after = {15, 1100};
    ck_assert_double_eq_tol(steal_share(before, after), 0.05, 1e-15);
    ck_assert_double_eq(steal_share(before, before), 0.0); /* no tick has passed */
    ck_assert_double_eq(steal_share(after, before), 0.0);
    ck_assert_double_eq(steal_share(steal_read(), steal_read()) >= 0.0, 1.0);
}

/* ---- quiet: waiting for threads to go to sleep ---- */

static void
skip_where_threads_are_not_seen(void)
{
    if (access("/proc/self/task", R_OK) != 0)
        skip_test("this system does not tell which threads run");
}

static atomic_int spinning; /* 1: spin; 0: end */

static void *
spin(void *turns)
{
    for (long left = *(long *)turns; left > 0 && spinning; left--)
        ;
    spinning = 0;
    return NULL;
}

TEST(quiet_waits_for_a_spinning_thread)
{
    skip_where_threads_are_not_seen();
    long turns = 100 * 1000 * 1000; /* some tenths of a second */
    pthread_t thread;
    spinning = 1;
    ck_assert_int_eq(pthread_create(&thread, NULL, spin, &turns), 0);
    ck_assert(quiet_wait(50.0));
    ck_assert_int_eq(spinning, 0);
    pthread_join(thread, NULL);
}

TEST(quiet_gives_up_when_the_time_is_over)
{
    skip_where_threads_are_not_seen();
    long turns = 1L << 62;
    pthread_t thread;
    spinning = 1;
    ck_assert_int_eq(pthread_create(&thread, NULL, spin, &turns), 0);
    ck_assert(!quiet_wait(0.05));
    ck_assert_int_eq(spinning, 1);
    spinning = 0;
    pthread_join(thread, NULL);
}

TEST_MAIN("machine")
