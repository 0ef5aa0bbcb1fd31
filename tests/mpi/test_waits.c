/* Who waits for whom, from records made by hand. SPDX-License-Identifier: MIT */
#include "mpi/watch/waits.h"
#include "tests/testing.h"

enum { P = 4 };
static Activity ranks[P];

/* All compute, in the phase "ring", which began at their 10th move. */
static void
begin(void)
{
    memset(ranks, 0, sizeof(ranks));
    for (int r = 0; r < P; r++) {
        ranks[r].state = STATE_RUNNING;
        ranks[r].moves = ranks[r].phase_began = 10;
        strcpy(ranks[r].phase, "ring");
    }
}

static void
enter(int rank, Wait wait)
{
    ranks[rank].moves = 15; /* its third call */
    ranks[rank].wait = wait;
}

static void
receive(int rank, int from)
{
    enter(rank, (Wait){.call = CALL_Recv, .kind = WAIT_FROM, .peer = from, .tag = 7, .bytes = 400});
}

static void
barrier(int rank, uint32_t number, uint64_t members)
{
    enter(rank, (Wait){.call = CALL_Barrier, .kind = WAIT_ALL, .group = 1, .members = members, .collective = number});
}

static void
finalize(int rank)
{
    enter(rank, (Wait){.call = CALL_Finalize, .kind = WAIT_ANY});
}

/* What is told of these ranks holds `line`. */
static void
ck_told(const char *line)
{
    static const double seconds[P] = {5, 6, 7, 8};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    waits_print(out, ranks, seconds, P);
    fclose(out);
    ck_assert_msg(strstr(text, line) != NULL, "no line '%s' in:\n%s", line, text);
    free(text);
}

TEST(whoever_computes_is_not_waiting)
{
    begin();
    ck_assert(!waits_all(ranks, P));
    for (int r = 0; r < P - 1; r++)
        receive(r, 3);
    ck_assert(!waits_all(ranks, P));
    ck_assert_int_eq(waits_for(ranks, P, 3), -1);
    ck_told("  rank 3 computes\n");
    receive(3, 0);
    ck_assert(waits_all(ranks, P));
}

TEST(at_the_end_nobody_is_stuck)
{
    begin();
    for (int r = 0; r < P; r++)
        finalize(r);
    ck_assert(!waits_all(ranks, P));
    ranks[0].state = STATE_ENDED;
    ranks[0].moves++;
    ck_assert(!waits_all(ranks, P));
}

/* 0 -> 2 -> 3 -> 1 -> 2: rank 0 waits for the cycle, but is none of it. */
TEST(cycles_are_found_and_begin_with_the_least_rank)
{
    int cycle[P];
    begin();
    receive(0, 2);
    receive(2, 3);
    receive(3, 1);
    receive(1, 2);
    ck_assert_int_eq(waits_cycle(ranks, P, cycle), 3);
    ck_assert_int_eq(cycle[0], 1);
    ck_assert_int_eq(cycle[1], 2);
    ck_assert_int_eq(cycle[2], 3);
    ck_told("rungs: deadlock: rank 1 waits for rank 2, which waits for rank 3, which waits for rank 1\n");
    ck_told("  rank 1 waits in MPI_Recv for a message from rank 2: tag 7, 400 bytes, call 3 of \"ring\", for 6 s\n");
}

TEST(a_rank_may_wait_for_itself)
{
    int cycle[P];
    begin();
    receive(2, 2);
    ck_assert_int_eq(waits_cycle(ranks, P, cycle), 1);
    ck_told("rungs: deadlock: rank 2 waits for rank 2\n");
}

TEST(no_cycle_no_deadlock)
{
    int cycle[P];
    begin();
    for (int r = 0; r < P; r++)
        enter(r, (Wait){.call = CALL_Recv, .kind = WAIT_ANY, .peer = -1, .tag = 1});
    ck_assert(waits_all(ranks, P));
    ck_assert_int_eq(waits_cycle(ranks, P, cycle), 0);
    ck_told("  rank 3 waits in MPI_Recv for anyone, call 3");
    ck_told("rungs: no cycle is seen");
}

TEST(those_that_have_ended_are_named)
{
    begin();
    receive(0, 1);
    receive(2, 3);
    finalize(1);
    ranks[3].state = STATE_ENDED;
    ck_assert(waits_all(ranks, P));
    ck_told("  rank 1 has ended (MPI_Finalize)\n");
    ck_told("  rank 3 has ended\n");
    ck_told("rungs: rank 0 waits for rank 1, which has ended\nrungs: rank 2 waits for rank 3, which has ended\n");
}

TEST(a_barrier_waits_for_members_that_are_elsewhere)
{
    int cycle[P];
    begin();
    barrier(0, 3, 7);
    barrier(1, 3, 7);
    receive(2, 3);
    receive(3, 0);
    ck_assert_int_eq(waits_for(ranks, P, 0), 2);
    ck_assert_int_eq(waits_cycle(ranks, P, cycle), 3);
    ck_told("  rank 1 waits in MPI_Barrier for rank 2, call 3");
    barrier(2, 4, 7); /* the next one: it has left the third, so the third will end */
    ck_told("  rank 2 waits in MPI_Barrier for rank 0, 1, call 3");
    ck_assert_int_eq(waits_for(ranks, P, 0), -1);
    ranks[2].wait.collective = 3; /* the same by its number, but another call */
    ranks[2].wait.call = CALL_Bcast;
    ck_assert_int_eq(waits_for(ranks, P, 0), 2);
    ck_told("  rank 2 waits in MPI_Bcast for rank 0, 1, call 3");
    barrier(2, 3, 7);
    ck_assert_int_eq(waits_for(ranks, P, 0), -1);
    ck_told("  rank 0 waits in MPI_Barrier as others do, call 3");
}

TEST(a_collective_without_a_missing_member_runs)
{
    begin();
    for (int r = 0; r < P; r++)
        receive(r, (r + 1) % P);
    ck_assert(!waits_collective_runs(ranks, P));
    for (int r = 0; r < P; r++) {
        ck_assert(!waits_collective_runs(ranks, P)); /* ranks r .. 3 are missing */
        barrier(r, 3, 15);
    }
    ck_assert(waits_all(ranks, P));
    ck_assert(waits_collective_runs(ranks, P));
    barrier(2, 4, 15); /* it has done its part in the third, and is alone in the fourth */
    ck_assert(waits_collective_runs(ranks, P));
    ranks[1].wait.collective = 3; /* the same by its number, but another call: neither is complete, nor is the fourth */
    ranks[1].wait.call = CALL_Bcast;
    ck_assert(!waits_collective_runs(ranks, P));
    ranks[1].state = STATE_ELSEWHERE;
    ck_assert(!waits_collective_runs(ranks, P));
    barrier(1, 3, 15);
    ranks[1].state = STATE_RUNNING;
    ranks[3].state = STATE_ENDED;
    ck_assert(!waits_collective_runs(ranks, P));
}

TEST(whoever_waits_for_a_running_collective_is_not_stuck)
{
    begin();
    barrier(0, 3, 3);
    barrier(1, 3, 3);
    receive(2, 0);
    receive(3, 2);
    ck_assert(waits_all(ranks, P));
    ck_assert(waits_collective_runs(ranks, P));
    barrier(1, 2, 3); /* and rank 0 has left that one: it runs, the third does not yet */
    ck_assert(waits_collective_runs(ranks, P));
    receive(1, 3);
    ck_assert(!waits_collective_runs(ranks, P));
}

TEST(other_machines_are_not_seen)
{
    begin();
    receive(0, 3);
    receive(1, 0);
    ranks[2].state = ranks[3].state = STATE_ELSEWHERE;
    ck_assert(waits_all(ranks, P));
    ck_assert_int_eq(waits_for(ranks, P, 3), -1);
    barrier(0, 1, 15);
    ck_assert_int_eq(waits_for(ranks, P, 0), 1);
    ck_told("  rank 2 is on another machine\n");
}

TEST_MAIN("waits")
