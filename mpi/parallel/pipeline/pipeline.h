/* Pipelines: the layers of the network are divided among the ranks, in stages, and the micro-batches of a step pass through them,
 * forward and back. Which stage computes what, and when, is a schedule (schedule.h). Four stages, GPipe, m = 4; time runs to the
 * right:
 *
 *     stage 0   F0 F1 F2 F3 .  .  .  .  .  .  B0 B1 B2 B3           .   a bubble: the stage has nothing to do
 *     stage 1   .  F0 F1 F2 F3 .  .  .  .  B0 B1 B2 B3 .            (p - 1) / (m + p - 1) of the time, where all stages take the
 *     stage 2   .  .  F0 F1 F2 F3 .  .  B0 B1 B2 B3 .  .            same
 *     stage 3   .  .  .  F0 F1 F2 F3 B0 B1 B2 B3 .  .  .
 *
 * One micro-batch (--pipeline none) is model parallelism as it was first: one stage works at a time, 1/p of the machine.
 *
 * Cost of a step: of each boundary 2 m messages of s B/m numbers, alpha + beta x bytes each, which overlap with computation; the
 * bubble. Memory: the parameters, gradients and optimiser's state of the stage's own layers; activations of the micro-batches in
 * flight, m with GPipe, min(p - i, m) at stage i with 1F1B.
 *
 * Gradients are added in the order of the schedule: where that is 0, 1, .. the result has the bits of one process that takes the
 * same micro-batches. Batch normalisation takes the statistics of a micro-batch, there as here.
 *
 * With more ranks than stages there are replicas of the pipeline: each takes a slice of the batch, and gradients are added over
 * the data axis of the grid as they become final (mpi/parallel/data/reducer.h).
 *
 * Sources: Huang et al., "GPipe", 2019 (arXiv:1811.06965); Narayanan et al., "PipeDream", 2019 (arXiv:1806.03377), and
 * "Memory-Efficient Pipeline-Parallel DNN Training", 2021 (arXiv:2006.09503: 1F1B with a flush).
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_PIPELINE_H
#define MPI_PARALLEL_PIPELINE_H

#include "mpi/parallel/parallel.h"
#include "mpi/parallel/pipeline/stage.h"

/* Strategy.create. */
Parallel *pipeline_strategy_create(const Parallel *base, Net *net, Error *error);

/* Of a Parallel of strategy "pipeline": what its stage has counted so far. */
const Stage *pipeline_stage(const Parallel *parallel);

#endif
