/* LAB 06, exercise 06.1. This copy of mpi/collectives/allreduce/01_naive.c is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=06       points for each exercise, and the first wrong value
 *     make hint LAB=06.1      the next hint for an exercise
 *     make watch LAB=06       grade again whenever this file is saved
 *     make reset LAB=06       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from mpi/collectives/allreduce/01_naive.c; change it there. */
/* allreduce, rung 1: naive.
 * Idea      every rank sends its vector to rank 0, which reduces them one by one and sends the result to every rank.
 * Cost      2 (p - 1) (alpha + n beta) + (p - 1) n gamma: rank 0 receives and sends every byte, the others wait.
 * Wants     nothing.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "core/workspace.h"
#include "mpi/collectives/allreduce/allreduce.h"

/* EXERCISE 06.1  Naive (15 min, about 14 lines)
 * Every rank but 0 sends its x to rank 0 and receives the result into y. Rank 0 begins with its own vector, combines the others'
 * with it as they come, rank 1 first, and sends the result to all. x may be y; rank 0 needs memory for one vector that comes in,
 * and workspace(bytes) has some. mpi/point.h has the messages, mpi/element.h combine(). */
void
allreduce_naive(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    EXERCISE_NOT_SOLVED("06.1"); /* TODO: about 14 lines */
}
