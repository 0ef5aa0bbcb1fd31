/* The machine and the build that a result belongs to.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_HOST_H
#define CORE_HOST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Host {
    char processor[128]; /* "AMD EPYC" */
    int cores;           /* that this process may use (affinity and cgroup quota) */
    size_t memory;       /* bytes that this process may use */
    size_t cache[4];     /* bytes of one core's L1 data, L2 and of the shared L3 at [1] [2] [3]; 0: not known */
    int vector_bits;     /* widest vectors that this build uses: 512, 256, 128 */
    char system[128];    /* "Linux 6.1.0 x86_64" */
    char compiler[64];   /* "gcc 12.2.0" */
    int openmp;          /* _OPENMP of the build, 0 without */
    char mpi[64];        /* MPI library of the build, "" without */
} Host;

/* Sizes of L1, L2 and L3 such as "32K,512K,16M", of one core and shared as in Host, into cache[1] .. [3]; false, and nothing is
 * stored, if the text is something else. The environment variable RUNGS_CACHES replaces what is found. */
bool host_parse_caches(const char *text, size_t cache[4]);

/* Measured once, then remembered. */
const Host *host_get(void);

/* Threads that OpenMP would use now: OMP_NUM_THREADS, else cores. 1 in a build without. */
int host_threads(void);

/* Sets that number (1 <= threads), and pins the threads to cores where core/pin.h says that it helps. Without OpenMP only 1 is
 * possible; others are ignored. */
void host_set_threads(int threads);

#endif
