/* The counts of `rungs model` as CSV and JSON. SPDX-License-Identifier: MIT */
#include "cli/model.h"
#include "core/csv.h"
#include "core/json.h"
#include <stdio.h>

#define WORK_HEADER                                                                                                    \
    "weights,parameters,macs_forward,macs_weight_gradient,macs_input_gradient,weight_bytes,activation_bytes,"          \
    "gradient_bytes,moved_bytes,flops_per_byte"

static void
csv_work(Csv *csv, const Work *work)
{
    const uint64_t numbers[] = {work->weights,          work->parameters,     work->forward,
                                work->weight_gradient,  work->input_gradient, work->weight_bytes,
                                work->activation_bytes, work->gradient_bytes, work->moved_bytes};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        csv_integer(csv, (long long)numbers[i]);
    csv_number(csv, work_intensity(work));
}

static void
csv_shape(Csv *csv, Shape shape)
{
    csv_integer(csv, shape.height);
    csv_integer(csv, shape.width);
    csv_integer(csv, shape.channels);
}

bool
model_layers_csv(const char *path, const ModelReport *report, Error *error)
{
    Csv *csv = csv_create(path, "model,batch,value,layer,height,width,channels," WORK_HEADER, error);
    if (csv == NULL)
        return false;
    for (int l = 0; l < report->work.layers; l++) {
        const LayerWork *layer = &report->work.layer[l];
        char name[64];
        csv_text(csv, report->model->name);
        csv_integer(csv, report->work.batch);
        csv_integer(csv, l);
        csv_text(csv, model_layer_name(name, &layer->info));
        csv_shape(csv, layer->info.shape);
        csv_work(csv, &layer->work);
        csv_end_row(csv);
    }
    return csv_close(csv, error);
}

bool
model_list_csv(const char *path, const ModelReport *reports, int count, Error *error)
{
    Csv *csv = csv_create(path, "model,batch,height,width,channels,convolutions,depth," WORK_HEADER, error);
    if (csv == NULL)
        return false;
    for (int i = 0; i < count; i++) {
        csv_text(csv, reports[i].model->name);
        csv_integer(csv, reports[i].work.batch);
        csv_shape(csv, reports[i].model->input);
        csv_integer(csv, reports[i].work.convolutions.layers);
        csv_integer(csv, reports[i].work.depth);
        csv_work(csv, &reports[i].work.all);
        csv_end_row(csv);
    }
    return csv_close(csv, error);
}

static cJSON *
json_shape(Shape shape)
{
    return json_doubles((double[]){shape.height, shape.width, shape.channels}, 3);
}

static cJSON *
json_work(const Work *work)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "layers", work->layers);
    cJSON_AddNumberToObject(json, "weights", (double)work->weights);
    cJSON_AddNumberToObject(json, "parameters", (double)work->parameters);
    cJSON_AddNumberToObject(json, "macs_forward", (double)work->forward);
    cJSON_AddNumberToObject(json, "macs_weight_gradient", (double)work->weight_gradient);
    cJSON_AddNumberToObject(json, "macs_input_gradient", (double)work->input_gradient);
    cJSON_AddNumberToObject(json, "weight_bytes", (double)work->weight_bytes);
    cJSON_AddNumberToObject(json, "activation_bytes", (double)work->activation_bytes);
    cJSON_AddNumberToObject(json, "gradient_bytes", (double)work->gradient_bytes);
    cJSON_AddNumberToObject(json, "moved_bytes", (double)work->moved_bytes);
    cJSON_AddNumberToObject(json, "flops_per_byte", work_intensity(work));
    return json;
}

static cJSON *
json_layer(const LayerWork *layer)
{
    char name[64];
    double inputs[sizeof(layer->info.input) / sizeof(layer->info.input[0])];
    cJSON *json = json_work(&layer->work);
    for (int i = 0; i < layer->info.inputs; i++)
        inputs[i] = layer->info.input[i];
    cJSON_DeleteItemFromObject(json, "layers");
    cJSON_AddStringToObject(json, "layer", model_layer_name(name, &layer->info));
    cJSON_AddItemToObject(json, "reads", json_doubles(inputs, (size_t)layer->info.inputs));
    cJSON_AddItemToObject(json, "output", json_shape(layer->info.shape));
    return json;
}

static cJSON *
json_report(const ModelReport *report, bool layers)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", report->model->name);
    cJSON_AddStringToObject(json, "summary", report->model->summary);
    cJSON_AddItemToObject(json, "input", json_shape(report->model->input));
    cJSON_AddNumberToObject(json, "batch", report->work.batch);
    cJSON_AddNumberToObject(json, "depth", report->work.depth);
    cJSON_AddItemToObject(json, "convolutions", json_work(&report->work.convolutions));
    cJSON_AddItemToObject(json, "dense", json_work(&report->work.dense));
    cJSON_AddItemToObject(json, "all", json_work(&report->work.all));
    if (layers) {
        cJSON *list = cJSON_AddArrayToObject(json, "layers");
        for (int l = 0; l < report->work.layers; l++)
            cJSON_AddItemToArray(list, json_layer(&report->work.layer[l]));
    }
    return json;
}

bool
model_json(const char *path, const ModelReport *reports, int count, bool layers, Error *error)
{
    cJSON *json = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(json, "models");
    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(list, json_report(&reports[i], layers));
    cJSON_AddItemToObject(json, "host", json_host());
    const bool ok = json_write(path, json, error);
    cJSON_Delete(json);
    return ok;
}
