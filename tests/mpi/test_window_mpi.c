/* Memory that a node shares, and the all-reduce that lives in it. SPDX-License-Identifier: MIT */
#include "mpi/collectives/allreduce/10_window.h"
#include "mpi/collectives/ladders.h"
#include "tests/mpi/collective_case.h"
#include <unistd.h>

enum { PAGE = 4096 };

static size_t
part_bytes(int rank)
{
    return rank % 3 == 2 ? 0 : (size_t)rank * 5000 + 100;
}

TEST(parts_are_seen_by_all_ranks_of_the_node)
{
    for (int ranks_per_node = 0; ranks_per_node <= 3; ranks_per_node++) {
        Comm *comm = comm_create(MPI_COMM_WORLD, ranks_per_node);
        const int node_begin = comm->rank - comm->node->rank;
        const size_t bytes = part_bytes(comm->rank);
        unsigned char *mine = window_allocate(comm, bytes);
        bool ok = (uintptr_t)mine % PAGE == 0;
        for (size_t i = 0; i < bytes; i++)
            ok = ok && mine[i] == 0;
        ck_assert_msg(all_agree(ok), "a part is not zero or not aligned");

        for (size_t i = 0; i < bytes; i++)
            mine[i] = (unsigned char)((size_t)comm->rank * 31 + i);
        CHECK_MPI(MPI_Barrier(comm->mpi));
        const NodeWindow *window = window_of(comm);
        const WindowPlace place = window_find(window, mine, bytes);
        for (int r = 0; r < comm->node->size; r++) {
            const unsigned char *other = window_at(window, r, place);
            const size_t others = part_bytes(node_begin + r);
            for (size_t i = 0; i < others; i++)
                ok = ok && other[i] == (unsigned char)((size_t)(node_begin + r) * 31 + i);
        }
        ck_assert_msg(all_agree(ok), "another rank's part holds something else");
        window_free(comm, mine);
        comm_free(comm);
    }
}

TEST(a_place_is_found_only_where_all_its_bytes_are)
{
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    char *a = window_allocate(comm, 100), *b = window_allocate(comm, 3 * PAGE), private[8];
    const NodeWindow *window = window_of(comm);
    const WindowPlace in_a = window_find(window, a + 60, 40), in_b = window_find(window, b + PAGE, 2 * PAGE);
    ck_assert_msg(all_agree(in_a.segment == 1 && in_a.offset == 60 && in_b.segment == 2 && in_b.offset == PAGE),
                  "other places");
    ck_assert_msg(all_agree((char *)window_at(window, comm->node->rank, in_b) == b + PAGE), "another address of mine");
    ck_assert_msg(all_agree(window_find(window, a + 60, 41).segment == 0), "a vector that ends outside was found");
    ck_assert_msg(all_agree(window_find(window, b - 1, 2).segment == 0), "a vector that begins outside was found");
    ck_assert_msg(all_agree(window_find(window, private, 8).segment == 0), "private memory was found");
    ck_assert_msg(all_agree(window_at(window, 0, (WindowPlace){0, 0}) == NULL),
                  "private memory has an address elsewhere");
    window_free(comm, a);
    ck_assert_msg(all_agree(window_find(window, a, 1).segment == 0), "freed memory was found");
    ck_assert_msg(all_agree(window_find(window, b, 1).segment == 2), "what was not freed is lost");
    window_free(comm, NULL);
    comm_free(comm); /* frees b */
}

TEST(the_rung_is_accepted_on_one_machine)
{
    for (int ranks_per_node = 0; ranks_per_node <= 3; ranks_per_node++) {
        Comm *comm = comm_create(MPI_COMM_WORLD, ranks_per_node);
        Error reason;
        ck_assert_msg(all_agree(allreduce_window_accepts(comm, 1, ELEMENT_FLOAT, &reason)), "refused");
        comm_free(comm);
    }
}

/* The rung on vectors at `memory`, or in private memory if that is NULL; wrong elements on all ranks. */
static size_t
wrong_in(Comm *comm, const CollectiveCase *c, void *memory)
{
    CollectiveVectors v = collective_vectors_create(c, comm, memory);
    collective_vectors_fill(c, comm, &v);
    allreduce_window(comm, v.x, v.y, c->n, c->type, c->op);
    const size_t wrong = collective_vectors_wrong(c, comm, &v, NULL);
    collective_vectors_free(&v);
    return sum_of_ranks(comm, wrong);
}

enum { LONGEST = 300007 };

/* Where each rank's vectors are: all in the window, at the same place or each at another, or those of some ranks outside. */
enum { TOGETHER, ELSEWHERE, ONE_PRIVATE, ALL_PRIVATE, LAYOUTS };

static void *
memory_of(const Comm *comm, int layout, char *window)
{
    if (layout == ALL_PRIVATE || (layout == ONE_PRIVATE && comm->rank == comm->size - 1))
        return NULL;
    return window + (layout == ELSEWHERE ? 64 * comm->rank : 0);
}

TEST(vectors_may_lie_anywhere)
{
    const size_t lengths[] = {1, 13, 1023, 1025, 16 * 1024 + 5, 70001, LONGEST};
    for (int ranks_per_node = 0; ranks_per_node <= 3; ranks_per_node++) {
        Comm *comm = comm_create(MPI_COMM_WORLD, ranks_per_node);
        char *window = window_allocate(comm, 2 * LONGEST * sizeof(double) + PAGE);
        unsigned round = 0;
        for (int l = 0; l < (int)(COUNT(lengths)); l++)
            for (int layout = 0; layout < LAYOUTS; layout++)
                for (int in_place = 0; in_place < 2; in_place++) {
                    const CollectiveCase c = {
                        COLLECTIVE_ALLREDUCE, lengths[l], round % ELEMENT_BYTE, round % REDUCTIONS, 0, in_place, round};
                    round += 3;
                    const size_t wrong = wrong_in(comm, &c, memory_of(comm, layout, window));
                    ck_assert_msg(wrong == 0, "%zu wrong, n = %zu, %s %s, layout %d, %d nodes", wrong, c.n,
                                  element_name(c.type), reduction_name(c.op), layout, comm->nodes);
                }
        comm_free(comm);
    }
}

TEST_WITH_COMM(each_way_is_taken_where_it_belongs)
{
    if (comm->size == 1) {
        comm_free(comm);
        skip_test("one rank uses no algorithm");
    }
    float *window = window_allocate(comm, LONGEST * sizeof(float)), *private = ARRAY(float, LONGEST);
    const uint64_t *count = window_of(comm)->counter;
    const size_t small = WINDOW_SMALL / sizeof(float);
    allreduce_window(comm, private, private, small, ELEMENT_FLOAT, REDUCTION_SUM);
    ck_assert_msg(all_agree(count[COUNT_SMALL] == 1 && count[COUNT_STEPS] == 0), "a short vector did not use `small`");
    allreduce_window(comm, window, window, small + 1, ELEMENT_FLOAT, REDUCTION_SUM);
    ck_assert_msg(all_agree(count[COUNT_SMALL] == 1 && count[COUNT_STEPS] == 0),
                  "a shared vector did not use `direct`");
    allreduce_window(comm, comm->rank == 0 ? private : window, window, LONGEST, ELEMENT_FLOAT, REDUCTION_SUM);
    ck_assert_msg(all_agree(count[COUNT_STEPS] == (LONGEST * sizeof(float) - 1) / WINDOW_SEGMENT + 1),
                  "other segments");
    array_free(private);
}

/* Many short calls without anything between them that would make ranks wait: a rank that reads a slot of an earlier call, or
 * overwrites one that another has not read yet, gets other sums. */
TEST_WITH_COMM(calls_in_a_row_never_see_an_old_vector)
{
    enum { CALLS = 3000, MOST = 2000 };
    int32_t *y = window_allocate(comm, MOST * sizeof(int32_t));
    const int p = comm->size;
    size_t wrong = 0;
    for (int call = 0; call < CALLS; call++) {
        const int n = 1 + call * 7919 % (call % 10 == 0 ? MOST : 20);
        for (int i = 0; i < n; i++)
            y[i] = call * p + comm->rank + i;
        allreduce_window(comm, y, y, (size_t)n, ELEMENT_INT32, REDUCTION_SUM);
        for (int i = 0; i < n; i++)
            wrong += y[i] != p * (call * p + i) + p * (p - 1) / 2;
    }
    ck_assert_uint_eq(sum_of_ranks(comm, wrong), 0);
}

/* Ranks that are late alternately, private and shared vectors of all lengths in a row. */
TEST_WITH_COMM(late_ranks_are_waited_for)
{
    enum { CALLS = 200 };
    int64_t *shared = window_allocate(comm, LONGEST * sizeof(int64_t)), *private = ARRAY(int64_t, LONGEST);
    const int p = comm->size;
    size_t wrong = 0;
    for (int call = 0; call < CALLS; call++) {
        const size_t n = 1 + (size_t)call * 104729 % (call % 5 == 0 ? LONGEST : 3000);
        int64_t *y = call % 3 == 0 ? private : shared;
        for (size_t i = 0; i < n; i++)
            y[i] = (int64_t)i * (comm->rank + 1) + call;
        if (call % p == comm->rank)
            usleep(300);
        allreduce_window(comm, y, y, n, ELEMENT_INT64, REDUCTION_SUM);
        for (size_t i = 0; i < n; i++)
            wrong += y[i] != (int64_t)i * p * (p + 1) / 2 + (int64_t)call * p;
    }
    array_free(private);
    ck_assert_uint_eq(sum_of_ranks(comm, wrong), 0);
}

/* Sums of random numbers in shared memory: the same bits on all ranks, and those of the sum in the order of ranks. */
TEST_WITH_COMM(sums_are_added_in_the_order_of_ranks)
{
    enum { N = 100003 };
    float *shared = window_allocate(comm, N * sizeof(float)), *want = ARRAY(float, N), *x = ARRAY(float, N);
    for (int r = 0; r < comm->size; r++) {
        rng_fill_normal(11, (uint64_t)r, 0, x, N, 0, 1);
        for (size_t i = 0; i < N; i++)
            want[i] = r == 0 ? x[i] : want[i] + x[i];
    }
    const size_t lengths[] = {900, N};
    for (int l = 0; l < 2; l++)
        for (int in_window = 0; in_window < 2; in_window++) {
            float *y = in_window ? shared : x;
            rng_fill_normal(11, (uint64_t)comm->rank, 0, y, N, 0, 1);
            allreduce_window(comm, y, y, lengths[l], ELEMENT_FLOAT, REDUCTION_SUM);
            ck_assert_msg(all_agree(memcmp(y, want, lengths[l] * sizeof(float)) == 0), "other bits");
        }
    array_free(want);
    array_free(x);
}

/* A message of the program that is still under way when its sender waits in the window: rank 0 waits for rank 1, which waits for
 * rank 2, which waits for that message. Rank 2 is outside the communicator of the others. */
TEST(messages_move_on_while_a_rank_waits)
{
    enum { LENGTH = 4 << 20 };
    int rank, size, y = 1;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
    if (size < 3)
        skip_test("fewer than three ranks");
    MPI_Comm two;
    MPI_Request sent = MPI_REQUEST_NULL;
    char *message = ARRAY(char, LENGTH);
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &two));
    Comm *comm = comm_create(two, 0);
    window_of(comm); /* or the messages that make it would be those that move ours on */
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        CHECK_MPI(MPI_Isend(message, LENGTH, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &sent));
    if (rank == 2) {
        usleep(10000); /* rank 0 waits by then */
        CHECK_MPI(MPI_Recv(message, LENGTH, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_MPI(MPI_Send(&y, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
    }
    if (rank == 1)
        CHECK_MPI(MPI_Recv(&y, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    allreduce_window(comm, &y, &y, 1, ELEMENT_INT32, REDUCTION_SUM);
    CHECK_MPI(MPI_Wait(&sent, MPI_STATUS_IGNORE));
    ck_assert_int_eq(y, comm->size);
    array_free(message);
    comm_free(comm);
    CHECK_MPI(MPI_Comm_free(&two));
}

TEST_MAIN_MPI("window_mpi")
