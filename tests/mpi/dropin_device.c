/* A program whose vectors are in the memory of a device, on all ranks or on some: tests/mpi/test_dropin.sh runs it on the drop-in
 * library with a driver that is none (fake_driver.c), which it loads after MPI_Init.   dropin_device DRIVER
 *
 * Rank 0 says "right" or "wrong". A host that touches the device's memory is ended by SIGSEGV.
 * SPDX-License-Identifier: MIT */
#include "core/checked_mpi.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 1200, MOST = 8 * N };

static int p, r, wrong;
static int (*allocate)(uint64_t *, size_t), (*free_all)(void), (*to_device)(uint64_t, const void *, size_t),
    (*to_host)(void *, uint64_t, size_t);

static void
look_up(void *driver, const char *name, void *function)
{
    void *const found = dlsym(driver, name);
    CHECK_THAT(found != NULL, "the driver has no %s", name);
    memcpy(function, &found, sizeof(found));
}

static bool on_device; /* whether this rank's vectors are, now */
static int memory[2][MOST];
static int used;

/* A vector whose element i is factor * (i + 1) + more. */
static int *
vector(int n, int factor, int more)
{
    int *x = memory[used++ % 2];
    CHECK_THAT(n <= MOST, "%d numbers, at most %d", n, MOST);
    for (int i = 0; i < n; i++)
        x[i] = factor * (i + 1) + more;
    if (!on_device)
        return x;
    uint64_t device;
    CHECK_ZERO(allocate(&device, (size_t)n * sizeof(int)));
    CHECK_ZERO(to_device(device, x, (size_t)n * sizeof(int)));
    return (int *)(uintptr_t)device;
}

static void
expect(const int *vector, int from, int n, int factor, int more)
{
    static int x[MOST];
    if (on_device)
        CHECK_ZERO(to_host(x, (uintptr_t)vector, (size_t)(from + n) * sizeof(int)));
    else
        memcpy(x, vector, (size_t)(from + n) * sizeof(int));
    for (int i = 0; i < n; i++)
        wrong += x[from + i] != factor * (i + 1) + more;
}

static void
reduce(int sum)
{
    int *x = vector(N, r + 1, 0), *y = vector(N, 0, -1);
    CHECK_MPI(MPI_Allreduce(x, y, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    expect(y, 0, N, sum, 0);
    expect(x, 0, N, r + 1, 0);
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, x, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    expect(x, 0, N, sum, 0);
    x = vector(N, r + 1, 0), y = vector(N, 0, -1);
    CHECK_MPI(MPI_Reduce(x, y, N, MPI_INT, MPI_SUM, p - 1, MPI_COMM_WORLD));
    expect(y, 0, N, r == p - 1 ? sum : 0, r == p - 1 ? 0 : -1);
    CHECK_MPI(MPI_Reduce(r == 0 ? MPI_IN_PLACE : x, x, N, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
    expect(x, 0, N, r == 0 ? sum : r + 1, 0);
    x = vector(p * N, r + 1, 0), y = vector(N, 0, -1);
    CHECK_MPI(MPI_Reduce_scatter_block(x, y, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    expect(y, 0, N, sum, sum * r * N);
    CHECK_MPI(MPI_Reduce_scatter_block(MPI_IN_PLACE, x, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    expect(x, 0, N, sum, sum * r * N);
    expect(x, N, (p - 1) * N, r + 1, (r + 1) * N);
}

static void
move(void)
{
    MPI_Datatype spaced; /* every other number */
    CHECK_MPI(MPI_Type_vector(N / 2, 1, 2, MPI_INT, &spaced));
    CHECK_MPI(MPI_Type_commit(&spaced));
    int *x = vector(N, r == 0 ? 3 : 0, 0), *y = vector(N, 0, -1);
    CHECK_MPI(MPI_Bcast(x, N, MPI_INT, 0, MPI_COMM_WORLD));
    expect(x, 0, N, 3, 0);
    CHECK_MPI(MPI_Bcast(r == 0 ? x : y, 1, spaced, 0, MPI_COMM_WORLD));
    for (int i = 0; i < N && r != 0; i++)
        expect(y, i, 1, 0, i % 2 ? -1 : 3 * (i + 1));
    x = vector(N / p, r + 1, 0), y = vector(N, 0, -1);
    CHECK_MPI(MPI_Allgather(x, N / p, MPI_INT, y, N / p, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < p; i++)
        expect(y, i * (N / p), N / p, i + 1, 0);
    x = vector(p * 5, 1, 100 * r), y = vector(p * 5, 0, -1);
    CHECK_MPI(MPI_Alltoall(x, 5, MPI_INT, y, 5, MPI_INT, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Alltoall(MPI_IN_PLACE, 5, MPI_INT, x, 5, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < p; i++) {
        expect(y, 5 * i, 5, 1, 100 * i + 5 * r);
        expect(x, 5 * i, 5, 1, 100 * i + 5 * r);
    }
    CHECK_MPI(MPI_Type_free(&spaced));
}

int
main(int argc, char **argv)
{
    CHECK_MPI(MPI_Init(&argc, &argv));
    CHECK_THAT(argc == 2, "usage: dropin_device DRIVER");
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &p));
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &r));
    reduce(p * (p + 1) / 2); /* and no driver is here */
    void *driver = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    CHECK_THAT(driver != NULL, "%s", dlerror());
    look_up(driver, "cuMemAlloc_v2", &allocate);
    look_up(driver, "cuMemFreeAll", &free_all);
    look_up(driver, "cuMemcpyHtoD_v2", &to_device);
    look_up(driver, "cuMemcpyDtoH_v2", &to_host);
    for (int round = 0; round < 4; round++) {
        on_device = round == 0 || (r + round) % 2;
        reduce(p * (p + 1) / 2);
        move();
        free_all();
    }
    CHECK_MPI(PMPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    if (r == 0)
        puts(wrong ? "wrong" : "right");
    CHECK_MPI(MPI_Finalize());
    return wrong > 0;
}
