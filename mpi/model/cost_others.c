/* The rungs of all other operations as stages (algorithms.h). The root is rank 0. SPDX-License-Identifier: MIT */
#include "mpi/model/algorithms.h"
#include <string.h>

enum { STAGES = 4 };

typedef struct Rung {
    const char *operation, *name;
    const Algorithm *stage[STAGES];
} Rung;

static const Rung rungs[] = {
    {"broadcast", "naive", {&hand_out_whole}},
    {"broadcast", "binomial", {&tree_whole}},
    {"broadcast", "scatter_all_gather", {&tree_hand_out_chunks, &ring_gather_chunks}},
    {"broadcast", "chain", {&chain_segments}},
    {"reduce", "naive", {&collect_sums}},
    {"reduce", "binomial", {&tree_sums}},
    {"reduce", "scatter_gather", {&fold_sums, &halve_chunks, &unfold_chunks, &tree_collect_chunks}},
    {"reduce_scatter", "naive", {&collect_sums, &hand_out_chunks}},
    {"reduce_scatter", "ring", {&ring_scatter_chunks}},
    {"reduce_scatter", "recursive", {&fold_sums, &halve_chunks, &unfold_chunks}},
    {"all_gather", "naive", {&collect_chunks, &hand_out_whole}},
    {"all_gather", "ring", {&ring_gather_chunks}},
    {"all_gather", "recursive", {&fold_chunks, &double_chunks, &unfold_whole}},
    {"all_gather", "bruck", {&bruck_chunks}},
    {"gather", "naive", {&collect_chunks}},
    {"gather", "binomial", {&tree_collect_chunks}},
    {"scatter", "naive", {&hand_out_chunks}},
    {"scatter", "binomial", {&tree_hand_out_chunks}},
    {"all_to_all", "naive", {&queue_rows}},
    {"all_to_all", "pairwise", {&pairwise_rows}},
    {"all_to_all", "bruck", {&bruck_rows}},
    {"barrier", "central", {&collect_signals, &hand_out_signals}},
    {"barrier", "dissemination", {&disseminate}},
};

bool
schedule_other(Schedule *schedule)
{
    const CostCase *what = schedule_case(schedule);
    for (size_t i = 0; i < sizeof(rungs) / sizeof(rungs[0]); i++) {
        if (strcmp(rungs[i].operation, what->operation) != 0 || strcmp(rungs[i].name, what->rung) != 0)
            continue;
        for (int k = 0; k < STAGES && rungs[i].stage[k] != NULL; k++)
            schedule_play_all(schedule, rungs[i].stage[k]);
        return true;
    }
    return false;
}
