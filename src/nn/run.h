/* A run: one batch in flight through a network. It owns what belongs to the batch: activations, what the backward pass needs of
 * them, and their gradients. Graph and parameters are the net's, and any number of runs share them: one for each micro-batch of a
 * pipeline, one for evaluation beside training.
 *
 *     Run *run = run_create(net, &(RunOptions){.max_batch = 32});
 *     double loss = run_forward(run, &batch);
 *     run_backward(run, 1, RUN_ONLY);               // gradients into net_gradients(net); the net's hook is called
 *
 * Accumulation. A batch of B samples in m micro-batches of b_i samples: the gradient of its mean loss is the sum over the
 * micro-batches of b_i / B times the gradient of their mean loss.
 *
 *     for (int i = 0; i < m; i++) {
 *         loss += run_forward(run, &micro_batch[i]) * b[i] / B;
 *         run_backward(run, b[i] / B, (i == 0 ? RUN_FIRST : 0) | (i == m - 1 ? RUN_LAST : 0));
 *     }
 *
 * The first overwrites the gradients, the others add to them, the last calls the hook. Floating-point sums depend on their order:
 * the bits are those of the same micro-batches in the same order, in one process or several, in one run or several.
 *
 * Batch normalisation takes the statistics of each micro-batch, not of the batch: m micro-batches are another computation than
 * one batch, and "equals serial" means one process that takes the same micro-batches in the same order. Its running averages move
 * once in each run_forward, so they follow the order of the forward passes; recomputation does not move them.
 *
 * Recomputation. The values inside a marked segment of layers are dropped after the forward pass. In the backward pass the
 * segment runs forward again from its inputs, with the same bits: dropout masks are drawn again from the same counters, statistics
 * are taken again from the same numbers. Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost", arXiv:1604.06174.
 *
 * A range of layers (net_build_range). Values that cross its first cut come in before run_forward, their gradients go out after
 * run_backward; values that cross its last cut go out after run_forward, their gradients come in before run_backward:
 *
 *     float *x = run_value(run, v).data;            // both cuts: net_boundary says which values
 *     float *dx = run_value_gradient(run, v);
 *
 * Micro-batches run one at a time: runs of one net must not be in run_forward or run_backward in two threads at once.
 * SPDX-License-Identifier: MIT */
#ifndef NN_RUN_H
#define NN_RUN_H

#include "nn/net.h"

typedef struct Run Run;

/* What one pass works on. labels for a softmax loss, targets [size][outputs] for MSE; neither for prediction. The arrays are the
 * caller's and must stay as they are until run_backward has returned, which reads them again. */
typedef struct Batch {
    int size;
    const float *x; /* [size][height][width][channels] of the input; ignored where the range begins behind it */
    const int *labels;
    const float *targets;
    bool inference; /* dropout does nothing, batch normalisation takes its running averages; no run_backward */
    uint64_t step;  /* of the training, below 2^32: dropout draws another mask in each */
    /* Index of the first sample in the step's global batch: micro-batches and ranks drop what one process would. */
    uint64_t first_sample;
} Batch;

/* Layers of which only the inputs are kept (recomputation). */
typedef LayerRange RunSegment;

/* Everything but max_batch may be left 0. What is not needed takes no memory. */
typedef struct RunOptions {
    int max_batch;                /* samples */
    LayerRange range;             /* layers that the net holds; last 0: all of these, which must be one range */
    bool inference;               /* forward only */
    bool accumulates;             /* run_backward may be called without RUN_FIRST */
    bool splits;                  /* the backward pass may be called in two halves */
    const RunSegment *recomputed; /* [segments], ascending, apart from each other, inside the range */
    int segments;
} RunOptions;

/* Plans all memory of a run and allocates it; nothing is allocated after this. The net must be built. options are copied. Free
 * with run_free (NULL is allowed) before the net. */
Run *run_create(Net *net, const RunOptions *options);
void run_free(Run *run);

/* Bytes that run_create allocates in the backend's memory for activations, gradients and what is between: the peak of the plan. */
size_t run_memory(const Run *run);
/* The same before there is a run, or even a built net: for tables and partitions. first, last: the range. */
size_t run_memory_planned(const Net *net, int first, int last, const RunOptions *options);

/* Partitions all layers but the input into `count` segments of equal length, at most one per layer. Returns their number. */
int run_segments(const Net *net, int count, RunSegment *segments);

Net *run_net(const Run *run);
int run_max_batch(const Run *run);

/* Runs the batch forward; returns the mean loss (NaN if the batch has neither labels nor targets, or the range ends before the
 * loss). A label out of range ends the program: readers of files check theirs before. */
double run_forward(Run *run, const Batch *batch);

/* What happens to the gradient array: the first micro-batch overwrites it, later ones add to it; with the last it is final, and
 * the net's hook is called for each layer as soon as that is so. */
typedef enum RunGradients { RUN_MIDDLE = 0, RUN_FIRST = 1, RUN_LAST = 2, RUN_ONLY = 3 } RunGradients;

/* Gradients of the mean loss of the last run_forward, times scale. Once for each run_forward: activations that are used up lend
 * their memory to gradients. */
void run_backward(Run *run, float scale, RunGradients gradients);

/* The same in two halves: gradients of the values (what a stage before waits for), and later those of the parameters. Between
 * them other runs may go forward and backward. */
void run_backward_inputs(Run *run, float scale);
void run_backward_weights(Run *run, RunGradients gradients);

/* In place of run_forward and run_backward, where a process has no samples of a batch: nothing is added, with RUN_FIRST the
 * gradients are zeros, with RUN_LAST the hook is called. */
void run_without_samples(Run *run, RunGradients gradients);

/* Output of the last forward pass: probabilities [batch][classes] after a softmax loss, else the values that went into the
 * loss. Owned by run; in the host's memory, if need be copied there by this call. */
const float *run_output(Run *run);

/* A value that crosses a cut of the range: where it is stored for one batch, in the backend's memory, elements * batch size
 * numbers of the type. */
typedef struct RunValue {
    void *data;
    NumberType type;
    size_t elements; /* of one sample */
} RunValue;
RunValue run_value(const Run *run, int value);

/* fp32, laid out as the value; NULL where no gradient crosses the cut. That of the last cut is to be written between run_forward
 * and run_backward, which may overwrite it; that of the first cut is there after run_backward (or run_backward_inputs), until the
 * next run_forward or until a value of that cut is written for it. Values of the last cut are there until run_backward. */
float *run_value_gradient(const Run *run, int value);

#endif
