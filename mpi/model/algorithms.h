/* What rungs are made of, as rounds of messages (schedule.h): one name for each stage. Members of a group are counted from its
 * root, member 0. A stage ends in what it moves: the whole vector; chunks, of which member i has chunk_of(n, size, i); parts,
 * the same for the largest power of two of members. Where it ends in sums, whole vectors move and are reduced.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_MODEL_ALGORITHMS_H
#define MPI_MODEL_ALGORITHMS_H

#include "mpi/model/schedule.h"

/* ceil(lg) of the group's size: the rounds in which one member reaches all, or all one. */
int ceil_lg(const Schedule *schedule, const Group *group);

/* The root receives, or sends, one message after the other: p - 1 rounds. */
extern const Algorithm collect_sums, collect_chunks, collect_signals, hand_out_whole, hand_out_chunks, hand_out_signals;

/* Binomial trees to the root and from it: ceil(lg p) rounds. */
extern const Algorithm tree_sums, tree_collect_chunks, tree_whole, tree_hand_out_chunks;

/* Around a ring: p - 1 rounds. scatter_chunks reduces; in segments it overlaps its sums. */
extern const Algorithm ring_whole, ring_scatter_chunks, ring_gather_chunks, ring_scatter_segments, ring_gather_segments;

/* From member to member in segments: segments + p - 2 rounds. */
extern const Algorithm chain_segments;

/* Members beyond a power of two send to a neighbour, and get the result: a round, or none. */
extern const Algorithm fold_sums, fold_chunks, unfold_whole, unfold_chunks;

/* Between them members 1, 2, 4 .. apart exchange: floor(lg p) rounds. Halving reduces. */
extern const Algorithm double_sums, halve_parts, double_parts, halve_chunks, double_chunks;

/* Chunks for any number of ranks (Bruck), rows of all-to-all, signals without bytes: ceil(lg p), p - 1, 2p - 3 rounds as they
 * say. */
extern const Algorithm bruck_chunks, bruck_rows, pairwise_rows, queue_rows, disseminate;

#endif
