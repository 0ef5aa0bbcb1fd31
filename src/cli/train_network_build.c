/* `rungs train`: from options and data to a network and its trainer.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/train_network.h"
#include "core/array.h"
#include "core/host.h"
#include "core/units.h"
#include <math.h>
#include <string.h>

static int
add_activation(Net *net, const char *name, int x)
{
    return strcmp(name, "tanh") == 0      ? net_tanh(net, x)
           : strcmp(name, "sigmoid") == 0 ? net_sigmoid(net, x)
                                          : net_relu(net, x);
}

static int
add_hidden_layers(const TrainRun *run, int x)
{
    const TrainArguments *o = &run->options;
    for (int i = 0; i < o->hidden.count; i++)
        x = add_activation(run->net, o->activation, net_dense(run->net, x, o->hidden.values[i]));
    return net_dense(run->net, x, run->dataset.classes);
}

static NumberType
precision_of(const char *name)
{
    NumberType type = NUMBER_FP32;
    while (strcmp(number_name(type), name) != 0)
        type++;
    return type;
}

static bool
build_net(TrainRun *run, const Backend *backend, Error *error)
{
    const Dataset *data = &run->dataset;
    const TrainKind *kind = run->kind;
    if (data->height < kind->smallest || data->width < kind->smallest)
        return error_set(error, "%s needs images of at least %d x %d pixels, but those of %s have %d x %d", kind->name,
                         kind->smallest, kind->smallest, data->name, data->height, data->width);
    run->net = net_create(backend, run->options.seed);
    net_number_type(run->net, precision_of(run->options.precision));
    const int x = net_input(run->net, data->height, data->width, data->channels);
    net_softmax_loss(run->net, kind->build ? kind->build(run->net, x, data->classes) : add_hidden_layers(run, x));
    return true;
}

/* --recompute: all layers in segments of about as many. Returns how many segments. */
static int
segments_of(const TrainRun *run, RunSegment *segments)
{
    const int layers = net_layer_count(run->net) - 1;
    const int count = run->options.recompute < layers ? run->options.recompute : layers;
    for (int s = 0; s < count; s++)
        segments[s] = (RunSegment){1 + layers * s / count, 1 + layers * (s + 1) / count};
    return count;
}

/* More numbers than memory holds would end the program without a word, or the machine with it. */
static bool
check_memory(const TrainRun *run, const TrainOptions *options, Error *error)
{
    char needed[UNITS_SIZE], there[UNITS_SIZE];
    const RunOptions plan = train_run_options(options), evaluation = {.max_batch = options->batch, .inference = true};
    const int layers = net_layer_count(run->net);
    const double numbers = 4 * (double)net_parameter_count(run->net); /* weights, gradients, and Adam's m and v */
    const double bytes = sizeof(float) * numbers + (double)run_memory_planned(run->net, 0, layers, &plan) +
                         (double)run_memory_planned(run->net, 0, layers, &evaluation);
    const double memory = (double)(run->gpu ? run->gpu->properties.memory : host_get()->memory);
    if (bytes <= memory)
        return true;
    return error_set(error, "a network of %zu parameters needs %s to train, but %s are there: make --%s smaller",
                     net_parameter_count(run->net), units_bytes(needed, bytes), units_bytes(there, memory),
                     run->kind->build ? "batch" : "hidden");
}

static bool
make_train_options(const TrainArguments *o, TrainOptions *options, Error *error)
{
    *options = (TrainOptions){.epochs = o->epochs,
                              .batch = o->batch,
                              .micro_batches = o->micro_batches,
                              .drop_last = o->drop_last,
                              .rate = o->rate,
                              .optimizer_options = optimizer_defaults(),
                              .seed = o->seed};
    options->optimizer_options.momentum = o->momentum;
    options->optimizer_options.weight_decay = o->weight_decay;
    return optimizer_kind_from_name(o->optimizer, &options->optimizer, error) &&
           schedule_parse(o->schedule, &options->schedule, error);
}

/* A step is some 6 operations for each sample and parameter (of a convolution: and pixel): a multiplication and an addition
 * forward, twice that backward. A thread is worth its share of the barriers, and the risk that it is not scheduled when the others
 * wait for it, only if it gets enough of them: 100 million take a core a millisecond or two. */
static int
worthwhile_threads(const TrainRun *run)
{
    const Net *net = run->net;
    const double batch = (double)run->options.batch / train_workers(run);
    double products = 0;
    for (int i = 1; i < net_layer_count(net); i++) {
        const LayerInfo layer = net_layer_info(net, i);
        products += (double)layer.parameters * layer.shape.height * layer.shape.width;
    }
    return (int)fmin(train_rank_threads(run), 1 + 6 * batch * products / 1e8);
}

static void
create_trainer(TrainRun *run, const TrainOptions *options, Error *error)
{
    net_build(run->net);
    const int threads = run->gpu ? host_threads() : worthwhile_threads(run);
    host_set_threads(run->options.threads > 0 ? run->options.threads : threads);
    if (train_data_create(&run->data, &run->dataset, &run->split, options, error))
        run->trainer = trainer_create(run->net, run->data.training, run->data.validation, options, error);
}

bool
train_build_trainer(TrainRun *run, int *status, Error *error)
{
    const TrainArguments *o = &run->options;
    TrainOptions options;
    *status = STATUS_USAGE;
    if (!make_train_options(o, &options, error))
        return false;
    const Backend *backend = train_choose_backend(run, status, error);
    if (!backend)
        return false;
    if (!build_net(run, backend, error))
        return false;
    const int workers = train_workers(run);
    RunSegment *segments = ARRAY(RunSegment, (size_t)o->recompute);
    options.part = (o->batch + workers - 1) / workers;
    options.run = (RunOptions){.recomputed = segments, .segments = segments_of(run, segments)};
    if (check_memory(run, &options, error))
        create_trainer(run, &options, error);
    array_free(segments);
    return run->trainer != NULL;
}
