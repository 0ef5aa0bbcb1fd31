/* The parts of `rungs train mlp`, `lenet` and others: train_network.c has the options, train_kinds.c what can be trained,
 * train_network_data.c the samples, train_network_device.c the device, train_network_build.c the network, train_network_parallel.c
 * how several ranks share the work, train_network_ranks.c what they tell each other,
 * train_network_run.c trains, train_network_report.c says what came of it.
 * Nobody else includes this. SPDX-License-Identifier: MIT */
#ifndef CLI_TRAIN_NETWORK_H
#define CLI_TRAIN_NETWORK_H

#include "core/options.h"
#include "core/progress.h"
#include "gpu/library.h"
#include "mpi/parallel/strategy.h"
#include "nn/checkpoint.h"
#include "nn/models/models.h"
#include "nn/train_data.h"

/* What suits a data set, as one would type it. The last row is for all others. */
enum { DEFAULTS_MAX = 8 };
typedef struct TrainDefaults {
    const char *data;
    char *options[DEFAULTS_MAX];
} TrainDefaults;

/* Something that can be trained: the network of --hidden and --activation, or a model of nn/models. */
typedef struct TrainKind {
    const char *name;    /* "lenet" */
    const char *command; /* "rungs train lenet" */
    const char *summary;
    const char *examples;
    const char *first_data; /* what --data is by default */
    ModelBuild *build;      /* NULL: built from --hidden and --activation, which a model does not have */
    int smallest;           /* pixels in each direction that the images need */
    int defaults_count;
    const TrainDefaults *defaults;
} TrainKind;
extern const TrainKind train_mlp_kind, train_lenet_kind, train_vgg_small_kind; /* train_kinds.c */

/* How several ranks train one network together. */
typedef struct RankOptions {
    const char
        *parallel; /* NULL: what is usual on so many ranks; after train_choose_parallel a strategy's name, or "none" */
    const char *collectives, *straggler, *scale_rate;
    bool weak;
    StrategyValues own; /* of the strategies' own options */
} RankOptions;

typedef struct TrainArguments {
    const char *data, *activation, *normalize, *kernels, *optimizer, *schedule, *device, *precision;
    IntList hidden;
    double validation, test, rate, momentum, weight_decay;
    uint64_t seed;
    int batch, micro_batches, recompute, epochs, threads, save_every;
    bool drop_last, stream;
    RankOptions ranks;
    const char *save, *load, *resume, *csv, *json, *trace; /* NULL: not wanted */
} TrainArguments;

/* The table of the options, each pointing into *options; a name that is NULL ends it. The first TRAIN_SETTINGS decide the result: a
 * checkpoint holds them, those after TRAIN_ALWAYS_SAVED only where they are not the default, and a run that goes on has to have the
 * same. Those that concern several ranks begin at TRAIN_OWN_OPTIONS,
 * --parallel first; of these train_decides says it. */
enum { TRAIN_SETTINGS = 17, TRAIN_OWN_OPTIONS = 29, TRAIN_OPTIONS_MAX = TRAIN_OWN_OPTIONS + STRATEGY_OPTIONS + 6 };
enum { TRAIN_ALWAYS_SAVED = 15 };
void train_option_table(TrainArguments *options, Option table[TRAIN_OPTIONS_MAX]);

/* The part of the table that concerns several ranks, with its end. */
void train_rank_option_table(RankOptions *options, Option *table);
RankOptions train_rank_defaults(void);

/* Whether what is trained has the option: --hidden and --activation describe a perceptron. */
bool train_has_option(const TrainKind *kind, const Option *option);

/* The value of an option as one would type it. Returns text. */
enum { TRAIN_TEXT_SIZE = DATASET_NAME_MAX + 64 }; /* --data=IMAGES,LABELS */
const char *train_option_text(const Option *option, char text[TRAIN_TEXT_SIZE]);

/* Everything that one call of the command works with. */
typedef struct TrainRun {
    const TrainKind *kind;
    TrainArguments options;
    Option table[TRAIN_OPTIONS_MAX];
    Safetensors resumed;                            /* the checkpoint to go on from; empty for a new run */
    char typed[TRAIN_OPTIONS_MAX][TRAIN_TEXT_SIZE]; /* its options, as one would type them */
    bool batch_typed, rate_typed; /* by the caller: they are meant for one rank, a checkpoint's for all */
    bool parallel_usual;          /* nobody said --parallel */
    int argc;                     /* what the caller typed */
    char **argv;
    uint64_t first_step; /* steps that were done when this process began */
    int wanted_batch;    /* more than options.batch if there are too few samples for it */

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

    int rank, rank_count;      /* this one of so many that train the network; 0 of 1 alone */
    struct Comm *comm;         /* theirs; NULL without --parallel */
    const Strategy *strategy;  /* NULL: none */
    struct Grid *grid;         /* of these ranks, of which the strategy takes one axis; NULL without --parallel */
    struct Parallel *parallel; /* NULL without --parallel */
    bool ended_together;       /* all ranks know that the training has failed */

    Progress progress;
    char note[64];    /* at the end of its line */
    bool epoch_lines; /* a line for each epoch on stdout: wherever the bar does not tell */
} TrainRun;

/* Opens the data, builds network and trainer, restores the checkpoint. False after the sentence was set; *status is then
 * what to exit with. train_close frees, also after a failure. */
bool train_open(TrainRun *run, int *status, Error *error);
void train_close(TrainRun *run);

/* The rest of the preparation, when train_open has succeeded on all ranks, all of which call. False on all of them, or on none. */
bool train_begin(TrainRun *run, int *status, Error *error);

/* The part of train_open that concerns the data: data set, checksum, split, batch, normaliser. */
bool train_open_data(TrainRun *run, int *status, Error *error);

/* What the network runs on, after --device and --kernels. */
const Backend *train_choose_backend(TrainRun *run, int *status, Error *error);

/* On the emulator that checks: prints what it found in the whole run, that is after train_close. Returns the exit status, which is
 * STATUS_FAILED if it found anything. */
int train_report_findings(const TrainRun *run, int status);

/* The part that makes network and trainer. */
bool train_build_trainer(TrainRun *run, int *status, Error *error);

/* Trains to the end, or to Ctrl-C, saving on the way. Returns the exit status. */
int train_run(TrainRun *run, Error *error);

/* ---- several ranks: train_network_parallel.c ---- */

/* Decides what was left open (--parallel, --weak, --scale-rate), and refuses what cannot work. False with a sentence. */
bool train_choose_parallel(TrainRun *run, int *status, Error *error);

/* Reads "RANK:MS". */
bool train_straggler(const char *text, int *rank, double *seconds);

/* Whether an option of several ranks decides the result: a sum of gradients over the ranks is that of one process but for rounding,
 * whoever adds it up; weights that differ between the ranks are another matter. */
bool train_decides(const TrainRun *run, const Option *option);

/* Whether the gradients of all ranks are added, and one step is taken with the sum: that of one process, but for rounding. */
bool train_synchronous(const TrainRun *run);

/* The ranks that have a part of each batch. */
int train_workers(const TrainRun *run);

/* What the help says of the strategies behind the options. */
const char *train_parallel_notes(void);
/* How the ranks train, with a note on each option that was typed and is ignored. */
void train_print_parallel(const TrainRun *run);
const char *train_overlap(const TrainRun *run); /* "" where there is none */

/* ---- what they tell each other: train_network_ranks.c. All ranks must call; alone they do nothing ---- */

/* train_meet makes comm where there are several ranks, or --parallel was chosen for one; it may be called again. train_part frees
 * it. */
void train_meet(TrainRun *run);
void train_part(TrainRun *run);

/* Threads that this rank may use: its share of the cores of its machine. */
int train_rank_threads(const TrainRun *run);

/* Whether all ranks are good. If not, *error is the sentence of the first that is not, with its number, and *status its status. */
bool train_all_good(TrainRun *run, bool good, int *status, Error *error);

/* Whether all have the options, the data and the checkpoint of rank 0; a sentence for train_all_good if not. */
bool train_same_as_rank_0(TrainRun *run, Error *error);

/* What rank 0 says, and the largest that one says. */
int train_from_rank_0(const TrainRun *run, int number);
int train_largest(const TrainRun *run, int number);

/* From here on steps are taken together. The same sentence on all ranks. */
bool train_join(TrainRun *run, int *status, Error *error);

/* A step has failed on this rank, maybe not on others: ends all ranks where they could not know. Rank 0 then says why. */
void train_failed_step(const TrainRun *run, const Error *error);

/* What only the strategy knows. */
void train_report_parallel(const TrainRun *run);

/* The timeline of all ranks: made before the first step, and gathered and written after the last. */
Trace *train_trace_create(const TrainRun *run, Error *error);
bool train_trace_close(TrainRun *run, Error *error);

/* ---- what is said and written: train_network_report.c ---- */

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
bool train_write_files(const TrainRun *run, const Evaluation *test, Error *error);

#endif
