/* LAB 05, exercise 05.5. This copy of gpu/practice/axpy.cu is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=05       points for each exercise, and the first wrong value
 *     make hint LAB=05.5      the next hint for an exercise
 *     make watch LAB=05       grade again whenever this file is saved
 *     make reset LAB=05       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from gpu/practice/axpy.cu; change it there. */
/* Practice: y = alpha x + y, by vectors of four floats.
 * Idea      a thread loads four neighbours with one access of 16 bytes: a quarter of the instructions for the same bytes.
 *
 *               x   0 1 2 3 | 4 5 6 7 | 8 9        n = 10
 *                   thread 0  thread 1  thread 2
 *
 * Wants     x and y at multiples of 16 bytes; any n.   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/practice/practice.h"
#include "gpu/unsolved.h"
#include <cuda_runtime.h>

enum { THREADS = 128, FOUR = 4 };

/* EXERCISE 05.5  Find the overrun (10 min, about 5 lines)
 * This kernel has a mistake that its results do not show: they are right. Delete the first line, grade, read what the emulator
 * says, and fix the kernel so that it touches no element that does not exist. It must still load whole fours with one access: a
 * test counts the loads. */
static __global__ void
axpy(int n, float alpha, const float *x, float *y)
{
    EXERCISE_NOT_SOLVED("05.5"); /* TODO: take this line away, and find the mistake */
    const int i = FOUR * (blockIdx.x * THREADS + threadIdx.x);
    if (i < n) {
        const float4 a = *(const float4 *)&x[i], b = *(const float4 *)&y[i];
        *(float4 *)&y[i] = make_float4(alpha * a.x + b.x, alpha * a.y + b.y, alpha * a.z + b.z, alpha * a.w + b.w);
    }
}

void
launch_axpy(int n, float alpha, const float *x, float *y)
{
    const int fours = n / FOUR + (n % FOUR > 0);
    if (n > 0)
        axpy<<<(fours + THREADS - 1) / THREADS, THREADS>>>(n, alpha, x, y);
}
