/* Softmax by row and its loss, the cross-entropy, on the device:
 *
 *     p[r][c] = e^(z[r][c] - m) / s,   s = sum over c' of e^(z[r][c'] - m),   m = the largest z of row r
 *     losses[r] = -log p[r][labels[r]] = log(s) - (z[r][labels[r]] - m),       finite also where p is rounded to 0
 *
 * z, p are [rows][classes], labels and losses [rows]: all dense, in device memory. p may be z; otherwise arrays must not overlap.
 * rows, classes >= 0. labels NULL (prediction): losses is not written and may be NULL; else 0 <= labels[r] < classes. The e^ of a
 * difference never overflows. NaN in a row makes NaN of the row, its loss, and of no other; -infinity (a class that is masked out)
 * has p 0, and a row of nothing else is NaN. Every rung but registers accepts every shape; bits repeat in every run.
 *
 * Computing costs little here: the best time is that of reading z once and writing p once, 8 bytes an element.
 * A call launches on the default stream and returns; gpu_synchronize (gpu/device.h) waits and says what went wrong.
 * Lecture: lectures/05-gemm-gpu.md. SPDX-License-Identifier: MIT */
#ifndef GPU_SOFTMAX_H
#define GPU_SOFTMAX_H

#ifdef __cplusplus
extern "C" {
#endif

typedef void GpuSoftmax(int rows, int classes, const float *z, const int *labels, float *p, float *losses);

/* clang-format off */
GpuSoftmax launch_softmax_naive;     /* 01: a thread a row: neighbours read different rows */
GpuSoftmax launch_softmax_block;     /* 02: a block a row, with trees in shared memory */
GpuSoftmax launch_softmax_warp;      /* 03: a warp a row, with shuffles: no barrier */
GpuSoftmax launch_softmax_online;    /* 04: a warp a row, maximum and sum in one pass */
GpuSoftmax launch_softmax_registers; /* 05: a warp a row that stays in registers: z is read once; classes <= SOFTMAX_REGISTERS */
/* clang-format on */

enum { SOFTMAX_REGISTERS = 1024 };

#ifdef __cplusplus
}
#endif

#endif
