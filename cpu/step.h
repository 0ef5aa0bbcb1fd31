/* A training step (forward, backward, SGD) of a network with softmax loss as an operation of the driver (ladder/ladder.h). Its size
 * is the batch, its rungs are the tables of kernels, the bottom first, and its peer is PyTorch, a program of its own.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_STEP_H
#define CPU_STEP_H

#include "ladder/ladder.h"
#include "nn/models/bench_net.h"

/* One at a time: it stands in memory of its own. python: one that has PyTorch; NULL: there is no row for it. */
const Ladder *step_ladder(const BenchNet *net, const char *python);

#endif
