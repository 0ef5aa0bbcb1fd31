/* Messages, bytes and steps as counted, beside what they must be. SPDX-License-Identifier: MIT */
#include "mpi/point.h"
#include "tests/mpi/watch_case.h"

/* The drawing in watch.h. */
TEST(four_messages_of_three_steps)
{
    if (process_count() < 4)
        skip_test("it is drawn for four ranks");
    begin();
    if (r == 0) {
        point_send(comm, 2, x, N, ELEMENT_FLOAT);
        point_send(comm, 1, x, N, ELEMENT_FLOAT);
    } else if (r == 1) {
        point_receive(comm, 0, y, N, ELEMENT_FLOAT);
        point_send(comm, 2, x, N, ELEMENT_FLOAT);
    } else if (r == 2) {
        static const int from[] = {3, 1, 0}; /* the order in which it asks for them changes nothing */
        for (int i = 0; i < 3; i++)
            point_receive(comm, from[i], y, N, ELEMENT_FLOAT);
    } else if (r == 3)
        point_send(comm, 2, x, N, ELEMENT_FLOAT);
    const WatchCounts counts = watch_end(comm->mpi);
    comm_free(comm);
    expect("messages", counts.total.sent, 4);
    expect("steps", counts.steps, 3);
}

/* Every message waits for the one before. */
TEST(chain_takes_a_step_for_each_link)
{
    begin();
    if (r > 0)
        point_receive(comm, r - 1, y, N, ELEMENT_FLOAT);
    if (r < p - 1)
        point_send(comm, r + 1, x, N, ELEMENT_FLOAT);
    const WatchCounts counts = watch_end(comm->mpi);
    comm_free(comm);
    expect("steps", counts.steps, p - 1);
    expect("milliseconds", (int64_t)(1e3 * watch_replay(1, 0.5) + 0.5), (int64_t)1000 * (p - 1) * (1 + 2 * N));
}

/* All begin at once, but each rank sends to the others one by one. */
TEST(all_to_all_takes_turns_at_the_ports)
{
    begin();
    MPI_Request requests[14];
    int count = 0;
    for (int i = 1; i < p; i++)
        CHECK_MPI(MPI_Irecv(&y[i * N], N, MPI_FLOAT, (r + p - i) % p, 5, comm->mpi, &requests[count++]));
    for (int i = 1; i < p; i++)
        CHECK_MPI(MPI_Isend(x, i, MPI_FLOAT, (r + i) % p, 5, comm->mpi, &requests[count++]));
    CHECK_MPI(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    const WatchCounts counts = watch_end(comm->mpi);
    comm_free(comm);
    expect("messages", counts.mine.sent, p - 1);
    expect("bytes received, which are fewer than there was room for", counts.mine.received_bytes, 4 * p * (p - 1) / 2);
    expect("steps", counts.steps, p - 1);
}

TEST(whoever_sends_is_known_afterwards)
{
    begin();
    for (int i = 1; i < p && r == 0; i++)
        CHECK_MPI(MPI_Recv(y, N, MPI_FLOAT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm->mpi, MPI_STATUS_IGNORE));
    if (r > 0)
        CHECK_MPI(MPI_Send(x, N, MPI_FLOAT, 0, r, comm->mpi));
    const WatchCounts counts = watch_end(comm->mpi);
    comm_free(comm);
    expect("steps", counts.steps, p - 1);
    expect("messages received", counts.mine.received, r == 0 ? p - 1 : 0);
}

/* A parameter server's messages: a vector of two messages from anyone, and an answer. */
TEST(whoever_is_answered_has_sent)
{
    begin();
    point_set_limit(N - 1);
    for (int i = 1; i < p && r == 0; i++) {
        const int from = point_receive_any(comm, y, N, ELEMENT_FLOAT);
        point_send(comm, from, x, 1, ELEMENT_FLOAT);
    }
    if (r > 0) {
        point_send(comm, 0, x, N, ELEMENT_FLOAT);
        point_receive(comm, 0, y, 1, ELEMENT_FLOAT);
    }
    point_set_limit(0);
    const WatchCounts counts = watch_end(comm->mpi);
    comm_free(comm);
    expect("messages received", counts.mine.received, r == 0 ? 2 * (p - 1) : 1);
    expect("bytes received", counts.mine.received_bytes, r == 0 ? 4 * N * (p - 1) : 4);
}

/* Rank 0 sends 100 bytes on one communicator, then 1 byte on another; rank 1 takes the second first, and answers. Were the two
 * mixed up, it would answer after 100 bytes' time. */
TEST(communicators_of_the_same_ranks_are_told_apart)
{
    begin();
    MPI_Comm other;
    CHECK_MPI(MPI_Comm_dup(comm->mpi, &other));
    if (r == 0) {
        CHECK_MPI(MPI_Send(x, 100, MPI_BYTE, 1, 0, comm->mpi));
        CHECK_MPI(MPI_Send(x, 1, MPI_BYTE, 1, 0, other));
        CHECK_MPI(MPI_Recv(y, 1, MPI_BYTE, 1, 0, other, MPI_STATUS_IGNORE));
    }
    if (r == 1) {
        CHECK_MPI(MPI_Recv(y, 1, MPI_BYTE, 0, 0, other, MPI_STATUS_IGNORE));
        CHECK_MPI(MPI_Send(x, 1, MPI_BYTE, 0, 0, other));
        CHECK_MPI(MPI_Recv(y, 100, MPI_BYTE, 0, 0, comm->mpi, MPI_STATUS_IGNORE));
    }
    const WatchCounts counts = watch_end(comm->mpi);
    CHECK_MPI(MPI_Comm_free(&other));
    comm_free(comm);
    expect("steps", counts.steps, 3);
    expect("seconds", (int64_t)watch_replay(0, 1), 102);
    expect("making a communicator is a collective", counts.mine.collectives, 1);
}

/* A test that finds its message is a wait; one that does not is nothing. A rank that waits for any takes one at a time. */
TEST(tests_and_waits_for_any_count)
{
    begin();
    MPI_Request requests[2];
    const int next = (r + 1) % p, before = (r + p - 1) % p;
    CHECK_MPI(MPI_Irecv(y, N, MPI_FLOAT, before, 1, comm->mpi, &requests[0]));
    CHECK_MPI(MPI_Irecv(&y[N], N, MPI_FLOAT, before, 2, comm->mpi, &requests[1]));
    CHECK_MPI(MPI_Ssend(x, N, MPI_FLOAT, next, 1, comm->mpi));
    for (int done = 0; !done;)
        CHECK_MPI(MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Send(x, N, MPI_FLOAT, next, 2, comm->mpi));
    int index = -1;
    CHECK_MPI(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
    const WatchCounts counts = watch_end(comm->mpi);
    comm_free(comm);
    expect("the second", index, 1);
    expect("messages received", counts.mine.received, 2);
    expect("steps", counts.steps, 2);
}

TEST(strict_sends_wait_for_their_receivers)
{
    begin();
    watch_strict(true);
    int there = 0, one = 1;
    if (r == 0)
        CHECK_MPI(MPI_Recv(&there, 1, MPI_INT, 1, 9, comm->mpi, MPI_STATUS_IGNORE));
    if (r == 1)
        CHECK_MPI(MPI_Send(&one, 1, MPI_INT, 0, 9, comm->mpi));
    point_exchange(comm, (r + 1) % p, x, N, (r + p - 1) % p, y, N, ELEMENT_FLOAT);
    watch_strict(false);
    const WatchCounts counts = watch_end(comm->mpi);
    comm_free(comm);
    expect("received", there, r == 0);
    expect("steps", counts.steps, 2);
}

TEST(what_is_not_watched_is_not_counted)
{
    begin();
    WatchCounts counts = watch_end(comm->mpi);
    point_exchange(comm, (r + 1) % p, x, N, (r + p - 1) % p, y, N, ELEMENT_FLOAT);
    expect("messages", counts.total.sent, 0);
    expect("steps", counts.steps, 0);
    ck_assert_refused(watch_svg("nothing.svg", "nothing", &error), "no message was watched");
    comm_free(comm);
}

TEST_MAIN_MPI("watch")
