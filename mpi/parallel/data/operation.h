/* A step of data-parallel training as an operation of the driver that measures all ladders (ladder/ladder.h). Its size is the batch
 * of a rank. Its rows:
 *
 *     alone             rank 0 trains on its samples, the others sleep: the serial step, beside which all stand
 *     apart             every rank trains on its own samples, at the same time: no communication, but shared memory and cores
 *     naive:ring ..     data-parallel SGD, one way of overlap with one rung of the all-reduce: the rungs
 *     naive:ring:sums   its all-reduces one after the other, with nothing else going on
 *
 * A rung is verified by the weights after DATA_CHECKED steps from the first ones: the same on all ranks, those of one process with
 * the whole batches, and those of the first rung.
 *
 *     operation.c       rows, steps, verification           operation_model.c   what the model says beside them, and the picture
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_DATA_OPERATION_H
#define MPI_PARALLEL_DATA_OPERATION_H

#include "ladder/ladder.h"
#include "mpi/parallel/data/data.h"
#include "nn/models/bench_net.h"

enum { DATA_CHECKED = 3, DATA_BATCHES = 16 /* of a rank, in memory */ };

typedef struct DataSetting {
    BenchNet net;
    Comm *comm;
    const char *kernels;
    size_t bucket, first_bucket; /* bytes: DataOptions */
    const char *timeline_svg;    /* a step of the last rung, measured above predicted; NULL: not wanted */
} DataSetting;

typedef enum DataRowKind { DATA_ALONE, DATA_APART, DATA_PLAN, DATA_SUMS, DATA_PEER } DataRowKind;

/* A row at work: net and trainer of its own, so that plans which measure layers, or send other buckets after the first steps, keep
 * what they know. Rung.context. */
typedef struct DataRow {
    DataRowKind kind;
    char name[64];
    const char *overlap; /* DATA_PLAN */
    const Collectives *collectives;
    struct DataRow *plan; /* DATA_SUMS: whose */
    Net *net;
    Source *source;
    Trainer *trainer;
    Parallel *parallel; /* DATA_PLAN */
    uint64_t steps;     /* taken */
    double predicted;   /* seconds of a step by the model; NaN: it does not know */
    double hideable;    /* seconds of the measured communication that the plan can hide, by the model */
    int buckets;        /* when all was measured */
} DataRow;

/* Where the time of a step of DATA_APART goes, in the order of time. */
typedef struct DataParts {
    double forward, update; /* seconds: means over the ranks */
    int layers;             /* that have parameters, in the order in which backpropagation finishes them */
    double *backward;       /* [layers] */
    DataLayer *layer;       /* [layers]; ready: from the begin of backward */
} DataParts;

/* The ladder, one at a time: add rungs, then take it. overlap: one of step_modes. False with a sentence: too many. */
void data_operation_begin(const DataSetting *setting, const Fact *facts);
bool data_operation_add(const char *overlap, const Collectives *collectives, Error *error);
void data_operation_add_peer(Rung rung);
const Ladder *data_operation(void);

/* operation_torch.c: a row for PyTorch's DistributedDataParallel, of a model that tools/peers/torch_ddp.py has. python: one that
 * has PyTorch. When all was measured, says which version it was, and ends it. */
void data_torch_add(const DataSetting *setting, const char *python);
void data_torch_stop(FILE *out);

/* False with the sentence if timeline_svg could not be drawn; on rank 0. */
bool data_operation_drawn(Error *error);

/* Of the communication that can be hidden, the share that is: (apart + sums - step) / hideable. NaN: nothing can be, or less than
 * what the steps vary by. */
double data_hidden(const LadderTable *table, const LadderRow *row);

/* ---- operation_model.c ---- */

/* Fills in row->predicted and hideable. sums: measured seconds of its communication. All ranks must call. */
void data_predict(const DataSetting *setting, const DataParts *parts, DataRow *row, double sums);

/* The last step of a plan, measured above predicted. Needs gnuplot. */
bool data_timeline_svg(const DataSetting *setting, const DataParts *parts, const DataRow *row, int batch, Error *error);

#endif
