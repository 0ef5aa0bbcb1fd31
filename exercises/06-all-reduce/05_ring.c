/* LAB 06, exercises 06.3 to 06.4. This copy of mpi/collectives/allreduce/05_ring.c is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=06       points for each exercise, and the first wrong value
 *     make hint LAB=06.3      the next hint for an exercise
 *     make watch LAB=06       grade again whenever this file is saved
 *     make reset LAB=06       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from mpi/collectives/allreduce/05_ring.c; change it there. */
/* SPDX-License-Identifier: MIT */
/* allreduce, rung 5: ring.
 * Idea      partition the vector into p chunks and let p sums go around at the same time, one for each chunk, each starting at
 *           another rank. After p - 1 steps each rank holds one chunk of the result (reduce-scatter). Then the finished chunks
 *           go around once more, and every rank keeps what passes (all-gather).
 *
 *           Four ranks with the vectors a, b, c, d. A rank's four columns are its chunks 0, 1, 2, 3; "da" is the sum of these
 *           chunks of d and a. Every rank sends to the right, and the last to the first: what came in is in brackets.
 *
 *                                rank 0                    rank 1                    rank 2                    rank 3
 *           chunk         0     1     2     3       0     1     2     3       0     1     2     3       0     1     2     3
 *           at first      a     a     a     a       b     b     b     b       c     c     c     c       d     d     d     d
 *
 *           reduce-scatter: in step s rank r sends chunk r - 1 - s, and adds what comes in to chunk r - 2 - s
 *           step 0        a     a    [da]   a       b     b     b    [ab]    [bc]   c     c     c       d    [cd]   d     d
 *           step 1        a   [cda]   da    a       b     b   [dab]   ab      bc    c     c   [abc]   [bcd]   cd    d     d
 *           step 2      [bcda] cda    da    a       b   [cdab] dab    ab      bc    c   [dabc] abc     bcd    cd    d   [abcd]
 *
 *           Rank r has all of chunk r: four letters. All-gather: in step s rank r sends chunk r - s, and puts what comes in to
 *           chunk r - 1 - s. # is a finished chunk, the others do not matter any more.
 *           at first      #     .     .     .       .     #     .     .       .     .     #     .       .     .     .     #
 *           step 0        #     .     .    [#]     [#]    #     .     .       .    [#]    #     .       .     .    [#]    #
 *           step 1        #     .    [#]    #       #     #     .    [#]     [#]    #     #     .       .    [#]    #     #
 *           step 2        #    [#]    #     #       #     #    [#]    #       #     #     #    [#]     [#]    #     #     #
 *
 *           Each sum is made along one path and then copied, so all ranks have the same bits.
 * Before    whole vectors travelled: (p - 1) n bytes out of each rank.
 * Now       2 (p - 1) messages of n / p bytes: less than 2 n bytes out of each rank, for any p.
 * Cost      2 (p - 1) alpha + 2 n (p - 1) / p beta + n (p - 1) / p gamma. No all-reduce can send fewer bytes, as every rank
 *           must send its contribution and receive the others'. In return there are p - 1 messages where a tree has lg p: a
 *           ring is for long, bandwidth-bound vectors. Where ranks are dealt to nodes in turn, the neighbours would be on other
 *           nodes. So the ring goes node by node (mpi/ring.h); ranks of the drawing are places in it then, and chunk i is that
 *           of the rank at place i.
 * Wants     nothing. If p does not divide n, some chunks are one longer (chunk_of); if n < p, some are empty.
 * Lecture   lectures/06-all-reduce.md */
#include "mpi/collectives/allreduce/05_ring.h"
#include "core/checked.h"
#include "core/workspace.h"
#include "mpi/collectives/allreduce/allreduce.h"
#include "mpi/ring.h"

/* The chunk of the rank at place i, counted around the ring: place -1 is the last one. */
static inline Chunk
chunk_around(const Comm *comm, size_t n, int i)
{
    return chunk_of(n, comm->size, ring_rank(comm, i));
}

/* EXERCISE 06.3  Reduce-scatter (25 min, about 10 lines)
 * r is this rank's place in the ring, ring_place(comm), and ring_rank(comm, r + 1) the next rank (mpi/ring.h): rank r and r +
 * 1, unless nodes have other than consecutive ranks. p - 1 steps, s = 0, 1, ..: send chunk r - 1 - s to the next rank, receive
 * chunk r - 2 - s from the one before, combine it with the same chunk of x, and put the result into y: chunk r of y is then the
 * result's. In step 0 what goes out is x's chunk as it is, later it is what the step before put into y; so x need not be
 * copied, and is not changed (unless y is x). What comes in may wait in the chunk of y that its sum goes to; but if y is x,
 * that holds what it is to be added to, and workspace(bytes) has a place as long as the longest chunk. One rank alone copies x
 * to y. */
void
ring_reduce_scatter(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    EXERCISE_NOT_SOLVED("06.3"); /* TODO: about 10 lines */
}

/* EXERCISE 06.4  All-gather (15 min, about 6 lines)
 * From chunk r of y on every rank r, all chunks on all ranks. p - 1 steps, s = 0, 1, ..: send chunk r - s to the next rank, receive
 * chunk r - 1 - s from the one before, straight into its place. */
void
ring_all_gather(Comm *comm, void *y, size_t n, Element type)
{
    EXERCISE_NOT_SOLVED("06.4"); /* TODO: about 6 lines */
}

void
allreduce_ring(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    ring_reduce_scatter(comm, x, y, n, type, op);
    ring_all_gather(comm, y, n, type);
}
