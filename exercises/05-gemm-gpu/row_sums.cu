/* LAB 05, exercise 05.4. This copy of gpu/practice/row_sums.cu is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=05       points for each exercise, and the first wrong value
 *     make hint LAB=05.4      the next hint for an exercise
 *     make watch LAB=05       grade again whenever this file is saved
 *     make reset LAB=05       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from gpu/practice/row_sums.cu; change it there. */
/* Practice: the sum of each row of a matrix, by a block for each row.
 * Idea      each thread adds up every 128th element of the row. Then the block adds its 128 sums in shared memory, by halves:
 *
 *               part   0 1 2 3 4 5 6 7
 *                      |_|_|_|_|         half = 4: thread t adds part[t + 4] to part[t]
 *                      |_|_|             half = 2
 *                      |_|               half = 1, and part[0] is the sum
 *
 * Wants     nothing (any rows, columns).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/practice/practice.h"
#include "gpu/unsolved.h"
#include <cuda_runtime.h>

enum { THREADS = 128 };

/* EXERCISE 05.4  Find the race (10 min, about 1 line)
 * This kernel has a mistake: in some orders of its threads the sums are wrong, in others they are right. Delete the first
 * line, grade, read what the emulator says, and fix the kernel: every element that one thread writes and another one reads
 * needs a barrier between. Not more barriers than are needed: a test counts them.
 */
static __global__ void
row_sums(int columns, const float *x, int ldx, float *sums)
{
    EXERCISE_NOT_SOLVED("05.4"); /* TODO: take this line away, and find the mistake */
    __shared__ float part[THREADS];
    const int t = threadIdx.x;
    const float *row = &x[(size_t)blockIdx.x * ldx];
    float sum = 0;
    for (int j = t; j < columns; j += THREADS)
        sum += row[j];
    part[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2)
        if (t < half)
            part[t] += part[t + half];
    if (t == 0)
        sums[blockIdx.x] = part[0];
}

void
launch_row_sums(int rows, int columns, const float *x, int ldx, float *sums)
{
    if (rows > 0)
        row_sums<<<rows, THREADS>>>(columns, x, ldx, sums);
}
