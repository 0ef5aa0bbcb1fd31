/* A small network, its batches and what one process makes of them, for lab 07. It needs no exercise of another lab: tanh and the
 * mean squared error, on the bottom rungs. SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_LAB_07_NETS_H
#define TESTS_LABS_LAB_07_NETS_H

#include "mpi/parallel/parallel.h"

enum { LAB_07_LAYERS = 3, LAB_07_STEPS = 6, LAB_07_PARAMETERS_MOST = 256 };
#define LAB_07_RATE 0.1

/* What the ranks communicate by: messages that the watchdog sees, and that are no exercise of lab 06. */
const Collectives *lab_07_collectives(void);

Net *lab_07_net(uint64_t seed);

/* Rows of step's batch, the same on all ranks; the last batches leave ranks without a row. */
int lab_07_batch_size(int step);
Batch lab_07_rows(int step, int first, int count);

/* After the first `steps` steps in one process, from the weights of lab_07_net(1). */
typedef struct Lab07Serial {
    float parameters[LAB_07_PARAMETERS_MOST];
    double loss[LAB_07_STEPS];
} Lab07Serial;
Lab07Serial lab_07_one_process(OptimizerKind optimizer, int steps);

/* What trains on this rank. Every rank begins with weights of its own: it is given those of rank 0. */
typedef struct Lab07Ranks {
    Net *net;
    Trainer trainer;
    Parallel *parallel;
} Lab07Ranks;

void lab_07_begin(Lab07Ranks *ranks, Comm *comm, OptimizerKind optimizer, const ParallelOptions *options);
void lab_07_end(Lab07Ranks *ranks);

/* One step of the batch, cut as evenly as can be for those who train. Returns what the group made of the step. */
TrainStep lab_07_learn(Lab07Ranks *ranks, int step, bool stop);

/* Whether the parameters are those of one process, and on all ranks those of rank 0; else a sentence, which begins with `what`,
 * into wrong[256], unless there is one. All ranks call. */
void lab_07_compare(const Lab07Ranks *ranks, const Lab07Serial *serial, const char *what, char wrong[256]);

#endif
