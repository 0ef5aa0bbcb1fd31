/* scan, rung 3: shuffle.
 * Idea      a warp scans its 32 elements from register to register in 5 steps, as rung 1 does (gpu/warp.cuh); the 32 sums of the
 *           warps are scanned by one warp in the same way (block_scan.cuh).
 * Before    20 steps (rung 2), each with a barrier and shared memory, many of them with conflicts.
 * Now       3 barriers; shared memory holds only the sums of the warps.
 * Costs     5 additions for each element, as in rung 1, but within a warp lanes that add nothing would only wait. Still one
 *           block: one multiprocessor works, all the others wait.
 * Wants     nothing (any n).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/scan/block_scan.cuh"
#include "gpu/scan/scan.h"

static __global__ void
scan_shuffle(size_t n, const float *x, float *y)
{
    scan_by_one_block(n, x, y);
}

void
launch_scan_shuffle(size_t n, const float *x, float *y, float *work)
{
    (void)work;
    if (n > 0)
        scan_shuffle<<<1, SCAN_THREADS>>>(n, x, y);
}
