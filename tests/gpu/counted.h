/* What tests/gpu/counted.cu offers to tests/gpu/test_counters.c. SPDX-License-Identifier: MIT */
#ifndef TESTS_GPU_COUNTED_H
#define TESTS_GPU_COUNTED_H

#ifdef __cplusplus
extern "C" {
#endif

void launch_transpose_tile(const float *x, float *y);
void launch_transpose_padded(const float *x, float *y);
void launch_step_interleaved(float *x, unsigned step);
void launch_step_sequential(float *x, unsigned step);
void launch_copy_vectors(const float *x, float *y);
void launch_copy_strided(const float *x, float *y, int stride);
void launch_histogram(unsigned *counts, unsigned places);
void launch_arithmetic(float *x, double *d, int n);

#ifdef __cplusplus
}
#endif
#endif
