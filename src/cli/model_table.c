/* The tables of `rungs model` for people. SPDX-License-Identifier: MIT */
#include "cli/model.h"
#include "core/units.h"
#include <stdio.h>
#include <string.h>

const char *
model_number(char text[MODEL_NUMBER_SIZE], uint64_t number)
{
    char digits[24];
    const int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
    char *to = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

const char *
model_layer_name(char text[64], const LayerInfo *info)
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

const char *
model_shape(char text[64], Shape shape)
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
number_or_dash(char text[MODEL_NUMBER_SIZE], uint64_t number)
{
    return number > 0 ? model_number(text, number) : "-";
}

/* Parameters to intensity: the columns that can be added up. */
static void
print_work(const Work *work)
{
    char number[3][MODEL_NUMBER_SIZE], bytes[3][UNITS_SIZE];
    printf(" %11s %16s %16s %9s %11s %11s", number_or_dash(number[0], work->parameters),
           number_or_dash(number[1], work->forward), number_or_dash(number[2], work_backward(work)),
           units_bytes(bytes[0], (double)work->weight_bytes), units_bytes(bytes[1], (double)work->activation_bytes),
           units_bytes(bytes[2], (double)work->gradient_bytes));
    if (work->forward > 0)
        printf(" %7.2f\n", work_intensity(work));
    else
        printf(" %7s\n", "-");
}

void
model_print_layers(const ModelReport *report)
{
    printf("%5s  %-15s %-15s %-16s %11s %16s %16s %9s %11s %11s %7s\n", "value", "layer", "reads", "output",
           "parameters", "MACs forward", "MACs backward", "weights", "activations", "gradients", "FLOP/B");
    for (int l = 0; l < report->work.layers; l++) {
        const LayerWork *layer = &report->work.layer[l];
        char name[64], shape[64], from[64];
        reads(from, &layer->info);
        printf("%5d  %-15s %-15s %-16s", l, model_layer_name(name, &layer->info), from,
               model_shape(shape, layer->info.shape));
        print_work(&layer->work);
    }
    printf("%5s  %-15s %-15s %-16s", "", "together", "", "");
    print_work(&report->work.all);
}

void
model_print_totals(const ModelReport *report)
{
    const Work *all = &report->work.all;
    char number[MODEL_NUMBER_SIZE], bytes[3][UNITS_SIZE], flops[UNITS_SIZE];
    const uint64_t backward = work_backward(all);
    printf("\n%s parameters: weights, biases, normalisation\n", model_number(number, all->parameters));
    printf("backward %s MACs, %.2f times forward: the first layer's input needs no gradient\n",
           model_number(number, backward), (double)backward / (double)all->forward);
    printf("a training step of batch %d: %s; weights %s, activations %s, gradients %s\n", report->work.batch,
           units_format(flops, 2 * ((double)all->forward + (double)backward), "FLOP"),
           units_bytes(bytes[0], (double)all->weight_bytes), units_bytes(bytes[1], (double)all->activation_bytes),
           units_bytes(bytes[2], (double)all->gradient_bytes));
}

void
model_print_list(const ModelReport *reports, int count)
{
    printf("%-22s %-15s %6s %6s %12s %8s %16s %8s %12s\n", "model", "input", "convs", "depth", "weights", "slides",
           "MACs forward", "slides", "parameters");
    for (int i = 0; i < count; i++) {
        const Model *model = reports[i].model;
        const NetWork *work = &reports[i].work;
        char shape[64], number[3][MODEL_NUMBER_SIZE];
        printf("%-22s %-15s %6d %6d %12s %8s %16s %8s %12s\n", model->name, model_shape(shape, model->input),
               work->convolutions.layers, work->depth, model_number(number[0], work->all.weights),
               model_slides_weights(model->name), model_number(number[1], work->all.forward),
               model_slides_macs(model->name), model_number(number[2], work->all.parameters));
    }
    printf("\n");
    for (int i = 0; i < count; i++)
        printf("%-22s %s\n", reports[i].model->name, reports[i].model->summary);
}
