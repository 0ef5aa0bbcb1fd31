/* What each rung should take: see the "Model" in each rung's file. Everything is a multiply-add's 4 bytes of B, how often and
 * from
 * where. SPDX-License-Identifier: MIT */
#include "cpu/spmm/models.h"
#include "cpu/spmm/packed.h"
#include <math.h>

size_t
spmm_entries(const int *size)
{
    return (size_t)llround((double)size[0] * size[2] * size[3] / 1000.0);
}

static double
multiplications(const int *size)
{
    return (double)spmm_entries(size) * size[1];
}

static double
bytes_of(int rows, int columns)
{
    return 4.0 * rows * columns;
}

double
spmm_predict_naive(const int *size, int threads, const Machine *machine)
{
    (void)threads;
    const double line = 64.0, lines_of_row = line * (double)spmm_entries(size) / fmax(size[0], 1.0);
    return multiplications(size) * fmax(machine->chain, line / machine_read(machine, 1, lines_of_row));
}

double
spmm_predict_reordered(const int *size, int threads, const Machine *machine)
{
    (void)threads;
    const double near = 3.0 / machine_read(machine, 1, 0.0);
    return 4.0 * multiplications(size) * fmax(near, 1.0 / machine_read(machine, 1, bytes_of(size[2], size[1])));
}

/* Rung 3 by threads that all read B. */
static double
vector_seconds(const int *size, int threads, const Machine *machine)
{
    return 4.0 * multiplications(size) / machine_read(machine, threads, bytes_of(size[2], size[1]));
}

/* Rung 4 by threads that each have the strip in a cache of their own. */
static double
packed_seconds(const int *size, int threads, const Machine *machine)
{
    const Csr shape = {.rows = size[0], .columns = size[2], .nonzeros = spmm_entries(size)};
    if (!packed_pays(&shape, size[1]))
        return vector_seconds(size, threads, machine);
    const int rows = packed_block_rows(&shape), blocks = (size[2] + rows - 1) / rows;
    const double B = bytes_of(size[2], size[1]), starts = (double)PACKED_ROW_START * blocks * size[0] * size[1];
    const double loads = 4.0 * (multiplications(size) + starts) * (STRIP_VECTORS + 2.0) / STRIP_VECTORS;
    return loads / machine_read(machine, threads, threads * bytes_of(rows, STRIP)) +
           2.0 * B / machine_read(machine, threads, B);
}

/* All rungs but the last use one thread, whatever there are. */
double
spmm_predict_vector(const int *size, int threads, const Machine *machine)
{
    (void)threads;
    return vector_seconds(size, 1, machine);
}

double
spmm_predict_packed(const int *size, int threads, const Machine *machine)
{
    (void)threads;
    return packed_seconds(size, 1, machine);
}

double
spmm_predict_openmp(const int *size, int threads, const Machine *machine)
{
    const Csr shape = {.rows = size[0], .columns = size[2], .nonzeros = spmm_entries(size)};
    return packed_seconds(size, spmm_openmp_threads(&shape, size[1], threads), machine);
}

double
spmm_predict_dense(const int *size, int threads, const Machine *machine)
{
    return 2.0 * size[0] * size[1] * size[2] / machine_flops(machine, threads);
}
