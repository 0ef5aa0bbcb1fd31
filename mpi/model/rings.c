/* Stages around a ring, and those of all-to-all and barriers, in which every rank does the same. SPDX-License-Identifier: MIT */
#include "mpi/element.h"
#include "mpi/model/algorithms.h"
#include "mpi/segments.h"

static int
once_around(const Schedule *schedule, const Group *group)
{
    (void)schedule;
    return group->size - 1;
}

static void
ring_whole_round(Schedule *schedule, const Group *group, int round)
{
    (void)round;
    for (int i = 0; i < group->size; i++)
        schedule_send(schedule, group_rank(group, i), group_rank(group, (i + 1) % group->size),
                      schedule_bytes(schedule, group->n));
}

/* The chunk of member i, counted around the ring. */
static Chunk
chunk_around(const Group *group, int i)
{
    return chunk_of(group->n, group->size, group_place(group, (i + 2 * group->size) % group->size));
}

static void
scatter_round(Schedule *schedule, const Group *group, int round)
{
    for (int i = 0; i < group->size; i++) {
        const double bytes = schedule_bytes(schedule, chunk_around(group, i - 1 - round).count);
        const int next = group_rank(group, (i + 1) % group->size);
        schedule_send(schedule, group_rank(group, i), next, bytes);
        schedule_reduce(schedule, next, bytes);
    }
}

static void
gather_round(Schedule *schedule, const Group *group, int round)
{
    for (int i = 0; i < group->size; i++)
        schedule_send(schedule, group_rank(group, i), group_rank(group, (i + 1) % group->size),
                      schedule_bytes(schedule, chunk_around(group, i - round).count));
}

static size_t
segment_length(const Schedule *schedule)
{
    return RING_SEGMENT / schedule_case(schedule)->element;
}

/* All chunks have as many segments as the longest. */
static int
segments(const Schedule *schedule, const Group *group)
{
    return (int)segments_of(chunk_of(group->n, group->size, 0).count, segment_length(schedule));
}

static int
segments_around(const Schedule *schedule, const Group *group)
{
    return (group->size - 1) * segments(schedule, group);
}

/* `first`: how far before its own chunk a member's first one is. */
static void
segments_round(Schedule *schedule, const Group *group, int round, int first, bool sums)
{
    const int step = round / segments(schedule, group), i = round % segments(schedule, group);
    for (int member = 0; member < group->size; member++) {
        const size_t chunk = chunk_around(group, member - first - step).count;
        const double bytes = schedule_bytes(schedule, segment_of(chunk, segment_length(schedule), (size_t)i).count);
        const int next = group_rank(group, (member + 1) % group->size);
        schedule_send(schedule, group_rank(group, member), next, bytes);
        if (sums)
            schedule_reduce(schedule, next, bytes);
    }
}

static void
scatter_segments_round(Schedule *schedule, const Group *group, int round)
{
    segments_round(schedule, group, round, 1, true);
}

static void
gather_segments_round(Schedule *schedule, const Group *group, int round)
{
    segments_round(schedule, group, round, 0, false);
}

/* Every member sends to the one at this distance. */
static void
shift(Schedule *schedule, const Group *group, int distance, double bytes)
{
    for (int i = 0; i < group->size; i++)
        schedule_send(schedule, group_rank(group, i), group_rank(group, (i + distance) % group->size), bytes);
}

static void
disseminate_round(Schedule *schedule, const Group *group, int round)
{
    shift(schedule, group, 1 << round, 0);
}

/* Member i sends as many of the chunks i, i + 1, .. as the one before it lacks. */
static void
bruck_chunks_round(Schedule *schedule, const Group *group, int round)
{
    const int p = group->size, have = 1 << round, more = have < p - have ? have : p - have;
    for (int i = 0; i < p; i++) {
        size_t n = 0;
        for (int k = 0; k < more; k++)
            n += chunk_of(group->n, p, (i + k) % p).count;
        schedule_send(schedule, group_rank(group, i), group_rank(group, (i + p - have) % p),
                      schedule_bytes(schedule, n));
    }
}

static void
bruck_rows_round(Schedule *schedule, const Group *group, int round)
{
    size_t rows = 0;
    for (int d = 0; d < group->size; d++)
        rows += (d >> round) & 1;
    shift(schedule, group, 1 << round, schedule_bytes(schedule, rows * group->n));
    for (int i = 0; i < group->size; i++) /* packed and unpacked */
        schedule_copy(schedule, group_rank(group, i), 4 * schedule_bytes(schedule, rows * group->n));
}

static void
pairwise_rows_round(Schedule *schedule, const Group *group, int round)
{
    shift(schedule, group, round + 1, schedule_bytes(schedule, group->n));
}

static int
queue_rounds(const Schedule *schedule, const Group *group)
{
    (void)schedule;
    return group->size == 1 ? 0 : 2 * group->size - 3;
}

/* Those whose numbers add up to round + 1. */
static void
queue_rows_round(Schedule *schedule, const Group *group, int round)
{
    for (int a = 0; 2 * a < round + 1; a++) {
        const int b = round + 1 - a;
        if (b >= group->size)
            continue;
        schedule_send(schedule, group_rank(group, a), group_rank(group, b), schedule_bytes(schedule, group->n));
        schedule_send(schedule, group_rank(group, b), group_rank(group, a), schedule_bytes(schedule, group->n));
    }
}

const Algorithm ring_whole = {once_around, ring_whole_round, .ring = true};
const Algorithm ring_scatter_chunks = {once_around, scatter_round, .ring = true};
const Algorithm ring_gather_chunks = {once_around, gather_round, .ring = true};
const Algorithm ring_scatter_segments = {segments_around, scatter_segments_round, .overlapped = true, .ring = true};
const Algorithm ring_gather_segments = {segments_around, gather_segments_round, .ring = true};
const Algorithm disseminate = {ceil_lg, disseminate_round};
const Algorithm bruck_chunks = {ceil_lg, bruck_chunks_round};
const Algorithm bruck_rows = {ceil_lg, bruck_rows_round};
const Algorithm pairwise_rows = {once_around, pairwise_rows_round};
const Algorithm queue_rows = {queue_rounds, queue_rows_round};
