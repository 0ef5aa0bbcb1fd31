/* Two small kernels of lab 5, in which students look for a mistake. All pointers are to device memory. A call launches on the
 * default stream and returns; gpu_synchronize (gpu/device.h) waits and says what went wrong.
 * Lecture: lectures/05-gemm-gpu.md. SPDX-License-Identifier: MIT */
#ifndef GPU_PRACTICE_H
#define GPU_PRACTICE_H

#ifdef __cplusplus
extern "C" {
#endif

/* sums[i] = the sum of row i of x[rows][columns], whose rows begin ldx >= columns floats from each other. rows, columns >= 0. */
typedef void GpuRowSums(int rows, int columns, const float *x, int ldx, float *sums);

/* y[i] = alpha x[i] + y[i] for i < n. x and y begin at multiples of 16 bytes, as gpu_allocate gives them; nothing behind
 * element n - 1 is read or written. 0 <= n <= 2^31 - 512. */
typedef void GpuAxpy(int n, float alpha, const float *x, float *y);

GpuRowSums launch_row_sums;
GpuAxpy launch_axpy;

#ifdef __cplusplus
}
#endif

#endif
