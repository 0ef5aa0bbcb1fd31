/* A run's own data: for run*.c alone. SPDX-License-Identifier: MIT */
#ifndef NN_RUN_INTERNAL_H
#define NN_RUN_INTERNAL_H

#include "nn/net_internal.h"

/* The steps of a pass, in the order of execution: the plan of memory and the pass itself read the same list. */
typedef enum OpKind {
    OP_FORWARD,
    OP_RECOMPUTE, /* forward again, before the backward pass of a segment */
    OP_BACKWARD,  /* both halves, one after the other */
    OP_INPUTS,
    OP_WEIGHTS
} OpKind;

/* A value as an op reads or writes it. */
typedef struct Operand {
    void *stored;
    float *wide; /* room to widen it for the time of the op; NULL if it is stored as fp32 */
} Operand;

/* One layer's part of a pass, and where in the run's memory its arrays are. What it does not use is NULL. */
typedef struct Op {
    OpKind kind;
    const Layer *layer;
    Operand x[LAYER_INPUTS], y;
    void *kept;
    float *dy, *dx[LAYER_INPUTS];
    float
        *sum[LAYER_INPUTS]; /* dx[i] is scratch that is added to this: another reader has written the gradient before */
    float *gradient;        /* of the parameters, until it is added to the net's */
    void *narrow[LAYER_PARAMETERS]; /* the parameters, rounded .. */
    float *wide[LAYER_PARAMETERS];  /* .. and widened again */
} Op;

struct Run {
    Net *net;
    int first, last; /* the range */
    RunOptions options;
    Op *ops;
    int forward_end, inputs_end, weights_end; /* ops of each phase end here */
    char *memory;                             /* of the backend */
    size_t memory_bytes;
    void **values;                  /* [layers]: those that cross a cut, and the output */
    float **value_gradients;        /* [layers] */
    Batch batch;                    /* of the last run_forward; its arrays are in the backend's memory */
    float *batch_x, *batch_targets; /* where that is separate: room for the batch there .. */
    int *batch_labels;
    float *host_output; /* .. and for the output here */
    bool can_go_back;   /* run_forward had labels or targets, and run_backward has not used them up */
    bool weights_wait;  /* run_backward_inputs was called, and run_backward_weights was not */
    float scale;        /* of the backward pass */
};

/* The range contains the layer that makes the loss, or that value is in its memory. */
static inline bool
run_has_loss(const Run *run)
{
    return run->last == run->net->layer_count;
}

/* Lists the ops of a run whose net, range and options are set, and places all their arrays; memory_bytes is what they need.
 * run_place then makes pointers of it for run->memory. */
typedef struct RunPlan RunPlan;
RunPlan *run_plan(Run *run);
void run_place(Run *run, const RunPlan *plan);
void run_plan_free(RunPlan *plan);

#endif
