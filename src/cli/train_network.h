/* The parts of `rungs train mlp`, `lenet` and others: train_network.c has the options, train_kinds.c what can be trained,
 * train_network_data.c the samples, train_network_device.c the device, train_network_build.c the network, train_network_run.c
 * trains, train_network_report.c says what came of it.
 * Nobody else includes this. SPDX-License-Identifier: MIT */
#ifndef CLI_TRAIN_NETWORK_H
#define CLI_TRAIN_NETWORK_H

#include "core/options.h"
#include "core/progress.h"
#include "gpu/library.h"
#include "nn/checkpoint.h"
#include "nn/models/models.h"
#include "nn/train.h"

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

typedef struct MlpOptions {
    const char *data, *activation, *normalize, *kernels, *optimizer, *schedule, *device;
    IntList hidden;
    double validation, test, rate, momentum, weight_decay;
    uint64_t seed;
    int batch, epochs, threads, save_every;
    bool drop_last;
    const char *save, *load, *resume, *csv, *json, *trace; /* NULL: not wanted */
} MlpOptions;

/* The table of the options, each pointing into *options. The first MLP_SETTINGS decide the result: a checkpoint holds
 * them, and a run that goes on has to have the same. */
enum { MLP_SETTINGS = 15, MLP_OPTIONS = 25 };
void mlp_option_table(MlpOptions *options, Option table[MLP_OPTIONS]);

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
    Safetensors resumed;                         /* the checkpoint to go on from; empty for a new run */
    char typed[MLP_SETTINGS + 1][MLP_TEXT_SIZE]; /* its options, as one would type them */
    uint64_t first_step;                         /* steps that were done when this process began */
    int wanted_batch;                            /* more than options.batch if there are too few samples for it */

    Dataset dataset;
    Split split;
    Normalizer normalizer;
    const GpuLibrary *gpu; /* that the network runs on; NULL: on the processor */
    Net *net;
    Trainer *trainer;
    Trace *trace;

    Checkpoint checkpoint;               /* how this run is saved */
    Metadata settings[MLP_SETTINGS + 2]; /* and model, checksum */
    char texts[MLP_SETTINGS][MLP_TEXT_SIZE], checksum[32];

    Progress progress;
    char note[64];    /* at the end of its line */
    bool epoch_lines; /* a line for each epoch on stdout: wherever the bar does not tell */
} MlpRun;

/* Opens the data, builds network and trainer, restores the checkpoint. False after the sentence was set; *status is then
 * what to exit with. mlp_close frees, also after a failure. */
bool mlp_open(MlpRun *run, int *status, Error *error);
void mlp_close(MlpRun *run);

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
