/* LAB 06, exercise 06.5. This copy of mpi/practice/ring_shift.c is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=06       points for each exercise, and the first wrong value
 *     make hint LAB=06.5      the next hint for an exercise
 *     make watch LAB=06       grade again whenever this file is saved
 *     make reset LAB=06       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from mpi/practice/ring_shift.c; change it there. */
/* Practice: every rank sends its vector to the next one, and receives that of the one before.
 *
 *     0 -> 1 -> 2 -> 3 -> 0
 *
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "mpi/point.h"
#include "mpi/practice/practice.h"

/* EXERCISE 06.5  Find the deadlock (10 min, about 1 line)
 * This function has worked for years, on vectors of a hundred elements; on long ones it never comes back. Take the first line away,
 * grade, and read who waits for whom. Then fix it for every length and every number of ranks, one rank included: each rank
 * sends one message and receives one. mpi/point.h says what each function promises. */
void
ring_shift(Comm *comm, const void *x, void *y, size_t n, Element type)
{
    EXERCISE_NOT_SOLVED("06.5"); /* TODO: take this line away, and find the mistake */
    const int p = comm->size, next = (comm->rank + 1) % p, before = (comm->rank + p - 1) % p;
    point_send(comm, next, x, n, type);
    point_receive(comm, before, y, n, type);
}
