/* The network of a benchmark of training steps, and random samples for it. SPDX-License-Identifier: MIT */
#ifndef NN_MODELS_BENCH_NET_H
#define NN_MODELS_BENCH_NET_H

#include "core/options.h"
#include "nn/models/models.h"
#include <stddef.h>

typedef struct BenchNet {
    const Model *model; /* NULL: a perceptron of inputs, hidden and classes, with ReLU */
    IntList hidden;
    int inputs, classes; /* classes: of a model too */
} BenchNet;

/* The registry's model of that name; NULL for the mlp, whose size is the options', and for a name that it does not have. */
const Model *bench_net_model(const char *name);

enum { BENCH_NET_TEXT = 1024 };

/* "64-64-10, ReLU", "lenet, 28 x 28 x 1". Returns text. */
const char *bench_net_text(const BenchNet *what, char text[BENCH_NET_TEXT]);

/* Numbers of one sample. */
size_t bench_net_features(const BenchNet *what);
Shape bench_net_input(const BenchNet *what);

/* With softmax loss, not built; the weights are those of seed 1. backend may be NULL for a network that is only counted. Free with
 * net_free. */
Net *bench_net_create(const BenchNet *what, const Backend *backend);

size_t bench_net_parameters(const BenchNet *what);

/* Multiplications and additions of the products of one step on `batch` samples: nn/work.h says what is counted. */
double bench_net_flops(const BenchNet *what, int batch);

/* Samples of normal numbers with any of the classes, in memory: owned, freed with bench_data_free. */
typedef struct BenchData {
    float *x;    /* [samples][features] */
    int *labels; /* [samples] */
} BenchData;

/* part: 0, 1, ..: each has samples of its own, always the same. */
BenchData bench_data_create(const BenchNet *what, size_t samples, int part);
void bench_data_free(BenchData *data);

#endif
