/* Communicators, messages, elements and chunks. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/point.h"
#include "mpi/ring.h"
#include "tests/mpi/all_agree.h"

TEST(chunks_make_the_whole)
{
    for (int p = 1; p <= 9; p++)
        for (size_t n = 0; n <= 40; n++) {
            size_t next = 0;
            for (int i = 0; i < p; i++) {
                const Chunk chunk = chunk_of(n, p, i);
                ck_assert_uint_eq(chunk.first, next);
                ck_assert(chunk.count == n / (size_t)p || chunk.count == n / (size_t)p + 1);
                next += chunk.count;
            }
            ck_assert_uint_eq(next, n);
        }
}

/* 40 floats are three lines, the last of them half: 32 and 8 for two, nothing for the fourth of four. */
TEST(chunks_are_cut_at_lines)
{
    ck_assert_uint_eq(chunk_of_lines(40, 4, 2, 0).count, 32);
    ck_assert_uint_eq(chunk_of_lines(40, 4, 2, 1).count, 8);
    ck_assert_uint_eq(chunk_of_lines(40, 4, 4, 3).count, 0);
    ck_assert_uint_eq(chunk_of_lines(1, 1, 3, 0).count, 1);
    for (size_t element = 1; element <= 8; element *= 2)
        for (int p = 1; p <= 9; p++)
            for (size_t n = 0; n <= 400; n += 1 + n / 50) {
                size_t next = 0;
                for (int i = 0; i < p; i++) {
                    const Chunk chunk = chunk_of_lines(n, element, p, i);
                    ck_assert_uint_eq(chunk.first, next);
                    next += chunk.count;
                    ck_assert(next == n || next * element % CHUNK_LINE == 0);
                }
                ck_assert_uint_eq(next, n);
            }
}

TEST(nodes_are_made_of_so_many_ranks)
{
    for (int k = 1; k <= 4; k++) {
        Comm *comm = comm_create(MPI_COMM_WORLD, k);
        const int p = comm->size, r = comm->rank, mine = p - r / k * k < k ? p - r / k * k : k;
        bool holds = comm->nodes == (p + k - 1) / k && comm->node->rank == r % k && comm->node->size == mine;
        holds = holds && comm->node_smallest == (p % k == 0 || p < k ? (p < k ? p : k) : p % k);
        holds = holds && comm->node_largest == (p < k ? p : k);
        holds = holds && comm->across->rank == r / k && comm->node->node == NULL && comm->across->node == NULL;
        ck_assert_msg(all_agree(holds), "the nodes are not as requested");
        comm_free(comm);
    }
}

/* The ring enters each node once and leaves it once, whoever is there; ranks of one node stay in their order. */
static bool
good_ring(const Comm *comm, int (*node)(int rank))
{
    bool holds = ring_rank(comm, ring_place(comm)) == comm->rank;
    int entered[64] = {0};
    for (int place = 0; place < comm->size; place++) {
        const int rank = ring_rank(comm, place), next = ring_rank(comm, place + 1);
        const bool same = node(rank) == node(next);
        entered[node(next)] += !same;
        holds = holds && (!same || next > rank || place == comm->size - 1);
        holds = holds && (comm->node_of == NULL || (comm->node_of[rank] == comm->node_of[next]) == same);
    }
    for (int i = 0; i < 64; i++)
        holds = holds && entered[i] <= 1;
    return holds;
}

static int
dealt(int rank)
{
    return rank % 3;
}

static int
all_but_one(int rank)
{
    return rank == 1;
}

static int
in_blocks(int rank)
{
    return rank / 2;
}

TEST(the_ring_goes_node_by_node)
{
    int (*const nodes[])(int rank) = {dealt, all_but_one, in_blocks};
    for (int i = 0; i < 3; i++) {
        int rank;
        CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
        Comm *comm = comm_create_on(MPI_COMM_WORLD, nodes[i](rank));
        bool holds = good_ring(comm, nodes[i]);
        for (int place = -2 * comm->size; place < comm->size && i == 2; place++) /* blocks: the order of ranks */
            holds = holds && ring_rank(comm, place) == (place + 2 * comm->size) % comm->size;
        ck_assert_msg(all_agree(holds), "the ring enters a node more than once");
        comm_free(comm);
    }
    const int node_of[] = {0, 1, 2, 0, 1, 0};
    int order[6];
    ring_order(node_of, 6, order);
    ck_assert(order[0] == 0 && order[1] == 3 && order[2] == 5 && order[3] == 1 && order[4] == 4 && order[5] == 2);
    ring_order(NULL, 6, order);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(order[i], i);
}

TEST_WITH_COMM(this_machine_is_one_node)
{
    ck_assert_msg(all_agree(comm->nodes == 1 && comm->node->size == comm->size && comm->across->size == 1),
                  "not one node");
}

/* A ring of messages whose lengths differ, cut at every limit. */
TEST_WITH_COMM(messages_arrive_whole)
{
    const int p = comm->size, r = comm->rank, next = (r + 1) % p, previous = (r + p - 1) % p;
    const size_t n = 10 + (size_t)r, m = 10 + (size_t)previous, limits[] = {1, 3, 7, 10, 11, 0};
    int32_t x[32], y[32];
    bool holds = true;
    for (int l = 0; l < 6; l++)
        for (int pending = 0; pending < 2; pending++) {
            for (size_t i = 0; i < 32; i++)
                x[i] = 1000 * r + (int32_t)i, y[i] = -1;
            point_set_limit(limits[l]);
            if (pending) {
                Pending in, out;
                point_begin_receive(comm, previous, y, m, ELEMENT_INT32, &in);
                point_begin_send(comm, next, x, n, ELEMENT_INT32, &out);
                point_wait(&out);
                point_wait(&in);
            } else {
                point_exchange(comm, next, x, n, previous, y, m, ELEMENT_INT32);
            }
            for (size_t i = 0; i < 32; i++)
                holds = holds && y[i] == (i < m ? 1000 * previous + (int32_t)i : -1);
        }
    point_set_limit(0);
    ck_assert_msg(all_agree(holds), "a message was cut, or ran over");
}

/* Each rank sends rank 0 two vectors, cut at every limit: nothing of one gets into another. */
TEST_WITH_COMM(messages_from_anyone_stay_whole)
{
    const int p = comm->size, r = comm->rank;
    enum { N = 10 };
    const size_t limits[] = {1, 3, 10, 0};
    int32_t x[N], came[64] = {0};
    bool holds = p <= 64;
    for (int l = 0; l < 4; l++) {
        point_set_limit(limits[l]);
        for (int k = 0; k < 2 && r > 0; k++) {
            for (int i = 0; i < N; i++)
                x[i] = 1000 * r + 100 * k + i;
            point_send(comm, 0, x, N, ELEMENT_INT32);
        }
        for (int k = 0; k < 2 * (p - 1) && r == 0; k++) {
            const int from = point_receive_any(comm, x, N, ELEMENT_INT32);
            holds = holds && from > 0 && from < p;
            for (int i = 0; i < N && holds; i++)
                holds = x[i] == 1000 * from + 100 * (came[from] % 2) + i;
            came[holds ? from : 0]++;
        }
        CHECK_MPI(MPI_Barrier(comm->mpi)); /* the next limit is for all */
    }
    point_set_limit(0);
    for (int from = 1; from < p && r == 0; from++)
        holds = holds && came[from] == 2 * 4;
    ck_assert_msg(all_agree(holds), "a message from anyone was mixed with another's");
}

TEST(reductions_of_every_type)
{
    const float a[] = {3, -2, 7, 0}, b[] = {-5, 4, 7, 1};
    float y[4];
    combine(REDUCTION_SUM, ELEMENT_FLOAT, 4, a, b, y);
    ck_assert(y[0] == -2 && y[1] == 2 && y[2] == 14 && y[3] == 1);
    combine(REDUCTION_MIN, ELEMENT_FLOAT, 4, a, b, y);
    ck_assert(y[0] == -5 && y[1] == -2 && y[2] == 7 && y[3] == 0);
    combine(REDUCTION_MAX, ELEMENT_FLOAT, 4, a, b, y);
    ck_assert(y[0] == 3 && y[1] == 4 && y[2] == 7 && y[3] == 1);
    combine(REDUCTION_PROD, ELEMENT_FLOAT, 4, a, b, y);
    ck_assert(y[0] == -15 && y[1] == -8 && y[2] == 49 && y[3] == 0);
    const int64_t c[] = {INT64_MAX, -3}, d[] = {1, -4};
    int64_t z[2];
    combine(REDUCTION_SUM, ELEMENT_INT64, 2, c, d, z);
    ck_assert(z[0] == INT64_MIN && z[1] == -7);
    combine(REDUCTION_MIN, ELEMENT_INT64, 2, c, d, z);
    ck_assert(z[0] == 1 && z[1] == -4);
    const int32_t e[] = {INT32_MAX}, f[] = {2};
    int32_t w[1];
    combine(REDUCTION_PROD, ELEMENT_INT32, 1, e, f, w);
    ck_assert_int_eq(w[0], -2);
    const uint8_t g[] = {200}, h[] = {100};
    uint8_t v[1];
    combine(REDUCTION_SUM, ELEMENT_BYTE, 1, g, h, v);
    ck_assert_int_eq(v[0], 44);
    combine(REDUCTION_MAX, ELEMENT_BYTE, 1, g, h, v);
    ck_assert_int_eq(v[0], 200);
    const double nan[] = {NAN}, one[] = {1};
    double u[1];
    combine(REDUCTION_SUM, ELEMENT_DOUBLE, 1, nan, one, u);
    ck_assert(isnan(u[0]));
}

TEST_MAIN_MPI("comm_mpi")
