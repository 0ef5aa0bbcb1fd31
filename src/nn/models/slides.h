/* Lecture 3's slide "Summary of popular CNNs" beside our own counts. SPDX-License-Identifier: MIT */
#ifndef NN_MODELS_SLIDES_H
#define NN_MODELS_SLIDES_H

#include "nn/models/models.h"
#include "nn/work.h"
#include <stdio.h>

/* Our counts of one sample beside what the slide's table says of the model, or of the form that it is a relative of, and why a
 * cell differs. Prints our counts alone if the table does not have the model. */
void slides_print(const Model *model, const NetWork *work, FILE *out);

/* The table's cells "Total Weights" and "Total MACs" for exactly this model, "" if it has no column of its own. */
const char *slides_weights(const char *name);
const char *slides_macs(const char *name);

#endif
