/* The table of `rungs backends`, against the marks counted in PyTorch's manual. SPDX-License-Identifier: MIT */
#include "cli/backends.h"
#include "tests/testing.h"

static int
count(int column, char mark)
{
    int marks = 0;
    for (int i = 0; i < BACKEND_OPERATIONS; i++)
        marks += backend_rows[i].cell[column] == mark;
    return marks;
}

TEST(marks_are_as_counted)
{
    static const struct {
        const char *name;
        int yes, no, depends;
    } want[BACKEND_COLUMNS] = {{"gloo CPU", 11, 0, 0}, {"gloo GPU", 8, 3, 0},  {"mpi CPU", 10, 1, 0},
                               {"mpi GPU", 0, 1, 10},  {"nccl CPU", 0, 11, 0}, {"nccl GPU", 11, 0, 0}};
    for (int c = 0; c < BACKEND_COLUMNS; c++) {
        ck_assert_str_eq(backend_columns[c], want[c].name);
        ck_assert_int_eq(count(c, 'y'), want[c].yes);
        ck_assert_int_eq(count(c, 'n'), want[c].no);
        ck_assert_int_eq(count(c, '?'), want[c].depends);
    }
}

/* gloo on a GPU cannot send, receive, wait; MPI cannot reduce-scatter. */
TEST(the_exceptions_are_where_they_belong)
{
    for (int i = 0; i < BACKEND_OPERATIONS; i++) {
        const BackendRow *row = &backend_rows[i];
        const bool refused = strcmp(row->operation, "send") == 0 || strcmp(row->operation, "recv") == 0 ||
                             strcmp(row->operation, "barrier") == 0;
        const bool scattered = strcmp(row->operation, "reduce_scatter") == 0;
        ck_assert_int_eq(row->cell[1], refused ? 'n' : 'y');
        ck_assert_int_eq(row->cell[2], scattered ? 'n' : 'y');
        ck_assert_int_eq(row->cell[3], scattered ? 'n' : '?');
    }
}

TEST_MAIN("cli backends")
