/* Peaks of this machine: how the loops of machine_kernels.c are timed.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/clock.h"
#include "core/host.h"
#include "core/stats.h"
#include "core/vector.h"
#include "ladder/machine.h"
#include "ladder/machine_kernels.h"
#include "ladder/quiet.h"
#include <math.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { BEST_OF = 10, PASSES = 5, BLOCK = 8 * VECTOR_LANES, FMA_STEPS = 100 * 1000 /* some tenths of a millisecond */ };
#define QUIET_SECONDS 0.5

/* What a timed loop works on: one array for all threads, of which each takes its part. */
typedef struct Work {
    void (*run)(const struct Work *work, size_t thread);
    size_t threads, n; /* n: steps, or floats of a thread's part */
    size_t repeats;
    float *x;
    volatile float sink; /* where results go, so that they are needed */
} Work;

static void
run_fma(const Work *work, size_t thread)
{
    (void)thread;
    ((Work *)work)->sink = kernel_fma(work->n);
}

static void
run_fma256(const Work *work, size_t thread)
{
    (void)thread;
    ((Work *)work)->sink = kernel_fma256(work->n);
}

static void
run_chain(const Work *work, size_t thread)
{
    (void)thread;
    for (size_t i = 0; i < work->repeats; i++)
        ((Work *)work)->sink = kernel_chain(work->n, work->x, work->x + work->n);
}

static void
run_read(const Work *work, size_t thread)
{
    for (size_t i = 0; i < work->repeats; i++)
        ((Work *)work)->sink = kernel_read(work->n, work->x + thread * work->n);
}

static void
run_triad(const Work *work, size_t thread)
{
    const size_t all = work->threads * work->n, mine = thread * work->n;
    kernel_triad(work->n, work->x + mine, work->x + all + mine, work->x + 2 * all + mine, 0.5f);
}

/* Of the slowest thread. */
static double
seconds_of(const Work *work)
{
    double start = 0.0, seconds = 0.0;
#ifdef _OPENMP
#pragma omp parallel num_threads((int)work->threads)
    {
        const size_t thread = (size_t)omp_get_thread_num();
#pragma omp barrier
#pragma omp master
        start = clock_now();
        work->run(work, thread);
#pragma omp barrier
#pragma omp master
        seconds = clock_now() - start;
    }
#else
    start = clock_now();
    work->run(work, 0);
    seconds = clock_now() - start;
#endif
    return seconds;
}

/* The best of a few times: what disturbs only ever makes it slower. */
static double
best_seconds(const Work *work)
{
    double best = INFINITY;
    for (int i = 0; i < BEST_OF; i++)
        best = fmin(best, seconds_of(work));
    return best;
}

static double
median_seconds(const Work *work)
{
    double seconds[PASSES];
    for (int i = 0; i < PASSES; i++)
        seconds[i] = seconds_of(work);
    return stats_median(seconds, PASSES);
}

/* One thread's floats of a working set, in whole blocks. */
static size_t
part_of(size_t bytes, size_t threads)
{
    size_t blocks = bytes / sizeof(float) / threads / BLOCK;
    return (blocks > 0 ? blocks : 1) * BLOCK;
}

static double
measure_read(size_t threads, size_t bytes, float *x)
{
    Work work = {.run = run_read, .threads = threads, .n = part_of(bytes, threads), .x = x};
    double part = (double)(work.n * sizeof(float));
    work.repeats = part < 4e6 ? (size_t)(4e6 / part) : 1;
    return part * (double)(threads * work.repeats) / best_seconds(&work);
}

/* On a lane of the vectors. */
static double
fma_operations(const Work *fma)
{
    return 2.0 * KERNEL_CHAINS * (double)(fma->n * fma->threads);
}

/* What needs neither the shared cache nor memory. */
static MachinePeaks
measure_cores(const Machine *machine, size_t threads, float *x)
{
    MachinePeaks peaks = {.threads = (int)threads};
    Work fma = {.run = run_fma, .threads = threads, .n = FMA_STEPS};
    const double operations = fma_operations(&fma);
    peaks.fma = operations * VECTOR_LANES / best_seconds(&fma);
    fma.run = run_fma256;
    peaks.fma256 = VECTOR_LANES > 8 ? operations * 8 / best_seconds(&fma) : peaks.fma;
    peaks.read[MACHINE_L1] = measure_read(threads, threads * machine->capacity[MACHINE_L1] / 2, x);
    peaks.read[MACHINE_L2] = measure_read(threads, threads * machine->capacity[MACHINE_L2] / 2, x);
    return peaks;
}

/* Three arrays in x. */
static Work
triad_of(size_t threads, float *x, size_t bytes)
{
    return (Work){.run = run_triad, .threads = threads, .n = part_of(bytes / 3, threads), .x = x};
}

/* As STREAM counts them. */
static double
triad_bytes(const Work *triad)
{
    return 12.0 * (double)(triad->n * triad->threads);
}

static MachinePeaks
measure_peaks(const Machine *machine, size_t threads, float *x, size_t bytes)
{
    MachinePeaks peaks = measure_cores(machine, threads, x);
    peaks.read[MACHINE_L3] = measure_read(threads, machine->capacity[MACHINE_L3] / 2, x);
    peaks.read[MACHINE_MEMORY] = measure_read(threads, bytes, x);
    const Work triad = triad_of(threads, x, bytes);
    if (3 * triad.n * threads * sizeof(float) <= bytes)
        peaks.triad = triad_bytes(&triad) / best_seconds(&triad);
    return peaks;
}

/* What was once measured the machine can do: what is slower was disturbed. */
static void
at_least(MachinePeaks *peaks, const MachinePeaks *measured)
{
    peaks->fma = fmax(peaks->fma, measured->fma);
    peaks->fma256 = fmax(peaks->fma256, measured->fma256);
    peaks->triad = fmax(peaks->triad, measured->triad);
    for (int level = 0; level < MACHINE_LEVELS; level++)
        peaks->read[level] = fmax(peaks->read[level], measured->read[level]);
}

/* Far more than any cache keeps. */
static size_t
far_bytes(const Machine *machine)
{
    const size_t bytes = 4 * machine->capacity[MACHINE_L3], memory = host_get()->memory;
    return memory > 0 && bytes > memory / 8 ? memory / 8 : bytes;
}

/* `bytes` bytes and room for whole blocks of all threads, in three arrays. Written to: a page that never was is the one page of
 * zeros, which is in cache. */
static float *
written_array(size_t bytes, int threads)
{
    const size_t n = bytes / sizeof(float) + 3 * (size_t)threads * BLOCK;
    float *x = ARRAY(float, n);
    for (size_t i = 0; i < n; i++)
        x[i] = 1.0f;
    return x;
}

double
machine_triad_now(const Machine *machine, int threads)
{
#ifndef _OPENMP
    threads = 1; /* there are no others */
#endif
    const size_t bytes = far_bytes(machine);
    float *x = written_array(bytes, threads);
    const Work triad = triad_of((size_t)threads, x, bytes);
    const double seconds = median_seconds(&triad);
    array_free(x);
    return triad_bytes(&triad) / seconds;
}

double
machine_flops_now(int threads)
{
#ifndef _OPENMP
    threads = 1;
#endif
    Work fma = {.run = run_fma, .threads = (size_t)threads, .n = 20 * FMA_STEPS};
    return fma_operations(&fma) * VECTOR_LANES / median_seconds(&fma);
}

void
machine_measure(Machine *machine, int threads)
{
    static const size_t usual[] = {32 << 10, 1 << 20, 32 << 20}; /* where the system does not say */
    const Host *host = host_get();
    for (int level = 0; level < MACHINE_LEVELS - 1; level++)
        machine->capacity[level] = host->cache[level + 1] > 0 ? host->cache[level + 1] : usual[level];
    const size_t bytes = far_bytes(machine);
    float *x = written_array(bytes, threads);
    Work chain = {.run = run_chain, .threads = 1, .n = 2048, .repeats = 200, .x = x};
    machine->chain = best_seconds(&chain) / (double)(chain.n * chain.repeats);
    machine->one = measure_peaks(machine, 1, x, bytes);
#ifndef _OPENMP
    threads = 1; /* there are no others */
#endif
    machine->all = threads > 1 ? measure_peaks(machine, (size_t)threads, x, bytes) : machine->one;
    at_least(&machine->all, &machine->one); /* several threads can leave it to one */
    array_free(x);
}

void
machine_measure_again(Machine *machine, int threads)
{
#ifndef _OPENMP
    threads = 1;
#endif
    quiet_wait(QUIET_SECONDS);
    float *x = written_array((size_t)threads * machine->capacity[MACHINE_L2], threads);
    const MachinePeaks one = measure_cores(machine, 1, x);
    at_least(&machine->one, &one);
    if (threads > 1 && threads == machine->all.threads) {
        const MachinePeaks all = measure_cores(machine, (size_t)threads, x);
        at_least(&machine->all, &all);
    }
    at_least(&machine->all, &machine->one);
    array_free(x);
}
