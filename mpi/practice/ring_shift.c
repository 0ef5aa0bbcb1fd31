/* Practice: every rank sends its vector to the next one, and receives that of the one before.
 *
 *     0 -> 1 -> 2 -> 3 -> 0
 *
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "mpi/point.h"
#include "mpi/practice/practice.h"

/* EXERCISE 06.5  Find the deadlock (10 min, about 1 line)
 * This function has worked for years, on vectors of a hundred elements; on long ones it never comes back. Take the first line away,
 * grade, and read who waits for whom. Then fix it for every length and every number of ranks, one rank included: each rank
 * sends one message and receives one. mpi/point.h says what each function promises. */
void
ring_shift(Comm *comm, const void *x, void *y, size_t n, Element type)
{
    /* BEGIN SOLUTION 06.5 */
    const int p = comm->size, next = (comm->rank + 1) % p, before = (comm->rank + p - 1) % p;
    point_exchange(comm, next, x, n, before, y, n, type);
    /* END SOLUTION */
    /* INSTEAD 06.5
    const int p = comm->size, next = (comm->rank + 1) % p, before = (comm->rank + p - 1) % p;
    point_send(comm, next, x, n, type);
    point_receive(comm, before, y, n, type);
    */
}
