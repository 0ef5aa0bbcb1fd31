/* Stages of recursive doubling and halving, for powers of two, and how other numbers of ranks are folded to one.
 * SPDX-License-Identifier: MIT */
#include "mpi/element.h"
#include "mpi/fold.h"
#include "mpi/model/algorithms.h"

/* The rank that works at a place of the group (mpi/fold.h). */
static int
rank_at(const Group *group, int place)
{
    return group_rank(group, fold_rank(group->size, place));
}

static int
fold_rounds(const Schedule *schedule, const Group *group)
{
    (void)schedule;
    return group->size > fold_places(group->size) ? 1 : 0;
}

static int
lg_places(const Schedule *schedule, const Group *group)
{
    (void)schedule;
    int lg = 0;
    while (1 << lg < fold_places(group->size))
        lg++;
    return lg;
}

/* Between the two of each pair: to its first member, or to its second. */
static void
fold(Schedule *schedule, const Group *group, bool back, bool of_chunks, bool sums)
{
    for (int pair = 0; pair < group->size - fold_places(group->size); pair++) {
        const int first = group_rank(group, 2 * pair), second = group_rank(group, 2 * pair + 1);
        const size_t n = of_chunks ? chunk_of(group->n, group->size, 2 * pair + 1).count : group->n;
        const double bytes = schedule_bytes(schedule, n);
        schedule_send(schedule, back ? first : second, back ? second : first, bytes);
        if (sums)
            schedule_reduce(schedule, first, bytes);
    }
}

static void
fold_sums_round(Schedule *schedule, const Group *group, int round)
{
    (void)round;
    fold(schedule, group, false, false, true);
}

static void
fold_chunks_round(Schedule *schedule, const Group *group, int round)
{
    (void)round;
    fold(schedule, group, false, true, false);
}

static void
unfold_whole_round(Schedule *schedule, const Group *group, int round)
{
    (void)round;
    fold(schedule, group, true, false, false);
}

static void
unfold_chunks_round(Schedule *schedule, const Group *group, int round)
{
    (void)round;
    fold(schedule, group, true, true, false);
}

static void
double_sums_round(Schedule *schedule, const Group *group, int round)
{
    const double bytes = schedule_bytes(schedule, group->n);
    for (int place = 0; place < fold_places(group->size); place++) {
        schedule_send(schedule, rank_at(group, place), rank_at(group, place ^ (1 << round)), bytes);
        schedule_reduce(schedule, rank_at(group, place), bytes);
    }
}

/* The block of places begin .. end - 1: parts, one for each place, or chunks, one for each member. */
static Chunk
block(const Group *group, int begin, int end, bool of_chunks)
{
    return of_chunks ? fold_block(group->n, group->size, begin, end)
                     : chunks_of(group->n, fold_places(group->size), begin, end);
}

/* Places that are `distance` apart exchange blocks of `distance` places: halving, those in which the other goes on; doubling,
 * their own. */
static void
exchange_blocks(Schedule *schedule, const Group *group, int distance, bool halves, bool of_chunks)
{
    for (int place = 0; place < fold_places(group->size); place++) {
        const int other = place ^ distance, to = rank_at(group, other);
        const int begin = (halves ? other : place) / distance * distance;
        const double bytes = schedule_bytes(schedule, block(group, begin, begin + distance, of_chunks).count);
        schedule_send(schedule, rank_at(group, place), to, bytes);
        if (halves)
            schedule_reduce(schedule, to, bytes);
    }
}

static void
halve_parts_round(Schedule *schedule, const Group *group, int round)
{
    exchange_blocks(schedule, group, fold_places(group->size) >> (round + 1), true, false);
}

static void
halve_chunks_round(Schedule *schedule, const Group *group, int round)
{
    exchange_blocks(schedule, group, fold_places(group->size) >> (round + 1), true, true);
}

static void
double_parts_round(Schedule *schedule, const Group *group, int round)
{
    exchange_blocks(schedule, group, 1 << round, false, false);
}

static void
double_chunks_round(Schedule *schedule, const Group *group, int round)
{
    exchange_blocks(schedule, group, 1 << round, false, true);
}

const Algorithm fold_sums = {fold_rounds, fold_sums_round};
const Algorithm fold_chunks = {fold_rounds, fold_chunks_round};
const Algorithm unfold_whole = {fold_rounds, unfold_whole_round};
const Algorithm unfold_chunks = {fold_rounds, unfold_chunks_round};
const Algorithm double_sums = {lg_places, double_sums_round};
const Algorithm halve_parts = {lg_places, halve_parts_round};
const Algorithm halve_chunks = {lg_places, halve_chunks_round};
const Algorithm double_parts = {lg_places, double_parts_round};
const Algorithm double_chunks = {lg_places, double_chunks_round};
