/* The network's own data: for net*.c and run*.c alone. Layers see layer.h.
 * SPDX-License-Identifier: MIT */
#ifndef NN_NET_INTERNAL_H
#define NN_NET_INTERNAL_H

#include "nn/layer.h"

typedef struct NamedParameter {
    Parameter parameter;
    ParameterStart start;
    size_t fan_in, fan_out;
    int layer;
} NamedParameter;

/* Named parts in the order of creation, and those of them that are held: all of them before net_build_ranges, which also makes
 * their `first` count from the beginning of the held ones. */
typedef struct NamedParameters {
    NamedParameter *of;
    int count, capacity;
    size_t elements;
    int held, *held_part; /* [held]: their numbers; NULL before net_build_ranges */
    size_t elements_held;
} NamedParameters;

struct Net {
    const Backend *backend;
    uint64_t seed;
    Layer *layers;
    int layer_count, layer_capacity;
    NamedParameters parameter, average;
    NumberType stored; /* by layers that are added now */
    int loss;          /* number of the loss layer, -1 before there is one */
    bool built;
    float *parameters, *gradients, *averages; /* [elements_held] */
    const Exchange *exchange;                 /* not owned */
    NetGradientHook *hook;
    void *hook_context;
};

/* Number of the value that a caller sees as the network's output. */
int net_output_value(const Net *net);

#endif
