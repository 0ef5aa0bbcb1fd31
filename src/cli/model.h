/* The parts of `rungs model`. SPDX-License-Identifier: MIT */
#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include "core/error.h"
#include "nn/models/models.h"
#include "nn/work.h"

/* A model and its count. */
typedef struct ModelReport {
    const Model *model;
    NetWork work;
} ModelReport;

enum { MODEL_NUMBER_SIZE = 32 };

/* "23,454,912". Returns text. */
const char *model_number(char text[MODEL_NUMBER_SIZE], uint64_t number);

/* "conv2d 7x7 /2": what a layer is, with its window and stride. Returns text. */
const char *model_layer_name(char text[64], const LayerInfo *info);

/* "224 x 224 x 3". Returns text. */
const char *model_shape(char text[64], Shape shape);

/* One line for each layer. */
void model_print_layers(const ModelReport *report);

/* What the layers add up to. */
void model_print_totals(const ModelReport *report);

/* One line for each of the models. */
void model_print_list(const ModelReport *reports, int count);

/* The layers of one model, or the totals of many; false with a sentence if the file cannot be written. */
bool model_layers_csv(const char *path, const ModelReport *report, Error *error);
bool model_list_csv(const char *path, const ModelReport *reports, int count, Error *error);
bool model_json(const char *path, const ModelReport *reports, int count, bool layers, Error *error);

/* Our counts of one sample beside what the slides' table of popular CNNs says of the model, or of the form that it is a relative
 * of, and why a cell differs. Prints our counts alone if the table does not have the model. */
void model_print_slides(const ModelReport *report);

/* The table's cells "Total Weights" and "Total MACs" for exactly this model, "" if it has no column of its own. */
const char *model_slides_weights(const char *name);
const char *model_slides_macs(const char *name);

#endif
