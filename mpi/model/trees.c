/* Stages with a root: one after the other, along a binomial tree, along a chain. SPDX-License-Identifier: MIT */
#include "mpi/element.h"
#include "mpi/model/algorithms.h"
#include "mpi/segments.h"

static double
whole(const Schedule *schedule, const Group *group)
{
    return schedule_bytes(schedule, group->n);
}

/* The chunks of at most `count` members from `first` on. */
static double
chunks(const Schedule *schedule, const Group *group, int first, int count)
{
    const int end = first + count < group->size ? first + count : group->size;
    return schedule_bytes(schedule, chunks_of(group->n, group->size, first, end).count);
}

static int
one_by_one(const Schedule *schedule, const Group *group)
{
    (void)schedule;
    return group->size - 1;
}

static void
collect_sums_round(Schedule *schedule, const Group *group, int round)
{
    const int root = group_rank(group, 0);
    schedule_send(schedule, group_rank(group, round + 1), root, whole(schedule, group));
    schedule_reduce(schedule, root, whole(schedule, group));
}

static void
collect_chunks_round(Schedule *schedule, const Group *group, int round)
{
    schedule_send(schedule, group_rank(group, round + 1), group_rank(group, 0), chunks(schedule, group, round + 1, 1));
}

static void
hand_out_whole_round(Schedule *schedule, const Group *group, int round)
{
    schedule_send(schedule, group_rank(group, 0), group_rank(group, round + 1), whole(schedule, group));
}

static void
hand_out_chunks_round(Schedule *schedule, const Group *group, int round)
{
    schedule_send(schedule, group_rank(group, 0), group_rank(group, round + 1), chunks(schedule, group, round + 1, 1));
}

static void
collect_signals_round(Schedule *schedule, const Group *group, int round)
{
    schedule_send(schedule, group_rank(group, round + 1), group_rank(group, 0), 0);
}

static void
hand_out_signals_round(Schedule *schedule, const Group *group, int round)
{
    schedule_send(schedule, group_rank(group, 0), group_rank(group, round + 1), 0);
}

int
ceil_lg(const Schedule *schedule, const Group *group)
{
    (void)schedule;
    int lg = 0;
    while (1 << lg < group->size)
        lg++;
    return lg;
}

/* Members with the bit and none below it send to the member without it: of the whole vector, or of their subtree's chunks. */
static void
tree_up(Schedule *schedule, const Group *group, int level, bool of_chunks)
{
    const int bit = 1 << level;
    for (int child = bit; child < group->size; child += 2 * bit) {
        const int parent = group_rank(group, child - bit);
        const double bytes = of_chunks ? chunks(schedule, group, child, bit) : whole(schedule, group);
        schedule_send(schedule, group_rank(group, child), parent, bytes);
        if (!of_chunks)
            schedule_reduce(schedule, parent, bytes);
    }
}

static void
tree_down(Schedule *schedule, const Group *group, int round, bool of_chunks)
{
    const int bit = 1 << (ceil_lg(schedule, group) - 1 - round);
    for (int child = bit; child < group->size; child += 2 * bit)
        schedule_send(schedule, group_rank(group, child - bit), group_rank(group, child),
                      of_chunks ? chunks(schedule, group, child, bit) : whole(schedule, group));
}

static void
tree_sums_round(Schedule *schedule, const Group *group, int round)
{
    tree_up(schedule, group, round, false);
}

static void
tree_collect_chunks_round(Schedule *schedule, const Group *group, int round)
{
    tree_up(schedule, group, round, true);
}

static void
tree_whole_round(Schedule *schedule, const Group *group, int round)
{
    tree_down(schedule, group, round, false);
}

static void
tree_hand_out_chunks_round(Schedule *schedule, const Group *group, int round)
{
    tree_down(schedule, group, round, true);
}

static size_t
chain_length(const Schedule *schedule)
{
    return CHAIN_SEGMENT / schedule_case(schedule)->element;
}

static int
chain_segment_count(const Schedule *schedule, const Group *group)
{
    return (int)segments_of(group->n, chain_length(schedule));
}

static int
chain_rounds(const Schedule *schedule, const Group *group)
{
    return group->size == 1 ? 0 : chain_segment_count(schedule, group) + group->size - 2;
}

static void
chain_round(Schedule *schedule, const Group *group, int round)
{
    const size_t length = chain_length(schedule);
    const int segments = chain_segment_count(schedule, group);
    for (int from = 0; from < group->size - 1; from++) {
        const int segment = round - from;
        if (segment < 0 || segment >= segments)
            continue;
        schedule_send(schedule, group_rank(group, from), group_rank(group, from + 1),
                      schedule_bytes(schedule, segment_of(group->n, length, (size_t)segment).count));
    }
}

const Algorithm collect_sums = {one_by_one, collect_sums_round};
const Algorithm collect_chunks = {one_by_one, collect_chunks_round};
const Algorithm hand_out_whole = {one_by_one, hand_out_whole_round};
const Algorithm hand_out_chunks = {one_by_one, hand_out_chunks_round};
const Algorithm collect_signals = {one_by_one, collect_signals_round};
const Algorithm hand_out_signals = {one_by_one, hand_out_signals_round};
const Algorithm tree_sums = {ceil_lg, tree_sums_round};
const Algorithm tree_collect_chunks = {ceil_lg, tree_collect_chunks_round};
const Algorithm tree_whole = {ceil_lg, tree_whole_round};
const Algorithm tree_hand_out_chunks = {ceil_lg, tree_hand_out_chunks_round};
const Algorithm chain_segments = {chain_rounds, chain_round};
