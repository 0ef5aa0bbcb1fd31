/* The kernels of lab 05, run on the emulator that watches: results, mistakes that it found, work that it counted. None of this
 * depends on the machine or on luck.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_LAB_05_KERNELS_H
#define TESTS_LABS_LAB_05_KERNELS_H

#include "cpu/gemm/gemm.h"
#include "gpu/emulator/counters.h"
#include "gpu/library.h"
#include <stddef.h>

/* Opens the library of the student's kernels, beside this program, and returns its function of this name. Ends the test if that
 * cannot be. Call it first. */
LibraryFunction *lab_05_open(const char *name);

/* The orders in which the emulator can run the threads of a block, whose results must be the same. */
enum { LAB_05_ORDERS = 3 };
void lab_05_order(int i);

/* Device memory with a copy of x, or that nobody has written if x is NULL; n floats, may be 0. */
float *lab_05_to_device(const float *x, size_t n);
void lab_05_from_device(float *x, const float *device, size_t n);
void lab_05_free(float *device);

/* Waits for the launches; ends the test if one failed. */
void lab_05_wait(const char *what);

/* The function last opened, launch_gemm_.., as a product on the host: copies to the device, launches, copies back. No
 * transposes. */
void lab_05_gemm(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
                 const float *B, int ldb, float beta, float *C, int ldc);

/* Forgets what was found and counted. */
void lab_05_watch(void);

/* Ends the test, with the emulator's sentence, if it has found a mistake. */
void lab_05_no_findings(const char *what);

/* What the only kernel since lab_05_watch did. Ends the test unless it did at least this number of flops: no work is no good
 * work. (Not where counts are rough, as with clang.) */
const EmulatorKernel *lab_05_counted(double flops);

/* How much of `all` for each `one`; infinite if there is none. NaN, which is not graded, where counts are rough. */
double lab_05_for_each(unsigned long long all, double one);

#endif
