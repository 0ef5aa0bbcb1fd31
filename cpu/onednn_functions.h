/* The functions of oneDNN that convolution is made of, in version 2 or 3: those of oneapi/dnnl/dnnl.h of 2.6.3 and 3.2, with dnnl_
 * before their names.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_ONEDNN_FUNCTIONS_H
#define CPU_ONEDNN_FUNCTIONS_H

#include "core/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ONEDNN_SUCCESS = 0 };

typedef struct OnednnArgument {
    int which;
    void *memory;
} OnednnArgument;

extern struct OnednnFunctions {
    bool version3;
    void *engine, *stream;
    int (*describe)(void *description, int dimensions, const int64_t *size, int type, const int64_t *step);
    int (*describe_any)(void *description, int dimensions, const int64_t *size, int type, int tag);
    int (*describe_conv2)(void *conv, int kind, int algorithm, const void *x, const void *w, const void *bias,
                          const void *y, const int64_t *strides, const int64_t *dilations, const int64_t *before,
                          const int64_t *behind);
    int (*describe_dx2)(void *conv, int algorithm, const void *dx, const void *w, const void *dy,
                        const int64_t *strides, const int64_t *dilations, const int64_t *before, const int64_t *behind);
    int (*describe_dw2)(void *conv, int algorithm, const void *x, const void *dw, const void *bias, const void *dy,
                        const int64_t *strides, const int64_t *dilations, const int64_t *before, const int64_t *behind);
    int (*choose2)(void **chosen, const void *conv, const void *attributes, void *engine, const void *hint);
    int (*choose3)(void **chosen, void *engine, int kind, int algorithm, const void *x, const void *w, const void *bias,
                   const void *y, const int64_t *strides, const int64_t *dilations, const int64_t *before,
                   const int64_t *behind, const void *attributes);
    int (*choose_dx3)(void **chosen, void *engine, int algorithm, const void *dx, const void *w, const void *dy,
                      const int64_t *strides, const int64_t *dilations, const int64_t *before, const int64_t *behind,
                      const void *hint, const void *attributes);
    int (*choose_dw3)(void **chosen, void *engine, int algorithm, const void *x, const void *dw, const void *bias,
                      const void *dy, const int64_t *strides, const int64_t *dilations, const int64_t *before,
                      const int64_t *behind, const void *hint, const void *attributes);
    int (*choose_reorder)(void **chosen, const void *from, void *from_engine, const void *to, void *to_engine,
                          const void *attributes);
    const void *(*query_tensor)(const void *chosen, int what, int index);
    size_t (*tensor_bytes)(const void *description);
    int (*query)(const void *chosen, int what, int index, void *result);
    int (*create)(void **primitive, const void *chosen);
    int (*create_memory)(void **memory, const void *description, void *engine, void *at);
    int (*move_memory)(void *memory, void *to);
    int (*memory_at)(const void *memory, void **at);
    int (*execute)(const void *primitive, void *stream, int count, const OnednnArgument *arguments);
    int (*wait)(void *stream);
    int (*destroy_chosen)(void *), (*destroy_primitive)(void *), (*destroy_memory)(void *),
        (*destroy_description)(void *);
} onednn;

/* Fills it in; false with a sentence if oneDNN is not here. Not for several threads at once. */
bool onednn_functions_load(Error *error);

#endif
