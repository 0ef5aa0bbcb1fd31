/* The rungs of all-reduce as stages (algorithms.h). SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "mpi/element.h"
#include "mpi/model/algorithms.h"
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
    const CostCase *what = schedule_case(schedule);
    for (int i = 0; i < STAGES && rung->stage[i] != NULL; i++)
        schedule_play_all(schedule, rung->stage[i]);
    copy_vectors(schedule, rung->copies + (what->out_of_place ? rung->copies_more : 0));
    if (strcmp(rung->name, "whole_ring") != 0)
        return;
    for (int r = 0; r < what->p; r++) /* all at the end, in the order of ranks */
        schedule_reduce(schedule, r, (what->p - 1) * schedule_bytes(schedule, what->n));
    schedule_round(schedule, false);
}

/* The nodes; the columns, ranks that are at one place of their nodes: those of place 0 are the leaders. */
typedef struct Nodes {
    int count, smallest, largest;
    Group *node, *column, *row; /* [p]; row: room for parts of them */
} Nodes;

static Nodes
nodes_of(const Schedule *schedule, Group *groups)
{
    const int p = schedule_case(schedule)->p;
    Nodes nodes = {.node = groups, .column = groups + p, .row = groups + 2 * p, .smallest = p};
    nodes.count = schedule_nodes(schedule, nodes.node);
    nodes.largest = schedule_columns(schedule, nodes.column);
    for (int i = 0; i < nodes.count; i++)
        nodes.smallest = nodes.node[i].size < nodes.smallest ? nodes.node[i].size : nodes.smallest;
    return nodes;
}

/* Up each node to its leader, a ring of the leaders, down again. */
static void
play_leaders(Schedule *schedule, const Nodes *nodes, const Algorithm *up, const Algorithm *down)
{
    schedule_play(schedule, up, nodes->node, nodes->count);
    schedule_play(schedule, &ring_scatter_chunks, &nodes->column[0], 1);
    schedule_play(schedule, &ring_gather_chunks, &nodes->column[0], 1);
    schedule_play(schedule, down, nodes->node, nodes->count);
}

/* Jia et al. 2018 (arXiv 1807.11205): a ring reduces in each group and the master collects its chunks; the masters all-reduce;
 * back the same way: 4 (k - 1) + 2 (p / k - 1) steps. No rung of ours: to compare with. */
static void
play_jia(Schedule *schedule, const Nodes *nodes)
{
    schedule_play(schedule, &ring_scatter_chunks, nodes->node, nodes->count);
    schedule_play(schedule, &collect_chunks, nodes->node, nodes->count);
    schedule_play(schedule, &ring_scatter_chunks, &nodes->column[0], 1);
    schedule_play(schedule, &ring_gather_chunks, &nodes->column[0], 1);
    schedule_play(schedule, &hand_out_chunks, nodes->node, nodes->count);
    schedule_play(schedule, &ring_gather_chunks, nodes->node, nodes->count);
}

/* Ranks beyond the smallest node's places give their vectors to the ranks in the rows, or get the result. */
static void
play_guests(Schedule *schedule, const Nodes *nodes, bool back)
{
    const int places = nodes->smallest;
    for (int lap = places; lap < nodes->largest; lap += places) {
        for (int i = 0; i < nodes->count; i++) {
            const Group *node = &nodes->node[i];
            for (int guest = lap; guest < lap + places && guest < node->size; guest++) {
                const int host = group_rank(node, guest - lap), rank = group_rank(node, guest);
                const double bytes = schedule_bytes(schedule, node->n);
                schedule_send(schedule, back ? host : rank, back ? rank : host, bytes);
                if (!back)
                    schedule_reduce(schedule, host, bytes);
            }
        }
        schedule_round(schedule, false);
    }
}

/* Row: the places of a node that all nodes have. A column all-reduces its chunk of the vector. */
static void
play_two_dimensional(Schedule *schedule, const Nodes *nodes)
{
    const int places = nodes->smallest;
    for (int i = 0; i < nodes->count; i++) {
        nodes->row[i] = nodes->node[i];
        nodes->row[i].size = places;
    }
    for (int i = 0; i < places; i++)
        nodes->column[i].n = chunk_of(schedule_case(schedule)->n, places, i).count;
    play_guests(schedule, nodes, false);
    schedule_play(schedule, &ring_scatter_chunks, nodes->row, nodes->count);
    schedule_play(schedule, &ring_scatter_chunks, nodes->column, places);
    schedule_play(schedule, &ring_gather_chunks, nodes->column, places);
    schedule_play(schedule, &ring_gather_chunks, nodes->row, nodes->count);
    play_guests(schedule, nodes, true);
}

/* Segments go through buffers of the node one after the other: each place reduces its chunk of a segment, in a ring with those
 * at its place in the other nodes. */
static void
play_pieces(Schedule *schedule, const Nodes *nodes)
{
    const int places = nodes->smallest;
    const size_t element = schedule_case(schedule)->element, piece = WINDOW_SEGMENT / element;
    const size_t all = schedule_case(schedule)->n;
    for (size_t k = 0; k < segments_of(all, piece); k++) {
        const size_t n = segment_of(all, piece, k).count;
        int used = 0;
        for (int i = 0; i < places; i++) {
            nodes->row[used] = nodes->column[i];
            nodes->row[used].n = chunk_of_lines(n, element, places, i).count;
            used += nodes->row[used].n > 0; /* who has none sends nothing */
        }
        schedule_play(schedule, &ring_scatter_chunks, nodes->row, used);
        schedule_play(schedule, &ring_gather_chunks, nodes->row, used);
    }
}

/* Within a node no messages but copies and flags (allreduce/10_window.c). Short vectors are read by all where their owners
 * wrote them. Vectors in shared memory are loaded once and stored once in all. Private ones are, too, and go in segments
 * through buffers that stay in the caches: all but my chunk is stored there, my chunk of the others loaded and the sum stored,
 * all but it loaded. */
static void
play_window(Schedule *schedule, const Nodes *nodes)
{
    const CostCase *what = schedule_case(schedule);
    const double bytes = schedule_bytes(schedule, what->n), k = nodes->largest;
    if (nodes->count == 1 && bytes <= WINDOW_SMALL) {
        schedule_through(schedule, (k + 3) * bytes, (k - 1) * bytes, 1);
        return;
    }
    for (int r = 0; r < what->p; r++)
        schedule_copy(schedule, r, 2 * bytes);
    if (what->shared && nodes->count == 1)
        schedule_flags(schedule, 2);
    else
        schedule_through(schedule, (4 * (k - 1) / k - 1 + 2 / k) * bytes, 2 * (k - 1) / k * bytes,
                         ceil(bytes / WINDOW_SEGMENT));
    if (nodes->count > 1)
        play_pieces(schedule, nodes);
}

static bool
play_in_nodes(Schedule *schedule, const char *rung)
{
    const size_t p = (size_t)schedule_case(schedule)->p;
    Group *groups = ARRAY(Group, 3 * p);
    const Nodes nodes = nodes_of(schedule, groups);
    bool known = true;
    if (strcmp(rung, "hierarchical") == 0)
        play_leaders(schedule, &nodes, &tree_sums, &tree_whole);
    else if (strcmp(rung, "hierarchical_linear") == 0)
        play_leaders(schedule, &nodes, &collect_sums, &hand_out_whole);
    else if (strcmp(rung, "hierarchical_rings") == 0)
        play_jia(schedule, &nodes);
    else if (strcmp(rung, "two_dimensional") == 0)
        play_two_dimensional(schedule, &nodes);
    else if (strcmp(rung, "window") == 0)
        play_window(schedule, &nodes);
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
