/* Where training takes its batches from. The training loop (nn/train.h) knows this table and nothing else of the data: whether the
 * samples are in memory or stay in their files is the source's affair.
 *
 *     epoch e    | step 0 | step 1 | .. | step S-1 |        samples in an order that depends on the source and e
 *                    `-- batch: row 0 .. first .. first + count .. rows
 *                                       `----.-----'
 *                                        slice that one of several ranks loads
 *
 * A source has no position: a batch follows from (epoch, step) and from what the source was created with. So a resumed run, and
 * ranks of which each loads a slice of the batch, see the bits that one uninterrupted process sees.
 * SPDX-License-Identifier: MIT */
#ifndef DATA_SOURCE_H
#define DATA_SOURCE_H

#include "core/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Source Source;

typedef struct SourceKind {
    const char *name; /* how the samples are held: "in memory" */
    /* Copies rows first .. first + count - 1 of the step's batch to source->x and ->labels. False with a sentence if they cannot
     * be read, or are not finite numbers. */
    bool (*load)(Source *source, uint64_t epoch, uint64_t step, size_t first, size_t count, Error *error);
    void (*free)(Source *source);
} SourceKind;

/* The first member of a kind's own struct. */
struct Source {
    const SourceKind *kind;
    const char *name;            /* of the data set, for sentences */
    int height, width, channels; /* of one sample */
    size_t features;             /* their product */
    int classes;
    size_t samples; /* to choose batches from */
    size_t batch;   /* samples in a step; the last step of an epoch may have fewer */
    uint64_t steps; /* in an epoch */
    float *x;       /* [rows][features]: what was loaded last */
    int *labels;    /* [rows] */
};

/* Rows of a step's batch; 0 for step >= steps. */
size_t source_rows(const Source *source, uint64_t step);

/* first + count <= source_rows. */
bool source_load(Source *source, uint64_t epoch, uint64_t step, size_t first, size_t count, Error *error);

/* Visits the samples of epoch 0 one by one, in their order. False with a sentence if one cannot be loaded. */
typedef void SourceVisit(void *context, const float *x, int label);
bool source_each(Source *source, SourceVisit *visit, void *context, Error *error);

/* NULL is allowed. */
void source_free(Source *source);

#endif
