/* The same random numbers on any number of ranks. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/process.h"
#include "core/rng.h"
#include "tests/testing.h"

#ifdef HAVE_MPI
#include "core/checked_mpi.h"

enum { N = 10007 }; /* prime: no number of ranks divides it */

/* Each rank fills its slice; gathered, they must be the whole that one process computes. The verdict is every rank's. */
static bool
slices_make_the_whole(void (*fill)(uint64_t, uint64_t, uint64_t, float *, size_t, double, double))
{
    const int p = process_count(), r = process_rank();
    int *counts = ARRAY(int, p), *starts = ARRAY(int, p);
    for (int i = 0; i < p; i++) {
        starts[i] = (int)((size_t)N * (size_t)i / (size_t)p);
        counts[i] = (int)((size_t)N * ((size_t)i + 1) / (size_t)p) - starts[i];
    }
    float *slice = ARRAY(float, counts[r]), *gathered = ARRAY(float, N), *whole = ARRAY(float, N);
    fill(42, 7, (uint64_t)starts[r], slice, (size_t)counts[r], -1, 1);
    if (p > 1)
        CHECK_MPI(MPI_Allgatherv(slice, counts[r], MPI_FLOAT, gathered, counts, starts, MPI_FLOAT, MPI_COMM_WORLD));
    else
        memcpy(gathered, slice, N * sizeof(float));
    fill(42, 7, 0, whole, N, -1, 1);
    int equal = memcmp(gathered, whole, N * sizeof(float)) == 0;
    if (p > 1)
        CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &equal, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
    array_free(counts);
    array_free(starts);
    array_free(slice);
    array_free(gathered);
    array_free(whole);
    return equal;
}

TEST_CALL(uniform_slices_of_ranks_equal_the_whole, ck_assert(slices_make_the_whole(rng_fill_uniform)))
TEST_CALL(normal_slices_of_ranks_equal_the_whole, ck_assert(slices_make_the_whole(rng_fill_normal)))

/* The launcher's count reached us, and the ranks are numbered 0 .. p-1. */
TEST(ranks_are_numbered)
{
    int sum = process_rank();
    if (process_count() > 1)
        CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    ck_assert_int_eq(sum, process_count() * (process_count() - 1) / 2);
    const char *launched = getenv("OMPI_COMM_WORLD_SIZE");
    if (!launched)
        skip_test("the launcher is not Open MPI");
    ck_assert_int_eq(process_count(), atoi(launched));
}

TEST_MAIN_MPI("rng_mpi")

#else

TEST(needs_mpi)
{
    skip_test("this build is without MPI");
}

TEST_MAIN_MPI("rng_mpi")

#endif
