/* Data-parallel training steps, measured: `rungs bench parallel`.
 *
 *     bench_parallel.c          the command: options, what is refused, all ranks' exit status
 *     bench_parallel_measure.c  the driver: all rows interleaved
 *     bench_parallel_school.c   what they learn from
 *     bench_parallel_row.c      one of them: its steps, timed and verified
 *     bench_parallel_model.c    what the model says beside it, and the picture
 *     bench_parallel_report.c   the table;  bench_parallel_export.c  CSV, JSON
 *
 * All ranks measure and know the same numbers; rank 0 prints and writes.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_PARALLEL_H
#define CLI_BENCH_PARALLEL_H

#include "cli/bench_net.h"
#include "cli/bench_peer.h"
#include "core/error.h"
#include "data/dataset.h"
#include "ladder/ladder.h"
#include "mpi/parallel/data/data.h"

enum { BENCH_PARALLEL_ROWS = 40, BENCH_PARALLEL_CHECKED = 3, BENCH_PARALLEL_BATCHES = 16 /* of a rank, in memory */ };
#define BENCH_PARALLEL_RATE 0.01 /* of learning: the weights move, and stay finite */

typedef enum BenchParallelKind {
    BENCH_ALONE, /* rank 0 trains on its samples, the others sleep: the serial step */
    BENCH_APART, /* every rank trains on its own samples, at the same time: no communication, but shared memory and cores */
    BENCH_PLAN, /* data-parallel SGD */
    BENCH_PEER  /* PyTorch's, measured in turns with ours */
} BenchParallelKind;

typedef struct BenchParallelRow {
    BenchParallelKind kind;
    char name[128];
    const char *overlap; /* BENCH_PLAN: how, and with whose collectives */
    const Collectives *collectives;
    double *seconds; /* [rounds] of one step, the slowest rank's; owned */
    /* [rounds], BENCH_PLAN: of its all-reduces one after the other, nothing else going on; owned */
    double *communication;
    int buckets;      /* when all was measured */
    size_t wrong;     /* weights that are not what they must be, of all checks */
    char reason[160]; /* what was wrong with the first of them */
    double predicted; /* seconds of a step by the model; NaN: it does not know */
    double hideable;  /* seconds of the measured communication that the plan can hide, by the model */
} BenchParallelRow;

/* Where the time of a step without communication goes, in seconds, in the order of time: means over the ranks. Owned. */
typedef struct BenchParallelParts {
    double forward, update;
    int layers;       /* that have parameters, in the order in which backpropagation finishes them */
    double *backward; /* [layers] */
    DataLayer *layer; /* [layers]; ready: from the begin of backward */
    double *samples;  /* [layers + 2][rounds] of `steps` steps: forward, the layers, update */
} BenchParallelParts;

typedef struct BenchParallel {
    BenchNet net;
    Comm *comm;
    const char *kernels;
    int batch, steps, rounds, threads; /* batch: of a rank; steps: of one measurement */
    size_t bucket, first_bucket;       /* bytes */
    const char *torch;                 /* a Python; NULL: no peer */
    char peer[128];                    /* what it says that it is; rank 0 */
    const char *csv, *json, *svg;
    size_t parameters;
    int tensors;   /* of parameters */
    bool compared; /* with one process: not where batch normalisation sees another batch in each rank */
    int rows;
    BenchParallelRow row[BENCH_PARALLEL_ROWS];
    BenchParallelParts parts;
} BenchParallel;

/* ---- bench_parallel_row.c ---- */

/* One row at work. */
typedef struct BenchTrainee BenchTrainee;

/* What all rows are measured with: the samples of this rank, and the weights that are right. */
typedef struct BenchSchool {
    BenchParallel *bench;
    BenchData data;
    Dataset dataset; /* the same samples; owns nothing */
    float *first;    /* [parameters]: weights before the first step */
    float *serial;  /* [parameters], rank 0: after BENCH_PARALLEL_CHECKED steps of one process with the whole batches */
    float *agreed;  /* [parameters], rank 0: the same of the first plan .. */
    bool agreement; /* .. once there is one */
    float *other;   /* [parameters]: of another rank, and zeros to send */
} BenchSchool;

/* Fills in what the network says: parameters, tensors, compared. */
void bench_parallel_look(BenchParallel *bench);

/* The samples of a step. */
Batch bench_parallel_batch(const BenchParallel *bench, const BenchData *data, uint64_t step, int batch);

BenchSchool bench_school_create(BenchParallel *bench);
void bench_school_free(BenchSchool *school);

/* NULL with a sentence, the same on all ranks. */
BenchTrainee *bench_trainee_create(BenchSchool *school, const BenchParallelRow *row, Error *error);
void bench_trainee_free(BenchTrainee *trainee);

/* Takes a few steps from the first weights, and counts into row->wrong those that are not right then. BENCH_PLAN. */
void bench_trainee_check(BenchTrainee *trainee, BenchParallelRow *row, const char *when);

/* Seconds of a step, on the slowest rank. round < 0: a warm-up, of which nothing is kept. */
double bench_trainee_step(BenchTrainee *trainee, int round);

/* Seconds of the all-reduces of a step, one after the other, with nothing else going on. BENCH_PLAN. */
double bench_trainee_communicate(BenchTrainee *trainee);

/* NULL unless BENCH_PLAN. */
const DataTimeline *bench_trainee_timeline(const BenchTrainee *trainee);

/* On all ranks: the largest. */
double bench_parallel_slowest(const Comm *comm, double mine);

/* All ranks but 0 sleep until it has called this too, and leave it the cores. */
void bench_parallel_sleep(const Comm *comm);

/* ---- bench_parallel_measure.c ---- */

/* Fills in bench->row[]. False with a sentence, the same on all ranks. `last` is called with the last plan's timeline while it
 * lives; NULL: it is not wanted. */
typedef bool BenchTimelineUse(const BenchParallel *bench, const BenchParallelRow *row, const DataTimeline *timeline,
                              Error *error);
bool bench_parallel_measure(BenchParallel *bench, BenchTimelineUse *last, Error *error);
void bench_parallel_free_rows(BenchParallel *bench);

/* ---- bench_parallel_model.c ---- */

/* What the model says of a plan: all ranks must call, after all was measured. */
void bench_parallel_predict(const BenchParallel *bench, BenchParallelRow *row, const DataTimeline *timeline);

/* The last step of a plan, measured above predicted, into bench->svg. Needs gnuplot. */
BenchTimelineUse bench_parallel_svg;

/* ---- bench_parallel_report.c ---- */

void bench_parallel_head(const BenchParallel *bench);
void bench_parallel_table(const BenchParallel *bench);

/* The row that others are compared with; NULL: it is not there. */
const BenchParallelRow *bench_parallel_find(const BenchParallel *bench, BenchParallelKind kind);

/* Medians. */
double bench_parallel_seconds(const BenchParallel *bench, const BenchParallelRow *row);
double bench_parallel_communication(const BenchParallel *bench, const BenchParallelRow *row);

/* Samples per second of all ranks together. */
double bench_parallel_rate(const BenchParallel *bench, const BenchParallelRow *row);

/* Of the communication that can be hidden, the share that is: (apart + communication - step) / hideable. NaN: nothing can
 * be, or less than what the steps vary by. */
double bench_parallel_hidden(const BenchParallel *bench, const BenchParallelRow *row);

/* How many times as fast as that row, on the samples of one rank; against a peer: plans only. NaN: there is nothing to compare. */
Comparison bench_parallel_ratio(const BenchParallel *bench, const BenchParallelRow *row, BenchParallelKind to);

/* ---- bench_parallel_export.c ---- */

bool bench_parallel_csv(const BenchParallel *bench, Error *error);
bool bench_parallel_json(const BenchParallel *bench, Error *error);

#endif
