/* MPI's collectives as a foreign program calls them. Run as it is, this program tests the MPI library, and so its own idea of what
 * MPI means; tests/mpi/test_dropin.sh runs it on the drop-in library, with every rung.
 * SPDX-License-Identifier: MIT */
#include "tests/mpi/all_agree.h"
#include "tests/mpi/barrier_case.h"
#include "tests/mpi/collective_case.h"
#include <limits.h>

/* ---- every routine on vectors whose result is known ------------------------------------------------------------------- */

static void
call_reduce_scatter(const CollectiveCase *c, const Comm *comm, const CollectiveVectors *v)
{
    const MPI_Datatype type = element_mpi(c->type);
    int *counts = ARRAY(int, (size_t)comm->size);
    for (int i = 0; i < comm->size; i++)
        counts[i] = (int)chunk_of(c->n, comm->size, i).count;
    if (c->n % (size_t)comm->size == 0 && c->round % 2 == 0)
        CHECK_MPI(MPI_Reduce_scatter_block(v->x, v->y, counts[0], type, reduction_mpi(c->op), MPI_COMM_WORLD));
    else
        CHECK_MPI(MPI_Reduce_scatter(v->x, v->y, counts, type, reduction_mpi(c->op), MPI_COMM_WORLD));
    array_free(counts);
}

static void
call(const CollectiveCase *c, const Comm *comm, const CollectiveVectors *v)
{
    const int n = (int)c->n, chunk = n / comm->size;
    const MPI_Datatype type = element_mpi(c->type);
    const MPI_Op op = reduction_mpi(c->op);
    const void *x = c->in_place && (c->kind != COLLECTIVE_REDUCE || comm->rank == c->root) ? MPI_IN_PLACE : v->x;
    switch (c->kind) {
    case COLLECTIVE_ALLREDUCE:
        CHECK_MPI(MPI_Allreduce(x, v->y, n, type, op, MPI_COMM_WORLD));
        break;
    case COLLECTIVE_REDUCE:
        CHECK_MPI(MPI_Reduce(x, v->y, n, type, op, c->root, MPI_COMM_WORLD));
        break;
    case COLLECTIVE_BROADCAST:
        CHECK_MPI(MPI_Bcast(v->y, n, type, c->root, MPI_COMM_WORLD));
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        call_reduce_scatter(c, comm, v);
        break;
    case COLLECTIVE_ALL_GATHER:
        CHECK_MPI(MPI_Allgather(x, chunk, type, v->y, chunk, type, MPI_COMM_WORLD));
        break;
    default:
        CHECK_MPI(MPI_Alltoall(v->x, n, type, v->y, n, type, MPI_COMM_WORLD));
        break;
    }
}

/* In place MPI wants all ranks' input of a reduce_scatter at the beginning: that is another test. */
static void
check(Comm *comm, CollectiveKind kind, size_t n, Element type, Reduction op, int root, bool in_place)
{
    static unsigned round;
    const CollectiveCase c = {kind, n, type, op, root, in_place && kind != COLLECTIVE_REDUCE_SCATTER, round++};
    CollectiveVectors v = collective_vectors_create(&c, comm, NULL);
    collective_vectors_fill(&c, comm, &v);
    call(&c, comm, &v);
    const size_t wrong = collective_vectors_wrong(&c, comm, &v, NULL);
    const bool right = all_agree(wrong == 0);
    collective_vectors_free(&v);
    ck_assert_msg(right, "collective %d: %zu elements are wrong on this rank: n = %zu, %s %s, root %d, %s", (int)kind,
                  wrong, n, element_name(type), reduction_name(op), root, in_place ? "in place" : "out of place");
}

/* What every rank contributes to an all-gather is equally long. */
static size_t
length_for(CollectiveKind kind, size_t n, int p)
{
    return kind == COLLECTIVE_ALL_GATHER ? n * (size_t)p : n;
}

/* Every length, and every type, reduction and root. */
static void
check_kind(CollectiveKind kind)
{
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    const size_t p = (size_t)comm->size, lengths[] = {0, 1, p - 1, p, p + 1, 4 * p, 1021, 50021};
    for (int l = 0; l < (int)(COUNT(lengths)); l++)
        for (int in_place = 0; in_place < 2; in_place++)
            check(comm, kind, length_for(kind, lengths[l], comm->size), l % 2 ? ELEMENT_FLOAT : ELEMENT_DOUBLE,
                  REDUCTION_SUM, l % comm->size, in_place);
    for (int type = 0; type < ELEMENT_BYTE; type++)
        for (int op = 0; op < REDUCTIONS; op++)
            for (int root = 0; root < comm->size; root++)
                check(comm, kind, length_for(kind, 13, comm->size), type, op, root, root % 2);
    comm_free(comm);
}

#define KIND_TEST(name, kind)                                                                                          \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        check_kind(kind);                                                                                              \
    }

KIND_TEST(allreduce_is_exact, COLLECTIVE_ALLREDUCE)
KIND_TEST(reduce_is_exact, COLLECTIVE_REDUCE)
KIND_TEST(bcast_is_exact, COLLECTIVE_BROADCAST)
KIND_TEST(reduce_scatter_is_exact, COLLECTIVE_REDUCE_SCATTER)
KIND_TEST(allgather_is_exact, COLLECTIVE_ALL_GATHER)
KIND_TEST(alltoall_is_exact, COLLECTIVE_ALL_TO_ALL)

TEST(reduce_scatter_in_place_begins_with_the_result)
{
    int p, r;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    for (int part = 0; part <= 9; part++) {
        int *x = ARRAY(int, (size_t)(9 * p + 1));
        for (int i = 0; i < part * p; i++)
            x[i] = (r + 1) * (i + 1);
        CHECK_MPI(MPI_Reduce_scatter_block(MPI_IN_PLACE, x, part, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        bool right = true;
        for (int i = 0; i < part; i++)
            right = right && x[i] == (r * part + i + 1) * p * (p + 1) / 2;
        array_free(x);
        ck_assert_all(right);
    }
}

/* Rank i gets i elements: not chunks of ours. */
TEST(reduce_scatter_of_any_counts)
{
    int p, r;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    int counts[16] = {0}, x[128], y[16] = {0};
    ck_assert_int_le(p, 16);
    for (int i = 0; i < p; i++)
        counts[i] = i;
    for (int i = 0; i < 128; i++)
        x[i] = i;
    CHECK_MPI(MPI_Reduce_scatter(x, y, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    bool right = true;
    for (int i = 0; i < r; i++)
        right = right && y[i] == p * (r * (r - 1) / 2 + i);
    ck_assert_all(right);
}

/* ---- types whose elements the rungs do not have, and operations ------------------------------------------------------- */

#define CHECK_REDUCED(Type, type, op, mine, want)                                                                      \
    do {                                                                                                               \
        const Type x_[3] = {(Type)(mine), (Type)(mine), (Type)(mine)};                                                 \
        Type y_[3] = {0};                                                                                              \
        CHECK_MPI(MPI_Allreduce(x_, y_, 3, type, op, MPI_COMM_WORLD));                                                 \
        ck_assert_msg(all_agree(y_[0] == (Type)(want) && y_[2] == (Type)(want)), #type " " #op);                       \
    } while (0)

TEST(signs_are_those_of_the_type)
{
    int p, r;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    CHECK_REDUCED(unsigned, MPI_UNSIGNED, MPI_MAX, r ? 1u : UINT_MAX, UINT_MAX);
    CHECK_REDUCED(unsigned, MPI_UNSIGNED, MPI_SUM, UINT_MAX, (unsigned)-p);
    CHECK_REDUCED(uint64_t, MPI_UINT64_T, MPI_MIN, r ? UINT64_MAX : 7, 7);
    CHECK_REDUCED(unsigned long, MPI_UNSIGNED_LONG, MPI_PROD, r ? 1 : ULONG_MAX - 1, ULONG_MAX - 1);
    CHECK_REDUCED(int8_t, MPI_INT8_T, MPI_MIN, -r, 1 - p);
    CHECK_REDUCED(signed char, MPI_SIGNED_CHAR, MPI_SUM, -1, -p);
    CHECK_REDUCED(uint8_t, MPI_UINT8_T, MPI_MAX, r ? 1 : 200, 200);
    CHECK_REDUCED(short, MPI_SHORT, MPI_SUM, r, p *(p - 1) / 2);
    CHECK_REDUCED(long, MPI_LONG, MPI_MIN, -r - 5000000000, -p - 4999999999);
    CHECK_REDUCED(MPI_Aint, MPI_AINT, MPI_MAX, r - 9, p - 10);
    CHECK_REDUCED(int, MPI_INT, MPI_BOR, 1 << r, (1 << p) - 1);
    CHECK_REDUCED(long double, MPI_LONG_DOUBLE, MPI_SUM, r, p *(p - 1) / 2);
}

static void
keep_second(void *in, void *in_out, int *n, MPI_Datatype *type)
{
    (void)in, (void)in_out, (void)n, (void)type;
}

TEST(operations_of_the_program_and_pairs_are_the_librarys)
{
    int p, r;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    struct {
        double value;
        int rank;
    } pair = {(r * 3) % p + (double)p, r}, least;
    CHECK_MPI(MPI_Allreduce(&pair, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD));
    ck_assert_all(least.rank == 0 && least.value == p);
    MPI_Op op;
    CHECK_MPI(MPI_Op_create(keep_second, 0, &op));
    int last = -1;
    CHECK_MPI(MPI_Allreduce(&r, &last, 1, MPI_INT, op, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Op_free(&op));
    ck_assert_all(last == p - 1);
}

static void
call_barrier(Comm *comm)
{
    CHECK_MPI(MPI_Barrier(comm->mpi));
}

TEST(nobody_leaves_a_barrier_early)
{
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    const bool together = comm->nodes == 1;
    const size_t early = together ? left_early(comm, call_barrier) : 0;
    comm_free(comm);
    if (!together)
        skip_test("the ranks have no memory in common");
    ck_assert_uint_eq(early, 0);
}

TEST_MAIN_MPI("mpi/dropin")
