/* LAB 06, exercise 06.2. This copy of mpi/chunk.c is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=06       points for each exercise, and the first wrong value
 *     make hint LAB=06.2      the next hint for an exercise
 *     make watch LAB=06       grade again whenever this file is saved
 *     make reset LAB=06       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from mpi/chunk.c; change it there. */
/* A vector partitioned into chunks, one for each rank.
 *
 *     n = 10, p = 4      0 1 2 | 3 4 5 | 6 7 | 8 9      10 = 4 * 2 + 2: all have two, the first two one more
 *     n = 2,  p = 4      0 | 1 |   |                    the last two have none
 *
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "mpi/chunk.h"
#include "core/checked.h"

/* EXERCISE 06.2  Cut the vector (10 min, about 4 lines)
 * Return where chunk i of p begins in a vector of n elements, and how many elements it has. The chunks stand one behind the
 * other, cover the vector, and differ by at most one element: the first n mod p of them are the longer ones. n may be smaller
 * than p, and nearly as large as a size_t can be: n * i does not fit then. */
Chunk
chunk_of(size_t n, int p, int i)
{
    EXERCISE_NOT_SOLVED("06.2"); /* TODO: about 4 lines */
}
