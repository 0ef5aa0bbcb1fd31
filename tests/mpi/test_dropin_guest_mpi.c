/* The drop-in library as a guest: types that differ between ranks, wrong arguments, the program's error handlers, attributes and
 * communicators. Runs on the MPI library itself, too: see test_dropin_mpi.c.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "tests/mpi/all_agree.h"
#include "tests/testing.h"

static int
size_of(MPI_Comm mpi)
{
    int p;
    CHECK_MPI(MPI_Comm_size(mpi, &p));
    return p;
}

static int
rank_in(MPI_Comm mpi)
{
    int r;
    CHECK_MPI(MPI_Comm_rank(mpi, &r));
    return r;
}

/* ---- types ------------------------------------------------------------------------------------------------------------ */

enum { ROWS = 6, COLUMNS = 5 };

/* A column of an integer matrix [ROWS][COLUMNS]; the next one begins an integer later. */
static MPI_Datatype
column_create(void)
{
    MPI_Datatype vector, column;
    CHECK_MPI(MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &vector));
    CHECK_MPI(MPI_Type_create_resized(vector, 0, sizeof(int), &column));
    CHECK_MPI(MPI_Type_commit(&column));
    CHECK_MPI(MPI_Type_free(&vector));
    return column;
}

/* Some ranks have a column, others integers side by side: the same data for MPI. */
TEST(broadcast_between_types)
{
    const int p = size_of(MPI_COMM_WORLD), r = rank_in(MPI_COMM_WORLD);
    MPI_Datatype column = column_create();
    for (int root = 0; root < p; root++) {
        int matrix[ROWS * COLUMNS], plain[ROWS], wrong = 0;
        for (int i = 0; i < ROWS * COLUMNS; i++)
            matrix[i] = r == root ? i : -1;
        for (int i = 0; i < ROWS; i++)
            plain[i] = r == root ? 1 + i * COLUMNS : -1;
        const bool has_column = (r + root) % 2 == 0;
        if (has_column)
            CHECK_MPI(MPI_Bcast(matrix + 1, 1, column, root, MPI_COMM_WORLD));
        else
            CHECK_MPI(MPI_Bcast(plain, ROWS, MPI_INT, root, MPI_COMM_WORLD));
        for (int i = 0; i < ROWS * COLUMNS && has_column; i++)
            wrong += matrix[i] != (r == root || i % COLUMNS == 1 ? i : -1);
        for (int i = 0; i < ROWS && !has_column; i++)
            wrong += plain[i] != 1 + i * COLUMNS;
        ck_assert_all(wrong == 0);
    }
    CHECK_MPI(MPI_Type_free(&column));
}

/* Rows are sent, columns received, on odd ranks only: there the matrix of all ranks is a transpose of that on the others. */
TEST(all_gather_into_columns)
{
    const int p = size_of(MPI_COMM_WORLD), r = rank_in(MPI_COMM_WORLD);
    MPI_Datatype vector, column;
    CHECK_MPI(MPI_Type_vector(ROWS, 1, p, MPI_INT, &vector));
    CHECK_MPI(MPI_Type_create_resized(vector, 0, sizeof(int), &column));
    CHECK_MPI(MPI_Type_commit(&column));
    for (int in_place = 0; in_place < 2; in_place++) {
        int *y = ARRAY(int, (size_t)(ROWS * p)), x[ROWS], wrong = 0;
        const int step = r % 2 ? p : 1, next = r % 2 ? 1 : ROWS;
        for (int i = 0; i < ROWS; i++)
            x[i] = y[r * next + i * step] = 100 * r + i;
        const MPI_Datatype type = r % 2 ? column : MPI_INT;
        CHECK_MPI(MPI_Allgather(in_place ? MPI_IN_PLACE : x, ROWS, MPI_INT, y, r % 2 ? 1 : ROWS, type, MPI_COMM_WORLD));
        for (int from = 0; from < p; from++)
            for (int i = 0; i < ROWS; i++)
                wrong += y[from * next + i * step] != 100 * from + i;
        array_free(y);
        ck_assert_all(wrong == 0);
    }
    CHECK_MPI(MPI_Type_free(&column));
    CHECK_MPI(MPI_Type_free(&vector));
}

/* A p x p matrix, one row a rank, is transposed; then back, in place. */
TEST(all_to_all_transposes)
{
    const int p = size_of(MPI_COMM_WORLD), r = rank_in(MPI_COMM_WORLD);
    MPI_Datatype pair; /* an integer and a gap as large */
    CHECK_MPI(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &pair));
    CHECK_MPI(MPI_Type_commit(&pair));
    int *x = ARRAY(int, (size_t)(2 * p)), *y = ARRAY(int, (size_t)p), wrong = 0;
    for (int i = 0; i < p; i++)
        x[2 * i] = 100 * r + i;
    CHECK_MPI(MPI_Alltoall(x, 1, pair, y, 1, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < p; i++)
        wrong += y[i] != 100 * i + r;
    CHECK_MPI(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, 1, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < p; i++)
        wrong += y[i] != 100 * r + i;
    CHECK_MPI(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, 1, pair, MPI_COMM_WORLD));
    for (int i = 0; i < p; i++)
        wrong += x[2 * i] != 100 * i + r || x[2 * i + 1] != 0;
    array_free(x);
    array_free(y);
    CHECK_MPI(MPI_Type_free(&pair));
    ck_assert_all(wrong == 0);
}

/* Addresses in a type, and a buffer that begins at address 0. */
TEST(broadcast_from_the_bottom)
{
    double value = rank_in(MPI_COMM_WORLD) == 0 ? 2.5 : 0;
    MPI_Aint address;
    MPI_Datatype here;
    const int one = 1;
    CHECK_MPI(MPI_Get_address(&value, &address));
    CHECK_MPI(MPI_Type_create_hindexed(1, &one, &address, MPI_DOUBLE, &here));
    CHECK_MPI(MPI_Type_commit(&here));
    CHECK_MPI(MPI_Bcast(MPI_BOTTOM, 1, here, 0, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Type_free(&here));
    ck_assert_all(value == 2.5);
}

/* ---- wrong arguments -------------------------------------------------------------------------------------------------- */

static MPI_Comm heard_from; /* the communicator whose handler was called */

static void
hear(MPI_Comm *mpi, int *code, ...)
{
    (void)code;
    heard_from = *mpi;
}

/* The library's answer to the same call is the right one. Whether the communicator's handler hears of it, or MPI_COMM_WORLD's, is
 * the library's choice. */
#define CHECK_REFUSED(call)                                                                                            \
    do {                                                                                                               \
        heard_from = MPI_COMM_NULL;                                                                                    \
        const int want_ = P##call;                                                                                     \
        const MPI_Comm heard_ = heard_from;                                                                            \
        heard_from = MPI_COMM_NULL;                                                                                    \
        const int got_ = call;                                                                                         \
        ck_assert_msg(all_agree(want_ != MPI_SUCCESS), "the library takes " #call);                                    \
        ck_assert_msg(all_agree(got_ == want_ && heard_from == heard_), "not the library's answer: " #call);           \
    } while (0)

TEST(wrong_arguments_are_the_librarys_to_report)
{
    MPI_Comm mpi;
    MPI_Errhandler handler;
    MPI_Datatype raw; /* not committed */
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &mpi));
    CHECK_MPI(MPI_Comm_create_errhandler(hear, &handler));
    CHECK_MPI(MPI_Comm_set_errhandler(mpi, handler));
    CHECK_MPI(MPI_Type_vector(2, 1, 2, MPI_INT, &raw));
    const int p = size_of(mpi);
    int x[64] = {0}, y[64] = {0}, counts[16] = {-1};
    CHECK_REFUSED(MPI_Allreduce(x, y, -1, MPI_INT, MPI_SUM, mpi));
    CHECK_REFUSED(MPI_Allreduce(x, y, 2, MPI_DATATYPE_NULL, MPI_SUM, mpi));
    CHECK_REFUSED(MPI_Allreduce(x, y, 2, MPI_INT, MPI_OP_NULL, mpi));
    CHECK_REFUSED(MPI_Allreduce(x, y, 2, MPI_FLOAT, MPI_BAND, mpi));
    CHECK_REFUSED(MPI_Allreduce(x, x, 2, MPI_INT, MPI_SUM, mpi));
    CHECK_REFUSED(MPI_Allreduce(x, MPI_IN_PLACE, 2, MPI_INT, MPI_SUM, mpi));
    CHECK_REFUSED(MPI_Reduce(x, y, 2, MPI_INT, MPI_SUM, p, mpi));
    CHECK_REFUSED(MPI_Reduce(x, y, 2, MPI_INT, MPI_SUM, -1, mpi));
    CHECK_REFUSED(MPI_Reduce_scatter(x, y, counts, MPI_INT, MPI_SUM, mpi));
    CHECK_REFUSED(MPI_Reduce_scatter_block(x, y, -1, MPI_INT, MPI_SUM, mpi));
    CHECK_REFUSED(MPI_Bcast(x, -1, MPI_INT, 0, mpi));
    CHECK_REFUSED(MPI_Bcast(x, 1, raw, 0, mpi));
    CHECK_REFUSED(MPI_Bcast(x, 1, MPI_DATATYPE_NULL, 0, mpi));
    CHECK_REFUSED(MPI_Bcast(x, 1, MPI_INT, p, mpi));
    CHECK_REFUSED(MPI_Allgather(x, 1, MPI_INT, y, 1, MPI_DATATYPE_NULL, mpi));
    CHECK_REFUSED(MPI_Allgather(x, 1, MPI_INT, y, -1, MPI_INT, mpi));
    CHECK_REFUSED(MPI_Alltoall(x, 1, raw, y, 2, MPI_INT, mpi));
    CHECK_REFUSED(MPI_Alltoall(x, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, mpi));
    const int want = PMPI_Barrier(MPI_COMM_NULL); /* heard by MPI_COMM_WORLD, where errors return */
    ck_assert_all(MPI_Barrier(MPI_COMM_NULL) == want && want != MPI_SUCCESS);
    CHECK_MPI(MPI_Type_free(&raw));
    CHECK_MPI(MPI_Errhandler_free(&handler));
    CHECK_MPI(MPI_Comm_free(&mpi));
}

/* ---- communicators ---------------------------------------------------------------------------------------------------- */

static bool
sums_right(MPI_Comm mpi)
{
    const int p = size_of(mpi);
    int mine[3] = {rank_in(mpi), 1, 7}, sum[3];
    CHECK_MPI(MPI_Allreduce(mine, sum, 3, MPI_INT, MPI_SUM, mpi));
    CHECK_MPI(MPI_Bcast(mine, 1, MPI_INT, p - 1, mpi));
    CHECK_MPI(MPI_Barrier(mpi));
    return sum[0] == p * (p - 1) / 2 && sum[1] == p && sum[2] == 7 * p && mine[0] == p - 1;
}

/* A freed communicator's handle is soon given to another, of other ranks. */
TEST(communicators_come_and_go)
{
    const int p = size_of(MPI_COMM_WORLD), r = rank_in(MPI_COMM_WORLD);
    for (int round = 0; round < 12; round++) {
        MPI_Comm part, copy, grid;
        CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, r % (1 + round % 3), -r, &part));
        bool right = sums_right(part);
        CHECK_MPI(MPI_Comm_dup(part, &copy));
        CHECK_MPI(MPI_Comm_free(&part));
        right = right && sums_right(copy) && sums_right(MPI_COMM_SELF) && sums_right(MPI_COMM_WORLD);
        CHECK_MPI(MPI_Cart_create(MPI_COMM_WORLD, 1, &p, (const int[]){1}, 1, &grid));
        right = right && sums_right(grid) && sums_right(copy);
        CHECK_MPI(MPI_Comm_free(&grid));
        CHECK_MPI(MPI_Comm_free(&copy));
        ck_assert_all(right);
    }
    MPI_Comm kept; /* the program leaves it to MPI_Finalize */
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &kept));
    ck_assert_all(sums_right(kept));
}

/* Between two groups each gets the sum of the other. */
TEST(groups_are_the_librarys)
{
    const int p = size_of(MPI_COMM_WORLD), r = rank_in(MPI_COMM_WORLD), half = (p + 1) / 2;
    if (p < 2)
        skip_test("one rank is no two groups");
    MPI_Comm mine, between;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, r < half, r, &mine));
    CHECK_MPI(MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, r < half ? half : 0, 1, &between));
    int one = 1, others = -1;
    CHECK_MPI(MPI_Allreduce(&one, &others, 1, MPI_INT, MPI_SUM, between));
    CHECK_MPI(MPI_Barrier(between));
    CHECK_MPI(MPI_Comm_free(&between));
    CHECK_MPI(MPI_Comm_free(&mine));
    ck_assert_all(others == (r < half ? p - half : half));
}

/* ---- attributes: ours is one of them, and must not touch the program's ------------------------------------------------ */

static int copies, deletions;

static int
count_copy(MPI_Comm mpi, int key, void *extra, void *in, void *out, int *copied)
{
    (void)mpi, (void)key, (void)extra;
    copies++;
    memcpy(out, &in, sizeof(in));
    *copied = 1;
    return MPI_SUCCESS;
}

static int
count_deletion(MPI_Comm mpi, int key, void *value, void *extra)
{
    (void)mpi, (void)key, (void)value, (void)extra;
    deletions++;
    return MPI_SUCCESS;
}

TEST(attributes_are_copied_only_by_the_program)
{
    int key;
    MPI_Comm first, second;
    copies = deletions = 0;
    CHECK_MPI(MPI_Comm_create_keyval(count_copy, count_deletion, &key, NULL));
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &first));
    CHECK_MPI(MPI_Comm_set_attr(first, key, &copies));
    bool right = sums_right(first) && copies == 0;
    CHECK_MPI(MPI_Comm_dup(first, &second));
    right = right && copies == 1 && sums_right(second) && deletions == 0;
    CHECK_MPI(MPI_Comm_free(&first));
    right = right && deletions == 1 && sums_right(second);
    CHECK_MPI(MPI_Comm_free(&second));
    CHECK_MPI(MPI_Comm_free_keyval(&key));
    ck_assert_all(right && copies == 1 && deletions == 2);
}

TEST_MAIN_MPI("mpi/dropin_guest")
