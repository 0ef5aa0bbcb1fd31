/* Schedules of pipelines as text: which stage computes what, in which order. A schedule is data: anyone can write one, have it
 * checked, simulated, and compared with the ideal. Nothing here needs MPI.
 *
 *     # 1F1B: 2 stages, 3 micro-batches; one line for each stage, the first stage first
 *     F0 F1 B0 F2 B1 B2
 *     F0 B0 F1 B1 F2 B2
 *
 *     F3     forward of micro-batch 3
 *     B3     backward: gradients of inputs and weights, or of the inputs alone where the schedule has W
 *     W3     backward: gradients of the weights, at any time after B3
 *     F3.1   the same of chunk 1, where a stage holds several chunks of the layers
 *     U      update of the weights: asynchronous schedules alone; others update once, when all is done
 *
 * Lines that are settings begin with a word:
 *
 *     chunks loop | wave     where the chunks stand: with p stages the order of the layers is
 *                            loop   0.0 1.0 .. p-1.0, 0.1 1.1 .. p-1.1          each chunk from the first stage to the last
 *                            wave   0.0 1.0 .. p-1.0, p-1.1 .. 1.1 0.1          odd chunks from the last to the first
 *     weights stash | double which weights a forward pass uses where there are U: the newest, kept until its backward pass
 *                            (PipeDream, Narayanan et al. 2019); or those of one update before, so that two versions suffice
 *                            (PipeDream-2BW, Narayanan et al. 2021)
 *
 * Each instruction waits for its inputs: F for the F of the layers before, B for the F of its own and the B of the layers behind, W
 * for its B. Stages compute in the order of their line.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_PIPELINE_SCHEDULE_H
#define MPI_PARALLEL_PIPELINE_SCHEDULE_H

#include "core/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The most that are read or generated. */
enum { PIPELINE_STAGES = 1024, PIPELINE_MICROS = 65536, PIPELINE_CHUNKS = 64, PIPELINE_INSTRUCTIONS = 1 << 24 };

typedef enum PipelineKind { PIPELINE_F, PIPELINE_B, PIPELINE_W, PIPELINE_U, PIPELINE_KINDS } PipelineKind;
extern const char pipeline_letters[PIPELINE_KINDS + 1]; /* "FBWU" */

typedef struct PipelineInstruction {
    PipelineKind kind;
    int micro, chunk; /* 0 of U */
} PipelineInstruction;

typedef struct PipelineStage {
    int line; /* of the text, from 1 on */
    int count, room;
    PipelineInstruction *instruction; /* [count] */
} PipelineStage;

typedef struct PipelineSchedule {
    int stages, micros, chunks;
    bool split;  /* it has W: B is the gradient of the inputs alone */
    bool wave;   /* odd chunks go from the last stage to the first */
    bool twice;  /* "weights double" */
    int updates; /* U on each stage; 0: one update at the end */
    PipelineStage *stage;
} PipelineSchedule;

/* ---- schedule.c: from text and to text ---- */

PipelineSchedule *pipeline_create(int stages, int micros, int chunks);
void pipeline_free(PipelineSchedule *schedule); /* NULL is allowed */
void pipeline_append(PipelineSchedule *schedule, int stage, PipelineKind kind, int micro, int chunk);

/* From text; name is for the sentences. The number of micro-batches and chunks is the largest that occurs more than once, so that a
 * single slip is found as one. NULL with a sentence that names the line for what is no schedule; pipeline_check has the rest. */
PipelineSchedule *pipeline_parse(const char *name, const char *text, size_t length, Error *error);
PipelineSchedule *pipeline_read(const char *path, Error *error);
void pipeline_write(const PipelineSchedule *schedule, FILE *out); /* reads back to the same */

enum { PIPELINE_LABEL = 32 };
/* "F3", "F3.1", "U": as in the text. Returns label. */
const char *pipeline_label(const PipelineSchedule *schedule, PipelineInstruction what, char label[PIPELINE_LABEL]);

/* Where the layers of a chunk stand in the network, 0 .. stages x chunks - 1, and back. */
int pipeline_depth(const PipelineSchedule *schedule, int stage, int chunk);
int pipeline_stage_of(const PipelineSchedule *schedule, int depth, int *chunk);

/* ---- schedule_generate.c: those of the papers ---- */

typedef struct PipelineIdea {
    const char *name, *idea;
    PipelineSchedule *(*generate)(int stages, int micros, int chunks);
    int chunks;     /* 0: any number; else this one */
    bool multiples; /* micro-batches must be a multiple of stages */
} PipelineIdea;

enum { PIPELINE_IDEAS = 7 };
extern const PipelineIdea pipeline_ideas[PIPELINE_IDEAS];
const PipelineIdea *pipeline_idea(const char *name); /* NULL: there is none of that name */

/* chunks 0: what the idea takes, 2 where it takes any. NULL with a sentence for numbers that it cannot have. */
PipelineSchedule *pipeline_generate(const PipelineIdea *idea, int stages, int micros, int chunks, Error *error);

/* ---- schedule_simulate.c ---- */

/* A stage's seconds, or any unit, for one micro-batch and all of its chunks; of the C chunks each takes a C-th. send: from this
 * stage to another one, while both compute. */
typedef struct PipelineTimes {
    double forward, backward, weights, send;
} PipelineTimes;

typedef struct PipelineStageRun {
    int done;            /* instructions that could begin: all of them unless stages wait for each other for ever */
    double *start, *end; /* [count] */
    double first, last;  /* begin of its first, end of its last */
    double busy;
    int peak; /* chunks of micro-batches in flight at most: from F until the last gradient, B or W */
    int versions,
        staleness; /* of the weights: kept at most; updates between a gradient's weights and its own update, at most */
} PipelineStageRun;

typedef struct PipelineRun {
    int stages;
    double length;  /* until the last stage has done its last instruction */
    double longest; /* largest time of a stage from its first instruction to its last: what a step takes */
    double bubble;  /* 1 - the mean of busy / longest */
    PipelineStageRun *stage;
} PipelineRun;

/* Every instruction as early as its stage and its inputs let it: times[stages]. The schedule has each instruction once a stage
 * (pipeline_check). pipeline_run_free frees what it holds. */
PipelineRun pipeline_simulate(const PipelineSchedule *schedule, const PipelineTimes *times);
void pipeline_run_free(PipelineRun *run);

/* Seconds of an instruction: all of B and W where the schedule does not split them. */
double pipeline_seconds(const PipelineSchedule *schedule, const PipelineTimes *times, PipelineKind kind);

/* The largest peak of a stage, in micro-batches: chunks count as fractions. */
double pipeline_peak(const PipelineSchedule *schedule, const PipelineRun *run);

/* ---- schedule_check.c ---- */

/* False with a sentence that names line and instruction: a micro-batch that is missing or there twice, an instruction before one
 * that it needs on its own stage, stages that wait for each other, weights that are not there yet. */
bool pipeline_check(const PipelineSchedule *schedule, Error *error);

#endif
