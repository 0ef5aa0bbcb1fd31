/* Threads on cores of their own. SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/pin.h"
#include "tests/testing.h"
#include <sched.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#if defined(__linux__) && defined(_OPENMP)

/* How many cores this process may use, before anything is pinned; skips the test where nothing can be. */
static int
cores_or_skip(void)
{
    cpu_set_t cores;
    if (getenv("OMP_PROC_BIND") || getenv("OMP_PLACES"))
        skip_test("OMP_PROC_BIND or OMP_PLACES places the threads");
    ck_assert_int_eq(sched_getaffinity(0, sizeof(cores), &cores), 0);
    if (CPU_COUNT(&cores) < 2)
        skip_test("there is one core");
    return CPU_COUNT(&cores);
}

/* The cores that each OpenMP thread may use, ored together, and whether each may use `each` of them. */
static bool
threads_may_use(int threads, int each, cpu_set_t *together)
{
    bool right = true;
    CPU_ZERO(together);
#pragma omp parallel num_threads(threads)
    {
        cpu_set_t own;
        CPU_ZERO(&own);
        sched_getaffinity(0, sizeof(own), &own);
#pragma omp critical
        {
            right = right && CPU_COUNT(&own) == each;
            CPU_OR(together, together, &own);
        }
    }
    return right;
}

TEST(as_many_threads_as_cores_have_one_each)
{
    int cores = cores_or_skip();
    cpu_set_t together;
    ck_assert(pin_threads(cores));
    ck_assert(threads_may_use(cores, 1, &together));
    ck_assert_int_eq(CPU_COUNT(&together), cores);
}

TEST(other_numbers_of_threads_are_released)
{
    int cores = cores_or_skip();
    cpu_set_t together;
    ck_assert(pin_threads(cores));
    ck_assert(!pin_threads(cores - 1));
    ck_assert(threads_may_use(cores, cores, &together));
    ck_assert(!pin_threads(cores + 1));
    ck_assert(threads_may_use(cores, cores, &together));
}

TEST(the_environment_has_the_last_word)
{
    int cores = cores_or_skip();
    setenv("OMP_PLACES", "cores", 1);
    ck_assert(!pin_threads(cores));
}

TEST(release_gives_the_caller_all_cores)
{
    int cores = cores_or_skip();
    cpu_set_t own;
    ck_assert(pin_threads(cores));
    pin_release();
    ck_assert_int_eq(sched_getaffinity(0, sizeof(own), &own), 0);
    ck_assert_int_eq(CPU_COUNT(&own), cores);
}

TEST(a_pinned_process_still_counts_its_cores)
{
    int cores = cores_or_skip();
    setenv("OMP_NUM_THREADS", "1", 1);
    host_set_threads(cores);
    cpu_set_t together;
    ck_assert(threads_may_use(cores, 1, &together));
    ck_assert_int_ge(host_get()->cores, cores > 1 ? 2 : 1);
    host_set_threads(1);
    ck_assert(threads_may_use(1, cores, &together));
}

TEST_MAIN("pin")

#else

TEST(nothing_is_pinned)
{
    ck_assert(!pin_threads(host_get()->cores));
    pin_release();
}

TEST_MAIN("pin")

#endif
