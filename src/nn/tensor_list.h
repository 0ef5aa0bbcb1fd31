/* A list of tensors to be written to a safetensors file or read from one: what is saved is what is restored. Parts of a network
 * are in PyTorch's order there (nn/torch_layout.h), so they pass through memory of the list.
 * SPDX-License-Identifier: MIT */
#ifndef NN_TENSOR_LIST_H
#define NN_TENSOR_LIST_H

#include "nn/net.h"
#include "nn/safetensors.h"

enum { TENSOR_NAME_SIZE = 128 };

/* Which tensors this process holds, by name; all, where holds is NULL. */
typedef struct TensorHolder {
    bool (*holds)(const void *context, const char *name);
    const void *context;
} TensorHolder;

typedef struct TensorList {
    TensorHolder holder; /* set it before tensors are added: data of those that are not held is NULL */
    Tensor *tensors;     /* [count] */
    char (*names)[TENSOR_NAME_SIZE];
    const Memory *memory;    /* of the networks */
    const Parameter **parts; /* NULL for a tensor that is no part of a network .. */
    float **ours;            /* .. else where its numbers are in our order, in that memory */
    float *theirs;           /* the same in PyTorch's */
    size_t count, used;      /* used: of theirs */
} TensorList;

/* Room for `count` tensors; those of networks have `floats` floats together. */
TensorList tensor_list_create(size_t tensors, size_t floats);
void tensor_list_free(TensorList *list);

/* A tensor of one dimension. data is written by tensor_list_read. */
void tensor_list_add(TensorList *list, const char *name, TensorType type, size_t count, void *data);

/* All parameters, or all running averages, of the whole network, under "<prefix><name>"; data is NULL of those whose layer this
 * process does not hold. array is laid out like net_parameters() (or
 * net_averages()): the weights themselves or an optimiser's state. */
void tensor_list_add_parameters(TensorList *list, const char *prefix, const Net *net, float *array);
void tensor_list_add_averages(TensorList *list, const Net *net, float *array);

/* Copies the file's tensors of those names that are held. Refuses a missing one, another type or shape, held or not. path is for
 * the sentence. */
bool tensor_list_read(const TensorList *list, const char *path, const Safetensors *file, Error *error);

#endif
