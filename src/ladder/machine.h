/* What this machine can do, measured in the run whose results stand beside it: a peak from a data sheet belongs to another clock
 * frequency, another memory and a machine without neighbours.
 * SPDX-License-Identifier: MIT */
#ifndef LADDER_MACHINE_H
#define LADDER_MACHINE_H

#include <stddef.h>

/* Where a working set fits: one core's L1 and L2 cache, the shared L3, memory. */
enum { MACHINE_L1, MACHINE_L2, MACHINE_L3, MACHINE_MEMORY, MACHINE_LEVELS };

/* Rates of `threads` threads together. */
typedef struct MachinePeaks {
    int threads;
    double fma;                  /* FLOP/s of fused multiply-adds on the widest vectors of this build */
    double fma256;               /* FLOP/s on 256-bit vectors; the same as fma if those are the widest */
    double read[MACHINE_LEVELS]; /* bytes/s of reading, from each level */
    double triad;                /* bytes/s of a = b + s c in memory; 12 bytes an element, as STREAM counts */
} MachinePeaks;

typedef struct Machine {
    size_t capacity[MACHINE_LEVELS - 1]; /* bytes of L1, L2 of one core and of the shared L3 */
    double chain;                        /* seconds a step of a chain of dependent multiply-adds, sum += a_i b_i */
    MachinePeaks one, all;               /* one thread, all threads */
} Machine;

/* Measures with 1 and with `threads` threads. Takes about a second. */
void machine_measure(Machine *machine, int threads);

/* Measures the arithmetic and the cores' own caches once more, with 1 and `threads` threads, and keeps what is faster than before:
 * another program may have been in the way. Takes some hundredths of a second, so that it can be done again and again. */
void machine_measure_again(Machine *machine, int threads);

/* Rates for some number of threads: measured at 1 and all, in between in proportion. A working set of `bytes` is read from the
 * smallest level that holds it. */
double machine_flops(const Machine *machine, int threads);
double machine_read(const Machine *machine, int threads, double bytes);
double machine_triad(const Machine *machine, int threads);
double machine_read_from(const Machine *machine, int threads, int level);
int machine_level(const Machine *machine, int threads, double bytes);

/* The rate at this moment, the median of a few passes, in a fraction of a second: of the triad in memory, bytes/s; of
 * multiply-adds, FLOP/s. For measurements that are interleaved with it. A peak is the best that was ever seen; the clock
 * frequency of a processor at work for longer is lower, and what runs beside it sees the lower one. */
double machine_triad_now(const Machine *machine, int threads);
double machine_flops_now(int threads);

const char *machine_level_name(int level); /* "L2", "memory" */

/* The roofline (Williams, Waterman, Patterson 2009): min(peak, intensity * bandwidth), in FLOP/s, FLOP/byte, bytes/s. */
double roofline_attainable(double peak, double intensity, double bandwidth);

#endif
