/* rungs model: how much work is a network? Its layers with their shapes, parameters, multiplications and bytes, from the
 * description that training uses, by shape inference alone. nn/work.h says what is counted.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "core/array.h"
#include "core/csv.h"
#include "core/json.h"
#include "core/nearest.h"
#include "core/units.h"
#include "nn/models/slides.h"
#include <inttypes.h>
#include <stdio.h>

/* A model and its count. */
typedef struct ModelReport {
    const Model *model;
    NetWork work;
} ModelReport;

static struct {
    int batch;
    bool layers;
    const char *csv, *json;
} o = {.batch = 1, .layers = true};

static const Option options[] = {
    {"batch", OPTION_INT, &o.batch, "N", .help = "images that pass together", .min = 1, .max = 1 << 20},
    {"layers", OPTION_FLAG, &o.layers, .help = "the table of layers, or the sums alone"},
    {"csv", OPTION_OUTPUT, &o.csv, "FILE", .help = "the layers; without NAME the sums of all models"},
    {"json", OPTION_OUTPUT, &o.json, "FILE", .help = "the same, and more sums"},
    {0}};

static const Command command = {
    .name = "rungs model",
    .positional = "[NAME]",
    .summary = "count a network's layers: shapes, parameters, multiplications, bytes; without NAME list the models",
    .options = options,
    .notes =
        "MACs are multiplications, each with its addition, of convolutions and dense layers. Backward is the gradient "
        "of\n"
        "the weights and, but for the first layer, of the input: each as much as forward. Activations are the outputs\n"
        "of all layers; gradients those of parameters and of activations; a number takes 4 bytes. FLOP/B: flops\n"
        "forward for each byte, if a layer reads and writes everything once.\n",
    .max_positional = 1};

/* ---- tables ----------------------------------------------------------------------------------------------------------- */

/* "conv2d 7x7 /2": what a layer is, with its window and stride. Returns text. */
static const char *
layer_name(char text[64], const LayerInfo *info)
{
    const int kernel = info->conv.kernel ? info->conv.kernel : info->pool.kernel;
    const int stride = info->conv.kernel ? info->conv.stride : info->pool.stride;
    int used = snprintf(text, 64, "%s", info->type);
    if (kernel > 0)
        used += snprintf(text + used, 64 - (size_t)used, " %dx%d", kernel, kernel);
    if (kernel > 0 && stride > 1)
        used += snprintf(text + used, 64 - (size_t)used, " /%d", stride);
    if (info->conv.groups > 1)
        snprintf(text + used, 64 - (size_t)used, " %dg", info->conv.groups);
    return text;
}

static const char *
shape_text(char text[64], Shape shape)
{
    snprintf(text, 64, "%d x %d x %d", shape.height, shape.width, shape.channels);
    return text;
}

static void
reads(char text[64], const LayerInfo *info)
{
    int used = 0;
    text[0] = '\0';
    for (int i = 0; i < info->inputs; i++)
        used += snprintf(text + used, 64 - (size_t)used, "%s%d", i ? " " : "", info->input[i]);
}

static const char *
number_or_dash(char text[UNITS_SIZE], uint64_t number)
{
    return number > 0 ? units_grouped(text, number) : "-";
}

/* Parameters to intensity: the columns that can be added up. */
static void
print_work(const Work *work)
{
    char number[3][UNITS_SIZE], bytes[3][UNITS_SIZE];
    printf(" %11s %16s %16s %9s %11s %11s", number_or_dash(number[0], work->parameters),
           number_or_dash(number[1], work->forward), number_or_dash(number[2], work_backward(work)),
           units_bytes(bytes[0], (double)work->weight_bytes), units_bytes(bytes[1], (double)work->activation_bytes),
           units_bytes(bytes[2], (double)work->gradient_bytes));
    if (work->forward > 0)
        printf(" %7.2f\n", work_intensity(work));
    else
        printf(" %7s\n", "-");
}

static void
print_layers(const ModelReport *report)
{
    printf("%5s  %-15s %-15s %-16s %11s %16s %16s %9s %11s %11s %7s\n", "value", "layer", "reads", "output",
           "parameters", "MACs forward", "MACs backward", "weights", "activations", "gradients", "FLOP/B");
    for (int l = 0; l < report->work.layers; l++) {
        const LayerWork *layer = &report->work.layer[l];
        char name[64], shape[64], from[64];
        reads(from, &layer->info);
        printf("%5d  %-15s %-15s %-16s", l, layer_name(name, &layer->info), from, shape_text(shape, layer->info.shape));
        print_work(&layer->work);
    }
    printf("%5s  %-15s %-15s %-16s", "", "together", "", "");
    print_work(&report->work.all);
}

static void
print_totals(const ModelReport *report)
{
    const Work *all = &report->work.all;
    char number[UNITS_SIZE], bytes[3][UNITS_SIZE], flops[UNITS_SIZE];
    const uint64_t backward = work_backward(all);
    printf("\n%s parameters: weights, biases, normalisation\n", units_grouped(number, all->parameters));
    printf("backward %s MACs, %.2f times forward: the first layer's input needs no gradient\n",
           units_grouped(number, backward), (double)backward / (double)all->forward);
    printf("a training step of batch %d: %s; weights %s, activations %s, gradients %s\n", report->work.batch,
           units_format(flops, 2 * ((double)all->forward + (double)backward), "FLOP"),
           units_bytes(bytes[0], (double)all->weight_bytes), units_bytes(bytes[1], (double)all->activation_bytes),
           units_bytes(bytes[2], (double)all->gradient_bytes));
}

static void
print_list(const ModelReport *reports, int count)
{
    printf("%-22s %-15s %6s %6s %12s %8s %16s %8s %12s\n", "model", "input", "convs", "depth", "weights", "slides",
           "MACs forward", "slides", "parameters");
    for (int i = 0; i < count; i++) {
        const Model *model = reports[i].model;
        const NetWork *work = &reports[i].work;
        char shape[64], number[3][UNITS_SIZE];
        printf("%-22s %-15s %6d %6d %12s %8s %16s %8s %12s\n", model->name, shape_text(shape, model->input),
               work->convolutions.layers, work->depth, units_grouped(number[0], work->all.weights),
               slides_weights(model->name), units_grouped(number[1], work->all.forward), slides_macs(model->name),
               units_grouped(number[2], work->all.parameters));
    }
    printf("\n");
    for (int i = 0; i < count; i++)
        printf("%-22s %s\n", reports[i].model->name, reports[i].model->summary);
}

/* ---- files ------------------------------------------------------------------------------------------------------------ */

#define WORK_HEADER                                                                                                    \
    "weights,parameters,macs_forward,macs_weight_gradient,macs_input_gradient,weight_bytes,activation_bytes,"          \
    "gradient_bytes,moved_bytes,flops_per_byte"
#define WORK_FORMAT                                                                                                    \
    "weights %" PRIu64 ", parameters %" PRIu64 ", macs_forward %" PRIu64 ", macs_weight_gradient %" PRIu64             \
    ", macs_input_gradient %" PRIu64 ", weight_bytes %" PRIu64 ", activation_bytes %" PRIu64                           \
    ", gradient_bytes %" PRIu64 ", moved_bytes %" PRIu64 ", flops_per_byte %g\n"
#define WORK_NUMBERS(work)                                                                                             \
    (work).weights, (work).parameters, (work).forward, (work).weight_gradient, (work).input_gradient,                  \
        (work).weight_bytes, (work).activation_bytes, (work).gradient_bytes, (work).moved_bytes,                       \
        work_intensity(&(work))

static bool
layers_csv(const char *path, const ModelReport *report, Error *error)
{
    Csv *csv = csv_create(path, "model,batch,value,layer,height,width,channels," WORK_HEADER, error);
    if (csv == NULL)
        return false;
    for (int l = 0; l < report->work.layers; l++) {
        const LayerWork *layer = &report->work.layer[l];
        const Shape *shape = &layer->info.shape;
        char name[64];
        csv_add(csv, "%s %d %d %s %d %d %d", report->model->name, report->work.batch, l, layer_name(name, &layer->info),
                shape->height, shape->width, shape->channels);
        csv_add(csv, WORK_FORMAT, WORK_NUMBERS(layer->work));
    }
    return csv_close(csv, error);
}

static bool
list_csv(const char *path, const ModelReport *reports, int count, Error *error)
{
    Csv *csv = csv_create(path, "model,batch,height,width,channels,convolutions,depth," WORK_HEADER, error);
    if (csv == NULL)
        return false;
    for (int i = 0; i < count; i++) {
        const Model *model = reports[i].model;
        const NetWork *work = &reports[i].work;
        csv_add(csv, "%s %d %d %d %d %d %d", model->name, work->batch, model->input.height, model->input.width,
                model->input.channels, work->convolutions.layers, work->depth);
        csv_add(csv, WORK_FORMAT, WORK_NUMBERS(work->all));
    }
    return csv_close(csv, error);
}

static cJSON *
json_shape(Shape shape)
{
    return json_doubles((double[]){shape.height, shape.width, shape.channels}, 3);
}

static void
add_work(cJSON *parent, const char *name, const Work *work)
{
    cJSON *json = cJSON_AddObjectToObject(parent, name);
    json_add(json, "layers %d", work->layers);
    json_add(json, WORK_FORMAT, WORK_NUMBERS(*work));
}

static cJSON *
json_layer(const LayerWork *layer)
{
    char name[64];
    double inputs[sizeof(layer->info.input) / sizeof(layer->info.input[0])];
    cJSON *json = cJSON_CreateObject();
    json_add(json, WORK_FORMAT, WORK_NUMBERS(layer->work));
    for (int i = 0; i < layer->info.inputs; i++)
        inputs[i] = layer->info.input[i];
    json_add(json, "layer %s", layer_name(name, &layer->info));
    cJSON_AddItemToObject(json, "reads", json_doubles(inputs, (size_t)layer->info.inputs));
    cJSON_AddItemToObject(json, "output", json_shape(layer->info.shape));
    return json;
}

static cJSON *
json_report(const ModelReport *report, bool layers)
{
    cJSON *json = cJSON_CreateObject();
    json_add(json, "name %s, summary %s", report->model->name, report->model->summary);
    cJSON_AddItemToObject(json, "input", json_shape(report->model->input));
    json_add(json, "batch %d, depth %d", report->work.batch, report->work.depth);
    add_work(json, "convolutions", &report->work.convolutions);
    add_work(json, "dense", &report->work.dense);
    add_work(json, "all", &report->work.all);
    if (layers) {
        cJSON *list = cJSON_AddArrayToObject(json, "layers");
        for (int l = 0; l < report->work.layers; l++)
            cJSON_AddItemToArray(list, json_layer(&report->work.layer[l]));
    }
    return json;
}

static bool
write_json(const char *path, const ModelReport *reports, int count, bool layers, Error *error)
{
    cJSON *json = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(json, "models");
    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(list, json_report(&reports[i], layers));
    cJSON_AddItemToObject(json, "host", json_host());
    const bool ok = json_write(path, json, error);
    cJSON_Delete(json);
    return ok;
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static int
refuse(const char *name)
{
    int count;
    const Model *table = models(&count);
    Nearest nearest = nearest_to(name);
    for (int i = 0; i < count; i++)
        nearest_offer(&nearest, table[i].name);
    return cli_unknown(command.name, "model ", &nearest, "", "'rungs model' lists them");
}

static ModelReport
count_model(const Model *model)
{
    Net *net = model_create(model, NULL, 0); /* never built: it needs no kernels and no seed */
    const ModelReport report = {model, net_work(net, o.batch)};
    net_free(net);
    return report;
}

static bool
show_one(const Model *model, Error *error)
{
    ModelReport report = count_model(model);
    char shape[64];
    printf("%s: %s; input %s, batch %d\n", model->name, model->summary, shape_text(shape, model->input), o.batch);
    if (o.layers) {
        putchar('\n');
        print_layers(&report);
    }
    print_totals(&report);
    slides_print(model, &report.work, stdout);
    const bool ok = (o.csv == NULL || layers_csv(o.csv, &report, error)) &&
                    (o.json == NULL || write_json(o.json, &report, 1, true, error));
    net_work_free(&report.work);
    return ok;
}

static bool
show_all(Error *error)
{
    int count;
    const Model *table = models(&count);
    ModelReport *reports = ARRAY(ModelReport, (size_t)count);
    for (int i = 0; i < count; i++)
        reports[i] = count_model(&table[i]);
    print_list(reports, count);
    const bool ok = (o.csv == NULL || list_csv(o.csv, reports, count, error)) &&
                    (o.json == NULL || write_json(o.json, reports, count, false, error));
    for (int i = 0; i < count; i++)
        net_work_free(&reports[i].work);
    array_free(reports);
    return ok;
}

int
command_model(int argc, char **argv)
{
    int positional, status;
    Error error;
    if (!cli_parse(&command, argc, argv, &positional, &status))
        return status;
    const Model *model = positional > 0 ? model_find(argv[1]) : NULL;
    if (positional > 0 && model == NULL)
        return refuse(argv[1]);
    if (model != NULL ? show_one(model, &error) : show_all(&error))
        return STATUS_DONE;
    return cli_fail(command.name, STATUS_FAILED, &error);
}
