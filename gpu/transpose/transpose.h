/* The transpose on the device: y[columns][rows] of x[rows][columns], both row-major, in device memory: y[c][r] = x[r][c].
 *
 * Rows of x begin ldx floats apart (ldx >= columns); y is dense. rows, columns >= 0. y must not overlap x. Every rung accepts every
 * shape and copies bits: NaN stays the NaN that it was. Nothing is computed, so the best time is that of a copy of as many bytes. A
 * call launches on the default stream and returns; gpu_synchronize (gpu/device.h) waits and says what went wrong. Source of the
 * rungs' order: Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA", 2009.
 * Lecture: lectures/05-gemm-gpu.md. SPDX-License-Identifier: MIT */
#ifndef GPU_TRANSPOSE_H
#define GPU_TRANSPOSE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef void GpuTranspose(int rows, int columns, const float *x, int ldx, float *y);

/* clang-format off */
GpuTranspose launch_transpose_naive;        /* 01: a thread for each element; loads are coalesced, stores are not */
GpuTranspose launch_transpose_shared_tile;  /* 02: through a tile in shared memory: loads and stores are coalesced */
GpuTranspose launch_transpose_padded_tile;  /* 03: a column more in the tile: no bank conflicts */
GpuTranspose launch_transpose_swizzled;     /* 04: the same without the column: words are permuted (swizzled) */
GpuTranspose launch_transpose_several_rows; /* 05: four elements a thread: four loads in flight at once */
/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif
