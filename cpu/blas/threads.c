/* How many OpenMP threads a call of the drop-in BLAS uses: the number that the program has set, with two exceptions.
 *
 * A container may have fewer cores than the machine, and OpenMP's default does not know: threads that wait for each other while
 * they have no core take a hundred times as long. So never more than the container's, unless OMP_NUM_THREADS was set.
 *
 * OpenMP's threads do not survive a fork, and GNU's library waits for them for ever (GCC bug 52303). So the child of a process that
 * has called us, such as a worker of Python's multiprocessing, computes on one thread, which needs no others.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/host_limits.h"
#include "cpu/blas/internal.h"
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>

/* Global, because a fork and a program's threads know nothing else of each other. */
static int limit = INT_MAX;

static void
in_child(void)
{
    limit = 1;
}

void
blas_threads_start(void)
{
    const int threads = omp_get_max_threads();
    size_t memory = SIZE_MAX;
    if (!getenv("OMP_NUM_THREADS"))
        host_limits(&limit, &memory);
    host_threads(); /* adjusts OpenMP's setting at its first call, for our own programs; here it is the program's */
    omp_set_num_threads(threads);
    pthread_atfork(NULL, NULL, in_child);
}

int
blas_threads_enter(void)
{
    const int threads = omp_get_max_threads();
    if (threads <= limit)
        return 0;
    omp_set_num_threads(limit);
    return threads;
}

void
blas_threads_leave(int threads)
{
    if (threads > 0)
        omp_set_num_threads(threads);
}

#else

void
blas_threads_start(void)
{
}

int
blas_threads_enter(void)
{
    return 0;
}

void
blas_threads_leave(int threads)
{
    (void)threads;
}

#endif
