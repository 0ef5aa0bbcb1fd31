/* The rungs of all-reduce as stages (algorithms.h). SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "mpi/element.h"
#include "mpi/model/algorithms.h"
#include "mpi/pieces.h"
#include "mpi/segments.h"
#include <math.h>
#include <string.h>

enum { STAGES = 4 };

/* Rungs that know of no nodes: stages of all ranks. */
typedef struct FlatRung {
    const char *name;
    const Algorithm *stage[STAGES];
    double copies; /* vectors that each rank copies in place, and in addition out of place */
    double copies_more;
} FlatRung;

static const FlatRung flat_rungs[] = {
    {"naive", {&collect_sums, &hand_out_whole}, 0, 1},
    {"whole_ring", {&ring_whole}, 2, 0},
    {"tree", {&tree_sums, &tree_whole}, 0, 0},
    {"recursive_doubling", {&fold_sums, &double_sums, &unfold_whole}, 0, 0},
    {"ring", {&ring_scatter_chunks, &ring_gather_chunks}, 0, 0},
    {"segmented_ring", {&ring_scatter_segments, &ring_gather_segments}, 0, 0},
    {"rabenseifner", {&fold_sums, &halve_parts, &double_parts, &unfold_whole}, 0, 0},
};

static void
copy_vectors(Schedule *schedule, double vectors)
{
    const CostCase *what = schedule_case(schedule);
    for (int r = 0; r < what->p; r++) /* loaded and stored */
        schedule_copy(schedule, r, 2 * vectors * schedule_bytes(schedule, what->n));
}

static void
play_flat(Schedule *schedule, const FlatRung *rung)
{
    const Group everyone = schedule_everyone(schedule);
    for (int i = 0; i < STAGES && rung->stage[i] != NULL; i++)
        schedule_play(schedule, rung->stage[i], &everyone, 1);
    copy_vectors(schedule, rung->copies + (schedule_case(schedule)->out_of_place ? rung->copies_more : 0));
    if (strcmp(rung->name, "whole_ring") != 0)
        return;
    for (int r = 0; r < everyone.size; r++) /* all at the end, in the order of ranks */
        schedule_reduce(schedule, r, (everyone.size - 1) * schedule_bytes(schedule, everyone.n));
    schedule_round(schedule, false);
}

/* The ranks that are leaders: place 0 of every node. */
static Group
leaders_of(const Schedule *schedule, const Group *nodes, int count)
{
    return (Group){.first = 0, .stride = nodes[0].size, .size = count, .n = schedule_case(schedule)->n};
}

/* Up each node to its leader, a ring of the leaders, down again. */
static void
play_leaders(Schedule *schedule, const Group *nodes, int count, const Algorithm *up, const Algorithm *down)
{
    const Group leaders = leaders_of(schedule, nodes, count);
    schedule_play(schedule, up, nodes, count);
    schedule_play(schedule, &ring_scatter_chunks, &leaders, 1);
    schedule_play(schedule, &ring_gather_chunks, &leaders, 1);
    schedule_play(schedule, down, nodes, count);
}

/* Jia et al. 2018 (arXiv 1807.11205): a ring reduces in each group and the master collects its chunks; the masters all-reduce;
 * back the same way: 4 (k - 1) + 2 (p / k - 1) steps. No rung of ours: to compare with. */
static void
play_jia(Schedule *schedule, const Group *nodes, int count)
{
    const Group leaders = leaders_of(schedule, nodes, count);
    schedule_play(schedule, &ring_scatter_chunks, nodes, count);
    schedule_play(schedule, &collect_chunks, nodes, count);
    schedule_play(schedule, &ring_scatter_chunks, &leaders, 1);
    schedule_play(schedule, &ring_gather_chunks, &leaders, 1);
    schedule_play(schedule, &hand_out_chunks, nodes, count);
    schedule_play(schedule, &ring_gather_chunks, nodes, count);
}

/* Ranks beyond the smallest node's places give their vectors to the ranks in the rows, or get the result. */
static void
play_guests(Schedule *schedule, const Group *nodes, int count, int places, bool back)
{
    for (int lap = places; lap < nodes[0].size; lap += places) {
        for (int node = 0; node < count; node++)
            for (int guest = lap; guest < lap + places && guest < nodes[node].size; guest++) {
                const int host = group_rank(&nodes[node], guest - lap), rank = group_rank(&nodes[node], guest);
                const double bytes = schedule_bytes(schedule, nodes[node].n);
                schedule_send(schedule, back ? host : rank, back ? rank : host, bytes);
                if (!back)
                    schedule_reduce(schedule, host, bytes);
            }
        schedule_round(schedule, false);
    }
}

/* Row: the places of a node that all nodes have; column: the ranks at one of them. A column all-reduces its chunk of the
 * vector. */
static void
play_two_dimensional(Schedule *schedule, const Group *nodes, int count, Group *rows, Group *columns)
{
    const int places = nodes[count - 1].size; /* the last node is the smallest */
    for (int node = 0; node < count; node++) {
        rows[node] = nodes[node];
        rows[node].size = places;
    }
    for (int i = 0; i < places; i++)
        columns[i] = (Group){i, nodes[0].size, count, chunk_of(nodes[0].n, places, i).count};
    play_guests(schedule, nodes, count, places, false);
    schedule_play(schedule, &ring_scatter_chunks, rows, count);
    schedule_play(schedule, &ring_scatter_chunks, columns, places);
    schedule_play(schedule, &ring_gather_chunks, columns, places);
    schedule_play(schedule, &ring_gather_chunks, rows, count);
    play_guests(schedule, nodes, count, places, true);
}

/* Pieces go through buffers of the node one after the other: each place reduces its part of a piece, in a ring with those at
 * its place in the other nodes. */
static void
play_pieces(Schedule *schedule, const Group *nodes, int count, Group *columns)
{
    const int places = nodes[count - 1].size;
    const size_t element = schedule_case(schedule)->element, piece = WINDOW_PIECE / element;
    for (size_t k = 0; k < pieces_of(nodes[0].n, piece); k++) {
        const size_t n = piece_of(nodes[0].n, piece, k).count;
        int used = 0;
        for (int i = 0; i < places; i++) {
            const size_t part = chunk_of_lines(n, element, places, i).count;
            if (part > 0) /* who has none sends nothing */
                columns[used++] = (Group){i, nodes[0].size, count, part};
        }
        schedule_play(schedule, &ring_scatter_chunks, columns, used);
        schedule_play(schedule, &ring_gather_chunks, columns, used);
    }
}

/* Within a node no messages but copies and flags (allreduce/10_window.c). Short vectors are read by all where their owners
 * wrote them. Vectors in shared memory are loaded once and stored once by somebody. Private ones are, too, and go in pieces
 * through buffers that stay in the caches: all but my chunk is stored there, my chunk of the others loaded and the sum stored,
 * all but it loaded. */
static void
play_window(Schedule *schedule, const Group *nodes, int count, Group *columns)
{
    const CostCase *what = schedule_case(schedule);
    const double bytes = schedule_bytes(schedule, what->n), k = nodes[0].size;
    const bool small = count == 1 && bytes <= WINDOW_SMALL;
    for (int r = 0; r < what->p; r++)
        schedule_copy(schedule, r, small ? (k + 3) * bytes : 2 * bytes);
    if (small || (what->shared && count == 1))
        schedule_flags(schedule, small ? 1 : 2);
    else
        schedule_through(schedule, (4 * (k - 1) / k - 1 + 2 / k) * bytes, ceil(bytes / WINDOW_PIECE));
    if (count > 1)
        play_pieces(schedule, nodes, count, columns);
}

static bool
play_in_nodes(Schedule *schedule, const char *rung)
{
    const size_t p = (size_t)schedule_case(schedule)->p;
    Group *groups = ARRAY(Group, 3 * p);
    const int nodes = schedule_nodes(schedule, groups);
    bool known = true;
    if (strcmp(rung, "hierarchical") == 0)
        play_leaders(schedule, groups, nodes, &tree_sums, &tree_whole);
    else if (strcmp(rung, "hierarchical_linear") == 0)
        play_leaders(schedule, groups, nodes, &collect_sums, &hand_out_whole);
    else if (strcmp(rung, "hierarchical_rings") == 0)
        play_jia(schedule, groups, nodes);
    else if (strcmp(rung, "two_dimensional") == 0)
        play_two_dimensional(schedule, groups, nodes, groups + p, groups + 2 * p);
    else if (strcmp(rung, "window") == 0)
        play_window(schedule, groups, nodes, groups + p);
    else
        known = false;
    array_free(groups);
    return known;
}

bool
schedule_allreduce(Schedule *schedule)
{
    const char *rung = schedule_case(schedule)->rung;
    for (size_t i = 0; i < sizeof(flat_rungs) / sizeof(flat_rungs[0]); i++)
        if (strcmp(flat_rungs[i].name, rung) == 0) {
            play_flat(schedule, &flat_rungs[i]);
            return true;
        }
    return play_in_nodes(schedule, rung);
}
