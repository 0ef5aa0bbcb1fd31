/* Programs that run on the MPI library itself, and so must run on the drop-in library: what one rank does with its communicators in
 * another order than the others, and more of them than a small /dev/shm has room for. tests/mpi/test_dropin.sh runs each on both.
 *
 *     dropin_order free | send | broadcast | reduce | empty | subsets | spawn | wrap | live NUMBER
 *
 * Not on both: `wrap`, where the library's results may be others (mpi/dropin/types.c). Rank 0 says "right" or "wrong". An order
 * that the library could not bear would wait for ever.
 * SPDX-License-Identifier: MIT */
#include "core/checked_mpi.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *program_name;
static int p, r;

static MPI_Comm
copy_of(MPI_Comm mpi)
{
    MPI_Comm copy;
    CHECK_MPI(MPI_Comm_dup(mpi, &copy));
    return copy;
}

/* Elements of which any rung must exchange some with every rank. */
static bool
sums_right(MPI_Comm mpi, int n)
{
    int size, rank;
    bool right = true;
    CHECK_MPI(MPI_Comm_size(mpi, &size));
    CHECK_MPI(MPI_Comm_rank(mpi, &rank));
    int *x = calloc((size_t)n, sizeof(int)), *y = calloc((size_t)n, sizeof(int));
    CHECK_THAT(x != NULL && y != NULL, "no memory for %d numbers", n);
    for (int i = 0; i < n; i++)
        x[i] = (rank + 1) * (i + 1);
    CHECK_MPI(MPI_Allreduce(x, y, n, MPI_INT, MPI_SUM, mpi));
    for (int i = 0; i < n; i++)
        right = right && y[i] == size * (size + 1) / 2 * (i + 1);
    free(x);
    free(y);
    return right;
}

/* Two communicators, freed in one order on even ranks, in the other on odd ones. */
static bool
try_free(void)
{
    bool right = true;
    for (int round = 0; round < 20; round++) {
        MPI_Comm two[2] = {copy_of(MPI_COMM_WORLD), copy_of(MPI_COMM_WORLD)};
        right = sums_right(two[0], 100) && sums_right(two[1], 5000) && right;
        CHECK_MPI(MPI_Comm_free(&two[r % 2]));
        CHECK_MPI(MPI_Comm_free(&two[1 - r % 2]));
    }
    return right;
}

/* Rank 0 frees, then sends; the others receive, then free. */
static bool
try_send(void)
{
    MPI_Comm copy = copy_of(MPI_COMM_WORLD);
    bool right = sums_right(copy, 10);
    int number = 7;
    if (r == 0) {
        CHECK_MPI(MPI_Comm_free(&copy));
        for (int i = 1; i < p; i++)
            CHECK_MPI(MPI_Send(&number, 1, MPI_INT, i, 0, MPI_COMM_WORLD));
        return right;
    }
    CHECK_MPI(MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Comm_free(&copy));
    return right;
}

/* The first calls on two communicators, which nobody has to wait in but for the root. */
static bool
try_broadcast(void)
{
    MPI_Comm two[2] = {copy_of(MPI_COMM_WORLD), copy_of(MPI_COMM_WORLD)};
    int number[2] = {-1, -1};
    for (int i = 0; i < 2; i++) {
        const int which = r == 0 ? i : 1 - i;
        if (r == 0)
            number[which] = 10 + which;
        CHECK_MPI(MPI_Bcast(&number[which], 1, MPI_INT, 0, two[which]));
    }
    const bool right = number[0] == 10 && number[1] == 11 && sums_right(two[0], 3);
    CHECK_MPI(MPI_Comm_free(&two[0]));
    CHECK_MPI(MPI_Comm_free(&two[1]));
    return right;
}

/* The same for reductions: nobody waits but the root, which takes them in its order. */
static bool
try_reduce(void)
{
    MPI_Comm two[2] = {copy_of(MPI_COMM_WORLD), copy_of(MPI_COMM_WORLD)};
    int number[2] = {1, 2}, sum[2] = {p, 2 * p};
    for (int i = 0; i < 2; i++) {
        const int which = r == 0 ? i : 1 - i;
        CHECK_MPI(MPI_Reduce(&number[which], &sum[which], 1, MPI_INT, MPI_SUM, 0, two[which]));
    }
    CHECK_MPI(MPI_Comm_free(&two[0]));
    CHECK_MPI(MPI_Comm_free(&two[1]));
    return sum[0] == p && sum[1] == 2 * p;
}

/* Rank 0 reduces nothing before it sends, the others after they have received. */
static bool
try_empty(void)
{
    MPI_Comm copy = copy_of(MPI_COMM_WORLD);
    int number = 7;
    if (r == 0)
        CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &number, 0, MPI_INT, MPI_SUM, copy));
    for (int i = 1; i < p && r == 0; i++)
        CHECK_MPI(MPI_Send(&number, 1, MPI_INT, i, 0, MPI_COMM_WORLD));
    if (r != 0) {
        CHECK_MPI(MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &number, 0, MPI_INT, MPI_SUM, copy));
    }
    const bool right = number == 7 && sums_right(copy, 3);
    CHECK_MPI(MPI_Comm_free(&copy));
    return right;
}

/* Pairs of changing ranks, whose buffers are taken by others while a rank that was late still reads them. */
static bool
try_subsets(void)
{
    bool right = true;
    for (int round = 0; round < 300; round++) {
        MPI_Comm part;
        const int color = round % 3 == 0 ? r / 2 : round % 3 == 1 ? (r + 1) % p / 2 : r % 2;
        CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, color, r, &part));
        right = sums_right(part, 1 + round * 37 % 2000) && right;
        if (round % 5 == r)
            usleep(200);
        right = sums_right(part, 3) && right;
        CHECK_MPI(MPI_Comm_free(&part));
    }
    return right;
}

/* Number at the same time. */
static bool
try_live(int number)
{
    MPI_Comm *live = calloc((size_t)number, sizeof(MPI_Comm));
    bool right = number > 0 && live != NULL;
    for (int i = 0; i < number; i++) {
        live[i] = copy_of(MPI_COMM_WORLD);
        right = sums_right(live[i], 1 + i * 97 % 3000) && right;
    }
    for (int i = 0; i < number; i++)
        right = sums_right(live[(i * 7) % number], 100) && right;
    for (int i = 0; i < number; i++)
        CHECK_MPI(MPI_Comm_free(&live[r % 2 ? i : number - 1 - i]));
    free(live);
    return right;
}

/* With a rank that is not in MPI_COMM_WORLD: the program itself, started once more. */
static bool
try_spawn(void)
{
    MPI_Comm between, all;
    char *words[] = {"spawn", NULL};
    CHECK_MPI(MPI_Comm_get_parent(&between));
    const bool child = between != MPI_COMM_NULL;
    if (!child)
        CHECK_MPI(
            MPI_Comm_spawn(program_name, words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE));
    CHECK_MPI(MPI_Intercomm_merge(between, child, &all));
    const bool right = sums_right(all, 1000) && sums_right(all, 3);
    CHECK_MPI(MPI_Comm_free(&all));
    CHECK_MPI(MPI_Comm_free(&between));
    return right;
}

/* In vectors long enough for any vector instruction, and their last elements. */
static bool
try_wrap(void)
{
    enum { N = 1003 };
    unsigned char bytes[N];
    MPI_Offset offset[N];
    bool right = true;
    for (int i = 0; i < N; i++) {
        bytes[i] = 200;
        offset[i] = r == 0 ? -5 - i : -7 - i;
    }
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, bytes, N, MPI_UINT8_T, MPI_SUM, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, offset, N, MPI_OFFSET, MPI_MAX, MPI_COMM_WORLD));
    for (int i = 0; i < N; i++)
        right = right && bytes[i] == 200 * p % 256 && offset[i] == -5 - i;
    for (int i = 0; i < N; i++)
        offset[i] = r == 0 ? 1 : -1;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, offset, N, MPI_OFFSET, MPI_MAX, MPI_COMM_WORLD));
    for (int i = 0; i < N; i++)
        right = right && offset[i] == 1;
    return right;
}

static bool
run(const char *name, const char *number)
{
    static const struct {
        const char *name;
        bool (*run)(void);
    } programs[] = {{"free", try_free},     {"send", try_send},   {"broadcast", try_broadcast},
                    {"reduce", try_reduce}, {"empty", try_empty}, {"subsets", try_subsets},
                    {"spawn", try_spawn},   {"wrap", try_wrap}};
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
        if (strcmp(programs[i].name, name) == 0)
            return programs[i].run();
    CHECK_THAT(strcmp(name, "live") == 0, "there is no program %s", name);
    return try_live(atoi(number));
}

int
main(int argc, char **argv)
{
    CHECK_MPI(MPI_Init(&argc, &argv));
    CHECK_THAT(argc > 1, "usage: dropin_order PROGRAM [NUMBER]");
    program_name = argv[0];
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &p));
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &r));
    int right = run(argv[1], argc > 2 ? argv[2] : "1");
    CHECK_MPI(PMPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
    if (r == 0)
        puts(right ? "right" : "wrong");
    CHECK_MPI(MPI_Finalize());
    return !right;
}
