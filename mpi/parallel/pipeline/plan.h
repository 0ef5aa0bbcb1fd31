/* What a pipeline is made of, from its options: the schedule, and the layers of each chunk. Nothing here communicates.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_PIPELINE_PLAN_H
#define MPI_PARALLEL_PIPELINE_PLAN_H

#include "mpi/parallel/pipeline/schedule.h"
#include "mpi/parallel/strategy.h"
#include "nn/train.h"

typedef struct PipelinePlan {
    PipelineSchedule *schedule;
    int depths; /* stages x chunks */
    int *cut;   /* [depths + 1]: the chunk at depth d has layers cut[d] .. cut[d + 1] - 1 */
    int values; /* that cross a boundary, at most */
    GridShape grid;
} PipelinePlan;

/* False with a sentence for what cannot work: options, a schedule, a network with too few layers. The net need not be built. Free
 * with pipeline_plan_free. */
bool pipeline_plan(PipelinePlan *plan, const PipelineOptions *options, const Net *net, const TrainOptions *train,
                   int ranks, Error *error);
void pipeline_plan_free(PipelinePlan *plan);

/* The layers of a chunk. */
LayerRange pipeline_layers(const PipelinePlan *plan, int stage, int chunk);

/* Strategy.hold. */
int pipeline_hold(const void *options, const Net *net, const TrainOptions *train, int rank, int ranks,
                  LayerRange *ranges, Error *error);

#endif
