/* `rungs train`: from options and data to a network and its trainer.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/train_network.h"
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
add_hidden_layers(const MlpRun *run, int x)
{
    const MlpOptions *o = &run->options;
    for (int i = 0; i < o->hidden.count; i++)
        x = add_activation(run->net, o->activation, net_dense(run->net, x, o->hidden.values[i]));
    return net_dense(run->net, x, run->dataset.classes);
}

static bool
build_net(MlpRun *run, const Backend *backend, Error *error)
{
    const Dataset *data = &run->dataset;
    const TrainKind *kind = run->kind;
    if (data->height < kind->smallest || data->width < kind->smallest)
        return error_set(error, "%s needs images of at least %d x %d pixels, but those of %s have %d x %d", kind->name,
                         kind->smallest, kind->smallest, data->name, data->height, data->width);
    run->net = net_create(backend, run->options.seed);
    const int x = net_input(run->net, data->height, data->width, data->channels);
    net_softmax_loss(run->net, kind->build ? kind->build(run->net, x, data->classes) : add_hidden_layers(run, x));
    return true;
}

/* More numbers than memory holds would end the program without a word, or the machine with it. */
static bool
check_memory(const MlpRun *run, Error *error)
{
    char needed[UNITS_SIZE], there[UNITS_SIZE];
    double numbers = 4 * (double)net_parameter_count(run->net); /* weights, gradients, and Adam's m and v */
    for (int i = 1; i < net_layer_count(run->net); i++) {
        const LayerInfo layer = net_layer_info(run->net, i);
        if (layer.parameters > 0) /* outputs and their gradients */
            numbers += 2.0 * run->options.batch * layer.shape.height * layer.shape.width * layer.shape.channels;
    }
    const double bytes = sizeof(float) * numbers;
    const double memory = (double)(run->gpu ? run->gpu->properties.memory : host_get()->memory);
    if (bytes <= memory)
        return true;
    return error_set(error, "a network of %zu parameters needs %s to train, but %s are there: make --%s smaller",
                     net_parameter_count(run->net), units_bytes(needed, bytes), units_bytes(there, memory),
                     run->kind->build ? "batch" : "hidden");
}

static bool
make_train_options(const MlpOptions *o, TrainOptions *options, Error *error)
{
    *options = (TrainOptions){.epochs = o->epochs,
                              .batch = o->batch,
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
worthwhile_threads(const MlpRun *run)
{
    const Net *net = run->net;
    const double batch = (double)run->options.batch / mlp_workers(run);
    double products = 0;
    for (int i = 1; i < net_layer_count(net); i++) {
        const LayerInfo layer = net_layer_info(net, i);
        products += (double)layer.parameters * layer.shape.height * layer.shape.width;
    }
    return (int)fmin(mlp_rank_threads(run), 1 + 6 * batch * products / 1e8);
}

bool
mlp_build_trainer(MlpRun *run, int *status, Error *error)
{
    const MlpOptions *o = &run->options;
    TrainOptions options;
    *status = STATUS_USAGE;
    if (!make_train_options(o, &options, error))
        return false;
    const Backend *backend = mlp_choose_backend(run, status, error);
    if (!backend)
        return false;
    if (!build_net(run, backend, error) || !check_memory(run, error))
        return false;
    net_build(run->net, o->batch);
    const int threads = run->gpu ? host_threads() : worthwhile_threads(run);
    host_set_threads(o->threads > 0 ? o->threads : threads);
    if (train_data_create(&run->data, &run->dataset, &run->split, &options, error))
        run->trainer = trainer_create(run->net, run->data.training, run->data.validation, &options, error);
    return run->trainer != NULL;
}
