/* A stage of a pipeline: the layers that this rank holds, its micro-batches in flight, and the values that cross its boundaries.
 *
 *     stage 1, two chunks        chunk 0: layers 3 .. 5                    chunk 1: layers 9 .. 11
 *                            +-----------------------------+          +-----------------------------+
 *     from stage 0  ---x---> | flight 0: run | flight 1: run | ---x---> | flight 0: run | ..          | ---x--->  to stage 2
 *                  <--dx---  +-----------------------------+  <--dx--- +-----------------------------+  <--dx---
 *
 * A flight holds a micro-batch from F to its last gradient, B or W, and then the next one. Values are received where the run reads
 * them, and sent from where it wrote them: nothing is copied, but a value or gradient that is under way keeps its flight busy.
 *
 *     x in    posted as soon as the flight is free and its dx is sent; F waits for it
 *     x out   sent behind F; B, which overwrites it, waits for it
 *     dx in   posted behind F; B waits for it
 *     dx out  sent behind B
 *
 * So a stage waits only for what its instruction needs, or for a message whose receiver stands ready: no legal schedule can
 * deadlock, however large the messages are. Bytes for a micro-batch of B samples and a boundary of s fp32 numbers: 4 B s forward,
 * and as many backward.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_PIPELINE_STAGE_H
#define MPI_PARALLEL_PIPELINE_STAGE_H

#include "mpi/parallel/pipeline/plan.h"
#include "mpi/parallel/queue.h"

/* Between two chunks. */
typedef struct StageBoundary {
    int values[NET_BOUNDARY], count; /* that cross it */
    int neighbour;                   /* the stage on the other side; -1: there is none */
    uint64_t messages, bytes;        /* that this stage has sent over it in training */
} StageBoundary;

typedef struct StageFlight {
    Run *run;
    bool free;                                                /* no micro-batch is in it */
    RunValue x_before[NET_BOUNDARY], x_behind[NET_BOUNDARY];  /* where its run has the values of the boundaries .. */
    float *dx_before[NET_BOUNDARY], *dx_behind[NET_BOUNDARY]; /* .. and their gradients; NULL: there is none */
    Ticket x_in[NET_BOUNDARY], x_out[NET_BOUNDARY], dx_in[NET_BOUNDARY], dx_out[NET_BOUNDARY];
} StageFlight;

typedef struct StageChunk {
    int number, depth;
    LayerRange layers;
    StageBoundary before, behind;
    StageFlight *flight; /* [flights] */
    int flights;
    int *flight_of;  /* [micros] */
    int *order;      /* [micros]: micro-batches in the order of F .. */
    int posted;      /* .. of which this number have their receives posted, in this step */
    int gradients;   /* micro-batches whose last gradient is computed, in this step */
    Run *evaluation; /* for inference; NULL before the first one */
} StageChunk;

/* A send that may be under way. */
typedef struct StageSend {
    Ticket ticket;
    PipelineInstruction what;
    double start;
} StageSend;

/* What the last step was, and all steps were. */
typedef struct StageCounts {
    int in_flight, peak;  /* chunks of micro-batches, now and at most */
    double busy, seconds; /* in instructions; in steps from the first instruction to the last */
} StageCounts;

typedef struct Stage {
    const PipelinePlan *plan;
    int number;
    Net *net;
    const TrainOptions *train;
    Queue *queue;
    Comm *comm;        /* rank i is stage i */
    StageChunk *chunk; /* [chunks] */
    StageSend *sends;  /* [sending] */
    int sending, sends_max;
    StageCounts counts;
} Stage;

/* Runs for the micro-batches that the schedule has in flight at once. net holds the layers of this stage (pipeline_hold). All
 * pointers must live as long as it does. Free with stage_free (NULL is allowed) when nothing is under way. */
Stage *stage_create(const PipelinePlan *plan, Net *net, const TrainOptions *train, Queue *queue, Comm *comm);
void stage_free(Stage *stage);

/* Bytes of all runs for training: activations and what is between. */
size_t stage_memory(const Stage *stage);

/* ---- execute.c ---- */

/* All instructions of a step. Leaves in the net the gradient of the global batch's mean loss that belongs to this replica's slice;
 * the net's hook is called for each layer when its gradients are final. Returns the slice's contribution to the loss on the last
 * stage, else 0. */
double stage_step(Stage *stage, Trainer *trainer, const TrainStep *step);

/* TrainGroup.evaluate of the stages of a replica. */
const float *stage_evaluate(Stage *stage, const Batch *batch, double *loss);

#endif
