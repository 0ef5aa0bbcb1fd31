/* The parts of `rungs train mlp`, `lenet` and others: train_network.c has the options, train_kinds.c what can be trained,
 * train_network_data.c the samples, train_network_device.c the device, train_network_build.c the network, train_network_parallel.c
 * how several ranks share the work, train_network_ways.c the ways of doing so, train_network_ranks.c what ranks tell each other,
 * train_network_run.c trains, train_network_report.c says what came of it.
 * Nobody else includes this. SPDX-License-Identifier: MIT */
#ifndef CLI_TRAIN_NETWORK_H
#define CLI_TRAIN_NETWORK_H

#include "core/options.h"
#include "core/progress.h"
#include "gpu/library.h"
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

/* How several ranks train one network together (mpi/parallel/parallel.h). */
typedef struct RankOptions {
    const char
        *parallel; /* NULL: what is usual on so many ranks; after mlp_choose_parallel one of the names, or "none" */
    const char *overlap, *collectives, *straggler, *scale_rate;
    uint64_t bucket, first_bucket;
    int servers, bound, every;
    double elasticity;
    bool weak;
} RankOptions;

typedef struct MlpOptions {
    const char *data, *activation, *normalize, *kernels, *optimizer, *schedule, *device;
    IntList hidden;
    double validation, test, rate, momentum, weight_decay;
    uint64_t seed;
    int batch, epochs, threads, save_every;
    bool drop_last, stream;
    RankOptions ranks;
    const char *save, *load, *resume, *csv, *json, *trace; /* NULL: not wanted */
} MlpOptions;

/* The table of the options, each pointing into *options. The first MLP_SETTINGS decide the result: a checkpoint holds
 * them, and a run that goes on has to have the same. */
enum { MLP_SETTINGS = 15, MLP_OWN_OPTIONS = 26, RANK_SETTINGS = 4, RANK_OPTIONS = 12 };
enum { MLP_OPTIONS = MLP_OWN_OPTIONS + RANK_OPTIONS, MLP_SETTINGS_MAX = MLP_SETTINGS + RANK_SETTINGS };
void mlp_option_table(MlpOptions *options, Option table[MLP_OPTIONS]);

/* The part of the table that concerns several ranks; its first RANK_SETTINGS decide the result where mlp_rank_setting says so. */
void mlp_rank_option_table(RankOptions *options, Option table[RANK_OPTIONS]);
RankOptions mlp_rank_defaults(void);
RankOptions mlp_rank_untyped(void); /* with values that nobody can type */

/* Whether what is trained has the option: --hidden and --activation describe a perceptron. */
bool mlp_has_option(const TrainKind *kind, const Option *option);

/* The value of an option as one would type it. Returns text. */
enum { MLP_TEXT_SIZE = DATASET_NAME_MAX + 64 }; /* --data=IMAGES,LABELS */
const char *mlp_option_text(const Option *option, char text[MLP_TEXT_SIZE]);

/* Everything that one call of the command works with. */
typedef struct MlpRun {
    const TrainKind *kind;
    MlpOptions options;
    Option table[MLP_OPTIONS];
    Safetensors resumed;                             /* the checkpoint to go on from; empty for a new run */
    char typed[MLP_SETTINGS_MAX + 1][MLP_TEXT_SIZE]; /* its options, as one would type them */
    bool batch_typed, rate_typed; /* by the caller: they are meant for one rank, a checkpoint's for all */
    bool parallel_usual;          /* nobody said --parallel */
    RankOptions typed_ranks;      /* what the caller typed; the rest is as in mlp_rank_untyped */
    uint64_t first_step;          /* steps that were done when this process began */
    int wanted_batch;             /* more than options.batch if there are too few samples for it */

    Dataset dataset;
    Split split;
    Normalizer normalizer;
    TrainData data;        /* the parts of the data set, in batches */
    const GpuLibrary *gpu; /* that the network runs on; NULL: on the processor */
    Net *net;
    Trainer *trainer;
    Trace *trace;

    Checkpoint checkpoint;                   /* how this run is saved */
    Metadata settings[MLP_SETTINGS_MAX + 2]; /* and model, checksum */
    char texts[MLP_SETTINGS_MAX][MLP_TEXT_SIZE], checksum[32];

    int rank, rank_count;      /* this one of so many that train the network; 0 of 1 alone */
    struct Comm *comm;         /* theirs; NULL without --parallel */
    struct Parallel *parallel; /* NULL without --parallel */
    bool ended_together;       /* all ranks know that the training has failed */

    Progress progress;
    char note[64];    /* at the end of its line */
    bool epoch_lines; /* a line for each epoch on stdout: wherever the bar does not tell */
} MlpRun;

/* Opens the data, builds network and trainer, restores the checkpoint. False after the sentence was set; *status is then
 * what to exit with. mlp_close frees, also after a failure. */
bool mlp_open(MlpRun *run, int *status, Error *error);
void mlp_close(MlpRun *run);

/* The rest of the preparation, when mlp_open has succeeded on all ranks, all of which call. False on all of them, or on none. */
bool mlp_begin(MlpRun *run, int *status, Error *error);

/* The part of mlp_open that concerns the data: data set, checksum, split, batch, normaliser. */
bool mlp_open_data(MlpRun *run, int *status, Error *error);

/* What the network runs on, after --device and --kernels. */
const Backend *mlp_choose_backend(MlpRun *run, int *status, Error *error);

/* On the emulator that checks: prints what it found in the whole run, that is after mlp_close. Returns the exit status, which is
 * STATUS_FAILED if it found anything. */
int mlp_report_findings(const MlpRun *run, int status);

/* The part that makes network and trainer. */
bool mlp_build_trainer(MlpRun *run, int *status, Error *error);

/* Trains to the end, or to Ctrl-C, saving on the way. Returns the exit status. */
int mlp_train(MlpRun *run, Error *error);

/* ---- several ranks: train_network_parallel.c ---- */

/* Decides what was left open (--parallel, --weak, --scale-rate), and refuses what cannot work. False with a sentence. */
bool mlp_choose_parallel(MlpRun *run, int *status, Error *error);

/* Reads "RANK:MS". */
bool mlp_straggler(const char *text, int *rank, double *seconds);

/* ---- the ways of doing so: train_network_ways.c ---- */

/* Whether option i of the part decides the result: a sum of gradients over the ranks is that of one process but for rounding,
 * whoever adds it up; weights that differ between the ranks are another matter. */
bool mlp_rank_setting(const MlpRun *run, int i);

/* Whether the gradients of all ranks are added, and one step is taken with the sum: that of one process, but for rounding. */
bool mlp_synchronous(const MlpRun *run);

/* The ranks that have a part of each batch. */
int mlp_workers(const MlpRun *run);

/* Names of --parallel, joined by '|', and what the help says of them behind the options. */
const char *mlp_parallel_names(void);
const char *mlp_parallel_notes(void);
/* How the ranks train, with a note on each option that was typed and says nothing in this way. */
void mlp_print_parallel(const MlpRun *run);
const char *mlp_overlap(const MlpRun *run); /* "" where there is none */

/* ---- what they tell each other: train_network_ranks.c. All ranks must call; alone they do nothing ---- */

/* mlp_meet makes comm where there are several ranks, or --parallel was chosen for one; it may be called again. mlp_part frees. */
void mlp_meet(MlpRun *run);
void mlp_part(MlpRun *run);

/* Threads that this rank may use: its share of the cores of its machine. */
int mlp_rank_threads(const MlpRun *run);

/* Whether all ranks are good. If not, *error is the sentence of the first that is not, with its number, and *status its status. */
bool mlp_all_good(MlpRun *run, bool good, int *status, Error *error);

/* Whether all have the options, the data and the checkpoint of rank 0; a sentence for mlp_all_good if not. */
bool mlp_same_as_rank_0(MlpRun *run, Error *error);

/* What rank 0 says, and the largest that one says. */
int mlp_from_rank_0(const MlpRun *run, int number);
int mlp_largest(const MlpRun *run, int number);

/* From here on steps are taken together. The same sentence on all ranks. */
bool mlp_join(MlpRun *run, int *status, Error *error);

/* A step has failed on this rank, maybe not on others: ends all ranks where they could not know. Rank 0 then says why. */
void mlp_failed_step(const MlpRun *run, const Error *error);

/* What only the way of training together knows. */
void mlp_report_parallel(const MlpRun *run);

/* The timeline of all ranks: made before the first step, and gathered and written after the last. */
Trace *mlp_trace_create(const MlpRun *run, Error *error);
bool mlp_trace_close(MlpRun *run, Error *error);

/* ---- what is said and written: train_network_report.c ---- */

/* All of them, whichever rank visits them. */
size_t mlp_samples_per_epoch(const Trainer *trainer);

/* What is trained on and with, before the first step. */
void mlp_print_plan(const MlpRun *run);
void mlp_print_epoch(const MlpRun *run);

/* "0.1234", or "1.23e+37" where four decimals would be a long row of digits. Into text[32]; returns text. */
const char *mlp_loss_text(char text[32], double loss);
/* The last lines. The very last one is "test accuracy 0.9750 (351/360)". */
void mlp_print_result(const MlpRun *run, Evaluation test);

/* The files of --csv and --json, where wanted. test is NULL when the run was stopped before its end. */
bool mlp_write_files(const MlpRun *run, const Evaluation *test, Error *error);

#endif
