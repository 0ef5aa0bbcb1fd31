/* `rungs train`: from options to data, network and trainer. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/train.h"
#include "core/array.h"
#include "core/host.h"
#include "core/units.h"
#include "cpu/backend.h"
#include "gpu/backend.h"
#include "gpu/counters.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- data ---- */

/* A path that the checkpoint has may not be there any more. */
static bool
cannot_open(TrainRun *run)
{
    char files[2][DATA_PATH_MAX];
    if (run->resumed.header && !train_typed(run, &run->options.data) && dataset_files(run->options.data, files) > 0)
        error_set(
            &run->error,
            "%s; that path stands in the checkpoint %s: if the data are elsewhere now, give their path with --data",
            run->error.text, run->options.resume);
    return false;
}

/* A batch size that was given has to be possible; another is made so. */
static bool
choose_batch(TrainRun *run)
{
    int *batch = &run->options.batch;
    const size_t most = run->split.train_count;
    run->wanted_batch = *batch;
    if ((size_t)*batch <= most)
        return true;
    if (train_typed(run, batch) || run->resumed.header)
        return error_set(&run->error,
                         "--batch %d is more than the %zu training samples of %s: give --batch %zu or less", *batch,
                         most, run->dataset.name, most);
    *batch = (int)most;
    return true;
}

bool
train_open_data(TrainRun *run)
{
    const TrainArguments *o = &run->options;
    Dataset *data = &run->dataset;
    Split *split = &run->split;
    uint64_t checksum;
    run->status = STATUS_FAILED;
    if (!(o->stream ? dataset_open_streamed : dataset_open)(o->data, data, &run->error))
        return cannot_open(run);
    if (!dataset_checksum(data, &checksum, &run->error))
        return false;
    snprintf(run->checksum, sizeof(run->checksum), "%016" PRIx64, checksum);
    run->status = STATUS_USAGE;
    if (data->train_count > 0 ? !dataset_split_at(data, data->train_count, o->validation, split, &run->error)
                              : !dataset_split(data, o->validation, o->test, o->seed, split, &run->error))
        return false;
    if (split->train_count == 0)
        return error_set(&run->error,
                         "no samples are left for training: make --validation (%g) and --test (%g) smaller",
                         o->validation, o->test);
    const NormalizerKind kind = (NormalizerKind)option_choice(NORMALIZER_NAMES, o->normalize);
    if (!choose_batch(run) ||
        !normalizer_fit(data, split->train, split->train_count, kind, &run->normalizer, &run->error))
        return false;
    normalizer_apply(&run->normalizer, data);
    return true;
}

/* ---- network ---- */

static const Backend *
choose_backend(TrainRun *run)
{
    const char *device = run->options.device;
    const GpuKind kind = (GpuKind)(option_choice(TRAIN_DEVICES, device) - 1);
    if (strcmp(device, "cpu") == 0)
        return cpu_backend(run->options.kernels, &run->error);
    const Backend *backend = gpu_backend(kind, &run->error);
    if (backend == NULL) {
        run->status = STATUS_FAILED;
        error_set(&run->error, "--device %s: %s%s", device, run->error.text,
                  kind == GPU_DEVICE ? "; --device emulator runs the same kernels here" : "");
        return NULL;
    }
    run->gpu = gpu_library(kind, &run->error);
    return backend;
}

static bool
build_net(TrainRun *run, const Backend *backend)
{
    static int (*const activations[])(Net * net, int x) = {net_relu, net_tanh, net_sigmoid};
    const TrainArguments *o = &run->options;
    const Dataset *data = &run->dataset;
    const Model *model = run->model;
    if (data->height < model->smallest || data->width < model->smallest)
        return error_set(&run->error, "%s needs images of at least %d x %d pixels, but those of %s have %d x %d",
                         model->name, model->smallest, model->smallest, data->name, data->height, data->width);
    run->net = net_create(backend, o->seed);
    net_number_type(run->net, (NumberType)option_choice(NUMBER_NAMES, o->precision));
    const int x = net_input(run->net, data->height, data->width, data->channels);
    net_softmax_loss(run->net,
                     model->build != mlp_build
                         ? model->build(run->net, x, data->classes)
                         : mlp_layers(run->net, x, o->hidden.values, o->hidden.count,
                                      activations[option_choice("relu|tanh|sigmoid", o->activation)], data->classes));
    return true;
}

/* More numbers than memory holds would end the program without a word, or the machine with it. */
static bool
check_memory(TrainRun *run, const TrainOptions *options, const LayerRange *ranges, int count)
{
    char needed[UNITS_SIZE], there[UNITS_SIZE];
    const RunOptions plan = train_run_options(options), evaluation = {.max_batch = options->batch, .inference = true};
    const bool own_run =
        run->strategy == NULL || run->strategy->hold == NULL; /* a divided network's group has the runs */
    double numbers = 0, bytes = 0;
    for (int i = 0; i < count; i++) {
        for (int l = ranges[i].first; l < ranges[i].last; l++)
            numbers += (double)net_layer_info(run->net, l).parameters;
        if (own_run)
            bytes += (double)run_memory_planned(run->net, ranges[i].first, ranges[i].last, &plan);
        bytes += (double)run_memory_planned(run->net, ranges[i].first, ranges[i].last, &evaluation);
    }
    bytes += 4 * sizeof(float) * numbers; /* weights, gradients, and Adam's m and v */
    const double memory = (double)(run->gpu ? run->gpu->properties.memory : host_get()->memory);
    if (bytes <= memory)
        return true;
    return error_set(&run->error, "a network of %.0f parameters needs %s to train, but %s are there: make --%s smaller",
                     numbers, units_bytes(needed, bytes), units_bytes(there, memory),
                     run->model->build == mlp_build ? "hidden" : "batch");
}

/* The layers that this rank holds. Returns how many ranges; 0 with a sentence. */
static int
hold_layers(TrainRun *run, const TrainOptions *options, LayerRange ranges[STRATEGY_RANGES])
{
    const Strategy *strategy = run->strategy;
    ranges[0] = (LayerRange){0, net_layer_count(run->net)};
    if (strategy == NULL || strategy->hold == NULL)
        return 1;
    return strategy->hold(strategy_values(strategy, &run->options.own), run->net, options, run->ranks.rank,
                          run->ranks.count, ranges, &run->error);
}

/* ---- trainer ---- */

/* A step is 6 operations for each sample and parameter (of a convolution: and pixel): a multiplication and an addition forward,
 * twice that backward. A thread is worth its part of the barriers, and the risk that it is not scheduled when the others wait for
 * it, only if it gets enough of them: 100 million take a core a millisecond or two. */
static int
worthwhile_threads(const TrainRun *run)
{
    const Ranks *ranks = &run->ranks;
    const double batch = (double)run->options.batch / train_workers(run);
    double products = 0;
    for (int i = 1; i < net_layer_count(run->net); i++) {
        const LayerInfo layer = net_layer_info(run->net, i);
        products += (double)layer.parameters * layer.shape.height * layer.shape.width;
    }
    int most = host_threads();
    if (ranks->count > 1 &&
        getenv("OMP_NUM_THREADS") == NULL) /* the cores of this machine are those of all its ranks */
        most = host_get()->cores > ranks->on_machine ? host_get()->cores / ranks->on_machine : 1;
    return (int)fmin(most, 1 + 6 * batch * products / 1e8);
}

static bool
make_train_options(const TrainRun *run, TrainOptions *options, Error *error)
{
    const TrainArguments *o = &run->options;
    const int workers = train_workers(run);
    *options = (TrainOptions){.epochs = o->epochs,
                              .batch = o->batch,
                              .micro_batches = o->micro_batches,
                              .drop_last = o->drop_last,
                              .rate = o->rate,
                              .optimizer_options = optimizer_defaults(),
                              .seed = o->seed,
                              .part = (o->batch + workers - 1) / workers};
    options->optimizer_options.momentum = o->momentum;
    options->optimizer_options.weight_decay = o->weight_decay;
    return optimizer_kind_from_name(o->optimizer, &options->optimizer, error) &&
           schedule_parse(o->schedule, &options->schedule, error);
}

bool
train_build(TrainRun *run)
{
    const TrainArguments *o = &run->options;
    TrainOptions options;
    run->status = STATUS_USAGE;
    if (!make_train_options(run, &options, &run->error))
        return false;
    const Backend *backend = choose_backend(run);
    if (backend == NULL || !build_net(run, backend))
        return false;
    RunSegment *segments = ARRAY(RunSegment, (size_t)o->recompute);
    options.run = (RunOptions){.recomputed = segments, .segments = run_segments(run->net, o->recompute, segments)};
    LayerRange ranges[STRATEGY_RANGES];
    const int held = hold_layers(run, &options, ranges);
    if (held > 0 && check_memory(run, &options, ranges, held)) {
        net_build_ranges(run->net, ranges, held);
        host_set_threads(o->threads > 0 ? o->threads : run->gpu ? host_threads() : worthwhile_threads(run));
        if (train_data_create(&run->data, &run->dataset, &run->split, &options, &run->error))
            run->trainer = trainer_create(run->net, run->data.training, run->data.validation, &options, &run->error);
    }
    array_free(segments);
    return run->trainer != NULL;
}

int
train_report_findings(const TrainRun *run, int status)
{
    GpuCounters counters;
    Error error;
    if (run->gpu == NULL || run->gpu->kind != GPU_EMULATOR_CHECKED)
        return status;
    if (!gpu_counters_open(&counters, run->gpu, &error)) {
        fprintf(stderr, "%s: %s\n", run->command, error.text);
        return STATUS_FAILED;
    }
    if (counters.findings() == 0) {
        printf("checked   no mistake found in the kernels\n");
        return status;
    }
    counters.report_findings(stderr);
    return STATUS_FAILED;
}
