/* The network's own data: for net*.c alone. Layers see layer.h.
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

struct Net {
    const Backend *backend;
    uint64_t seed;
    Layer *layers;
    int layer_count, layer_capacity;
    NamedParameter *named;
    int named_count, named_capacity;
    NamedParameter *named_averages;
    int named_average_count, average_capacity;
    int loss;   /* number of the loss layer, -1 before there is one */
    int output; /* number of the value that net_output shows */
    size_t parameter_count;
    float *parameters, *gradients; /* [parameter_count] */
    size_t average_count;
    float *averages;    /* [average_count]: running averages */
    int max_batch;      /* 0 before net_build */
    float *memory;      /* all activations and their gradients, see plan.h */
    size_t memory_size; /* in floats */
    NetGradientHook *hook;
    void *hook_context;
    Batch batch; /* of the last net_forward; its arrays lie in the backend's memory */
    /* Where that is separate: room for a batch there, and for the output here. */
    float *batch_x, *batch_targets, *host_output;
    int *batch_labels;
    bool can_go_back; /* it had labels or targets, and net_backward has not used it up */
};

/* Places every activation, gradient and scratch array in one block of memory, and allocates it. */
void net_plan(Net *net);

#endif
