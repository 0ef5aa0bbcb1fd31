/* Training: mini-batch stochastic gradient descent (SGD) over a source of batches (data/source.h), in one process or as one of
 * a process group (mpi/parallel). Each epoch visits the training samples once, in an order of its own; each step takes one
 * batch forward, back, and moves the weights.
 *
 *     TrainData data;                                                       the parts of a data set (nn/train_data.h)
 *     train_data_create(&data, &dataset, &split, &options, &error);
 *     Trainer *trainer = trainer_create(net, data.training, data.validation, &options, &error);
 *     TrainEnd end = trainer_run(trainer, &watch, &error);
 *     Evaluation test;
 *     train_evaluate(net, data.test, trainer->group, &test, &error);
 *
 * The same net, data and options give the same bits whatever the number of threads. Where a run stands is a TrainPosition
 * and some arrays (weights, optimiser state, history), no more: a checkpoint holds them, and a run restored from it goes on
 * as if it had never stopped (nn/checkpoint.h). The test samples are never looked at here.
 * SPDX-License-Identifier: MIT */
#ifndef NN_TRAIN_H
#define NN_TRAIN_H

#include "core/error.h"
#include "core/trace.h"
#include "data/source.h"
#include "nn/group.h"
#include "nn/optimizer.h"
#include "nn/run.h"
#include "nn/schedule.h"
#include <signal.h>

/* All that decides the result besides net and data. */
typedef struct TrainOptions {
    int epochs;     /* >= 1 */
    int batch;      /* samples in a step, of the source: 1 .. the training samples */
    bool drop_last; /* leave out the partial batch at the end of an epoch */
    double rate;    /* > 0; the schedule scales it */
    Schedule schedule;
    OptimizerKind optimizer;
    OptimizerOptions optimizer_options;
    uint64_t seed;     /* of the order of the samples, which is the source's */
    int micro_batches; /* per step, of equal size up to one sample; their gradients add up; 0 and 1: the batch as a whole */
    int part;          /* samples of a step that this process takes, at most; 0: all of them */
    RunOptions run; /* what is recomputed; train_run_options fills in the rest */
} TrainOptions;

/* What is known of a finished epoch. */
typedef struct TrainEpoch {
    double loss;       /* mean over the samples, each taken when its batch was visited */
    double validation; /* accuracy on the validation part after the epoch, 0 .. 1; NaN without such a part */
    double rate;       /* of the epoch's last step */
    double seconds;    /* of training, without the validation; NaN if an earlier process did it */
} TrainEpoch;

/* Where a run stands: before step `step` (0, 1, ..) of epoch `epoch` (0, 1, ..). */
typedef struct TrainPosition {
    uint64_t epoch, step;
    uint64_t seen;   /* samples visited in this epoch so far */
    double loss_sum; /* sum of their losses */
} TrainPosition;

typedef struct Trainer Trainer;

/* One step: what there is to learn, and what came of it. */
typedef struct TrainStep {
    Batch batch; /* the step's samples, or this process's slice of the global batch: then maybe none (size 0) */
    int whole;   /* samples of the global batch: of the step in all processes together */
    int samples; /* of the slice: batch.size, also where it could not be loaded */
    double rate;
    /* Filled in: the mean over the global batch; over the part where processes do not wait for each other. */
    double loss;
    bool stop;   /* this process was asked to end; filled in: whether all of them end after this step */
    bool failed; /* the batch could not be loaded and is empty: the loss shall not be a number */
} TrainStep;

/* How the processes of a group train one network together: what a strategy defines. Each has all samples and draws the same
 * order of them. A single process has none, and does in a step what train_alone does. */
typedef struct TrainGroup {
    void *context;
    ProcessGroup processes;
    bool in_step; /* the loss of a step is that of the global batch: where one process fails, all know */
    /* Which rows of a batch of `size` are this process's; which batches of `size` it evaluates. */
    void (*part)(void *context, size_t size, size_t *first, size_t *count);
    /* From the batch to updated weights. */
    void (*learn)(void *context, Trainer *trainer, TrainStep *step);
    /* Forward of a batch for inference: its output, with the mean loss in *loss, or NULL on processes that have only helped.
     * x NULL: it could not be loaded here, and the others wait all the same. NULL: each process runs its own batches alone. */
    const float *(*evaluate)(void *context, Net *net, const Batch *batch, double *loss);
    /* At the end of an epoch and before a stop: weights, optimiser and the sum of losses in trainer->position become the same in
     * all processes. NULL: they always are. */
    void (*synchronise)(void *context, Trainer *trainer);
} TrainGroup;

struct Trainer {
    Net *net; /* not owned, like the sources */
    Run *run; /* for a micro-batch; NULL where the process holds some layers only: the group has runs */
    Source *training, *validation; /* validation may be NULL */
    TrainOptions options;          /* with a copy of the recomputed segments */
    Optimizer *optimizer;
    uint64_t steps_per_epoch;
    TrainPosition position;
    TrainEpoch *history;     /* [options.epochs], of which position.epoch are filled */
    uint64_t samples;        /* visited by this process .. */
    double seconds;          /* .. in this time: their ratio is the training speed */
    double epoch_seconds;    /* the part of it that belongs to the running epoch */
    bool epoch_partial;      /* an earlier process began the running epoch */
    Trace *trace;            /* one span for each part of a step; records nothing until a caller sets it */
    int process;             /* the lane of these spans: the rank */
    const TrainGroup *group; /* not owned; NULL: this process is alone */
    bool stop;               /* request to end, set before a step; after it, whether the run ends there */
};

/* The net must be built, with one output for each class; whole, unless a group that divides it is to follow. validation may be
 * NULL, or without samples. Refuses options that cannot work (a rate that is not a positive number) and a net that does not fit
 * the samples. Free with trainer_free, then the sources. */
Trainer *trainer_create(Net *net, Source *training, Source *validation, const TrainOptions *options, Error *error);
void trainer_free(Trainer *trainer);

/* The run that a trainer makes: for a micro-batch of this process's slice. */
RunOptions train_run_options(const TrainOptions *options);

/* One step; the last one of an epoch also validates. *loss is the batch's mean loss. False with a sentence if a batch cannot be
 * loaded, or when the loss or a weight stops being a finite number: it names the step and the likely cause, and nothing useful can
 * be learned from there on. */
bool trainer_step(Trainer *trainer, double *loss, Error *error);

/* The learning of a process that is alone: forward, backward, update. */
void train_alone(Trainer *trainer, TrainStep *step);

/* Forward and backward of step->batch, micro-batch after micro-batch; it may be empty. Leaves in the net the contribution of
 * these samples to the gradient of the global batch's mean loss, and returns their contribution to that loss: summed over all
 * processes these are gradient and loss of the global batch. *backward: when the last backward pass began, in seconds of
 * clock_now(); NULL is allowed. */
double train_gradient(Trainer *trainer, const TrainStep *step, double *backward);

/* Samples of micro-batch i of a slice: from *first on, as even as possible; maybe 0. */
int train_micro_batch(const TrainOptions *options, int slice, int i, int *first);

/* Samples first .. first + count - 1 of a batch. */
Batch train_part_of_batch(const Net *net, const Batch *batch, int first, int count);

/* Records a span of the trace that began at clock_now() == start and ends now. */
void train_record(Trainer *trainer, const char *what, double start);

/* Every step of the run: position.epoch * steps_per_epoch + position.step of total are done. */
uint64_t trainer_steps_done(const Trainer *trainer);
uint64_t trainer_steps_total(const Trainer *trainer);

/* Callbacks and a flag for the caller. Each may be NULL. */
typedef struct TrainWatch {
    void *context;
    /* After each step; loss is its batch's. */
    void (*step)(void *context, const Trainer *trainer, double loss);
    /* After each epoch, history[position.epoch - 1] being the new entry; false with a sentence ends the run. */
    bool (*epoch)(void *context, const Trainer *trainer, Error *error);
    /* Looked at after each step: not 0 ends the run there (a signal handler sets it). */
    const volatile sig_atomic_t *stop;
} TrainWatch;

typedef enum TrainEnd {
    TRAIN_DONE,    /* all epochs */
    TRAIN_STOPPED, /* *watch.stop was set; position says where */
    TRAIN_FAILED   /* with a sentence */
} TrainEnd;

/* Goes on from the trainer's position to the end. watch may be NULL. */
TrainEnd trainer_run(Trainer *trainer, const TrainWatch *watch, Error *error);

typedef struct Evaluation {
    size_t correct, count; /* correct: the most probable class is the label */
    double accuracy;       /* correct / count; NaN if count is 0 */
    double loss;           /* mean cross-entropy; NaN if count is 0 */
} Evaluation;

/* Runs the network forward over the source's samples, batch by batch, in a run of their own. Changes no weight. Collective
 * where there is a process group (NULL: none), whose processes have the same weights: each evaluates some of the batches, and
 * all have the bits of one process. False with a sentence, on all, if a batch cannot be loaded. */
bool train_evaluate(Net *net, Source *source, const TrainGroup *group, Evaluation *result, Error *error);

#endif
