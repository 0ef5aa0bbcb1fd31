/* Pins OpenMP threads to cores: see pin.h. SPDX-License-Identifier: MIT */
#include "core/pin.h"

#if defined(__linux__) && defined(_OPENMP)

#include "core/process.h"
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static pthread_once_t start_once = PTHREAD_ONCE_INIT;
static cpu_set_t start_cores; /* empty if the system did not say */
static bool pinned;           /* only pin_threads, which is not called by two threads at once, changes it */

static void
read_start_cores(void)
{
    if (sched_getaffinity(0, sizeof(start_cores), &start_cores) != 0)
        CPU_ZERO(&start_cores);
}

/* The index-th core of the start set, alone. */
static cpu_set_t
core_at(int index)
{
    cpu_set_t core;
    CPU_ZERO(&core);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &start_cores) && index-- == 0)
            CPU_SET(cpu, &core);
    return core;
}

static bool
may_pin(int threads)
{
    return threads > 1 && threads == CPU_COUNT(&start_cores) && process_count() == 1 && !getenv("OMP_PROC_BIND") &&
           !getenv("OMP_PLACES");
}

bool
pin_threads(int threads)
{
    pthread_once(&start_once, read_start_cores);
    const bool pin = may_pin(threads);
    if (!pin && !pinned)
        return false;
#pragma omp parallel num_threads(CPU_COUNT(&start_cores))
    {
        const cpu_set_t own = pin ? core_at(omp_get_thread_num()) : start_cores;
        sched_setaffinity(0, sizeof(own), &own); /* refused: the thread stays where the system wants it */
    }
    pinned = pin;
    return pin;
}

void
pin_release(void)
{
    pthread_once(&start_once, read_start_cores);
    if (CPU_COUNT(&start_cores) > 0)
        sched_setaffinity(0, sizeof(start_cores), &start_cores);
}

#else

bool
pin_threads(int threads)
{
    (void)threads;
    return false;
}

void
pin_release(void)
{
}

#endif
