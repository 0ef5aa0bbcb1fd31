/* The parts of `rungs train NETWORK`, as a run passes through them: train.c takes it through all of them, train_options.c reads the
 * options, train_setup.c makes data, network and trainer, train_ranks.c says how several ranks share the work, train_report.c what
 * came of it. Nobody else includes this. SPDX-License-Identifier: MIT */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H

#include "core/options.h"
#include "core/progress.h"
#include "gpu/library.h"
#include "mpi/parallel/ranks.h"
#include "nn/checkpoint.h"
#include "nn/models/models.h"
#include "nn/train_data.h"

#define TRAIN_DEVICES "cpu|gpu|emulator|emulator-checked" /* cpu, then the GpuKinds in their order */

typedef struct TrainArguments {
    const char *data, *activation, *normalize, *kernels, *optimizer, *schedule, *device, *precision;
    IntList hidden;
    double validation, test, rate, momentum, weight_decay;
    uint64_t seed;
    int batch, micro_batches, recompute, epochs, threads, save_every;
    bool drop_last, stream;
    const char *parallel; /* NULL: not given; after train_choose_parallel a strategy's name, or "none" */
    const char *collectives, *straggler, *scale_rate;
    bool weak;
    StrategyValues own;                                    /* of the strategies' own options */
    const char *save, *load, *resume, *csv, *json, *trace; /* NULL: not wanted */
} TrainArguments;

/* What an option means for a checkpoint. */
typedef enum TrainRole {
    ROLE_FREE,   /* nothing: the result does not depend on it */
    ROLE_RESULT, /* it decides the result, is saved, and has to be the same when the run resumes */
    ROLE_CHANGED, /* the same, but only a value that is not the default is saved: files from before it existed stay the same */
    ROLE_EPOCHS, /* taken from the file, which has it by itself */
    ROLE_RANKS   /* it concerns several ranks: the strategy says whether it decides */
} TrainRole;

enum { TRAIN_OPTIONS_MAX = 48, TRAIN_TEXT_SIZE = DATASET_NAME_MAX + 64 }; /* --data=IMAGES,LABELS */

/* Everything that one call of the command works with. */
typedef struct TrainRun {
    const Model *model;
    char command[48]; /* "rungs train lenet" */
    TrainArguments options;
    Option table[TRAIN_OPTIONS_MAX + 1]; /* each points into options; a name that is NULL ends it */
    TrainRole role[TRAIN_OPTIONS_MAX];
    bool typed[TRAIN_OPTIONS_MAX]; /* by the caller */
    int wanted_batch;              /* more than options.batch if there are too few samples for it */
    Safetensors resumed;           /* the checkpoint to resume from; empty for a new run */
    uint64_t first_step;           /* steps that were done when this process began */
    int status;                    /* what to exit with after a refusal .. */
    Error error;                   /* .. and its sentence */

    Dataset dataset;
    Split split;
    Normalizer normalizer;
    TrainData data;        /* the parts of the data set, in batches */
    const GpuLibrary *gpu; /* that the network runs on; NULL: on the processor */
    Net *net;
    Trainer *trainer;
    Trace *trace;

    Checkpoint checkpoint;                    /* how this run is saved */
    Metadata settings[TRAIN_OPTIONS_MAX + 2]; /* and model, checksum */
    char texts[TRAIN_OPTIONS_MAX][TRAIN_TEXT_SIZE], checksum[32];

    Ranks ranks;
    const Strategy *strategy; /* NULL: none */
    int straggler;
    double straggler_seconds;
    bool ended_together; /* all ranks know that the training has failed */

    Progress progress;
    char note[64];    /* at the end of its line */
    bool epoch_lines; /* a line for each epoch on stdout: wherever the bar does not tell */
} TrainRun;

/* Functions that return false have set run->status and run->error. */

/* ---- train_options.c ---- */

/* What was typed, over the defaults for the default data set. */
bool train_parse(TrainRun *run, int argc, char **argv);

/* Options that were not typed: those of the checkpoint, which is opened here, else what suits the data set. */
bool train_complete(TrainRun *run);

/* Whether the caller typed the option whose value this is. */
bool train_typed(const TrainRun *run, const void *value);

/* ---- train_setup.c ---- */

/* The data set with its split, normalised; the batch made to fit where nobody said how large it is. */
bool train_open_data(TrainRun *run);

/* The network on its device, and the trainer. */
bool train_build(TrainRun *run);

/* On the emulator that checks: prints what it found in the whole run, after all is freed. Returns the exit status, which is
 * STATUS_FAILED if it found anything. */
int train_report_findings(const TrainRun *run, int status);

/* ---- several ranks: train_ranks.c ---- */

/* Decides what was left open (--parallel, --weak, --scale-rate), and refuses what cannot work. */
bool train_choose_parallel(TrainRun *run);

/* Whether all ranks have the options, the data and the checkpoint of rank 0. Collective. */
bool train_same_on_all_ranks(TrainRun *run);

/* From here on steps are taken together. Collective. */
bool train_join(TrainRun *run);

/* Whether an option of several ranks decides the result: a sum of gradients over the ranks is that of one process but for rounding,
 * whoever adds it up; weights that differ between the ranks are another matter. */
bool train_decides(const TrainRun *run, const Option *option);

/* The ranks, or groups of ranks with a replica of the network, that have a part of each batch. */
int train_workers(const TrainRun *run);

/* A step has failed on this rank, maybe not on others: ends all ranks where they could not know. Rank 0 then says why. */
void train_failed_step(const TrainRun *run);

/* What the help says of the strategies behind the options. */
void train_print_strategies(FILE *out);

/* How the ranks train, with a note on each option that was typed and is ignored. */
void train_print_parallel(const TrainRun *run);

/* ---- what is printed and written: train_report.c ---- */

/* All of them, whichever rank visits them. */
size_t train_samples_per_epoch(const Trainer *trainer);

/* What is trained on and with, before the first step. */
void train_print_plan(const TrainRun *run);
void train_print_epoch(const TrainRun *run);

/* "0.1234", or "1.23e+37" where four decimals would be a long row of digits. Into text[32]; returns text. */
const char *train_loss_text(char text[32], double loss);
/* The last lines. The very last one is "test accuracy 0.9750 (351/360)". */
void train_print_result(const TrainRun *run, Evaluation test);

/* The files of --csv and --json, where wanted. test is NULL when the run was stopped before its end. */
bool train_write_files(TrainRun *run, const Evaluation *test);

#endif
