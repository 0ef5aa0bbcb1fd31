/* rungs model: how much work is a network? Its layers with their shapes, parameters, multiplications and bytes, from the
 * description that training uses, by shape inference alone. nn/work.h says what is counted.
 * SPDX-License-Identifier: MIT */
#include "cli/model.h"
#include "cli/cli.h"
#include "core/array.h"
#include "core/nearest.h"
#include <stdio.h>

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

static int
refuse(const char *name)
{
    int count;
    const Model *table = models(&count);
    Nearest nearest = nearest_to(name);
    for (int i = 0; i < count; i++)
        nearest_offer(&nearest, table[i].name);
    if (nearest.name != NULL)
        fprintf(stderr, "%s: there is no model '%s'; did you mean '%s'?\n", command.name, name, nearest.name);
    else
        fprintf(stderr, "%s: there is no model '%s'; 'rungs model' lists them\n", command.name, name);
    return STATUS_USAGE;
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
    printf("%s: %s; input %s, batch %d\n", model->name, model->summary, model_shape(shape, model->input), o.batch);
    if (o.layers) {
        putchar('\n');
        model_print_layers(&report);
    }
    model_print_totals(&report);
    model_print_slides(&report);
    const bool ok = (o.csv == NULL || model_layers_csv(o.csv, &report, error)) &&
                    (o.json == NULL || model_json(o.json, &report, 1, true, error));
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
    model_print_list(reports, count);
    const bool ok = (o.csv == NULL || model_list_csv(o.csv, reports, count, error)) &&
                    (o.json == NULL || model_json(o.json, reports, count, false, error));
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
