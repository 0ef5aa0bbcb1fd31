/* A list of tensors: see tensor_list.h. SPDX-License-Identifier: MIT */
#include "nn/tensor_list.h"
#include "core/array.h"
#include "nn/host_view.h"
#include "nn/torch_layout.h"
#include <stdio.h>
#include <string.h>

TensorList
tensor_list_create(size_t tensors, size_t floats)
{
    return (TensorList){.tensors = ARRAY(Tensor, tensors),
                        .names = array_create(tensors, TENSOR_NAME_SIZE),
                        .parts = array_create(tensors, sizeof(Parameter *)),
                        .ours = array_create(tensors, sizeof(float *)),
                        .theirs = ARRAY(float, floats)};
}

void
tensor_list_free(TensorList *list)
{
    array_free(list->tensors);
    array_free(list->names);
    array_free(list->parts);
    array_free(list->ours);
    array_free(list->theirs);
    *list = (TensorList){0};
}

/* data is NULL where the tensor is not held. */
static Tensor *
add(TensorList *list, const char *prefix, const char *name, TensorType type, size_t count, void *data)
{
    char *full = list->names[list->count];
    snprintf(full, TENSOR_NAME_SIZE, "%s%s", prefix, name);
    Tensor *tensor = &list->tensors[list->count++];
    const bool held = !list->holder.holds || list->holder.holds(list->holder.context, full);
    *tensor = (Tensor){
        .name = full, .type = type, .dimensions = 1, .shape = {count}, .count = count, .data = held ? data : NULL};
    return tensor;
}

void
tensor_list_add(TensorList *list, const char *name, TensorType type, size_t count, void *data)
{
    add(list, "", name, type, count, data);
}

static void
add_part(TensorList *list, const char *prefix, const Parameter *part, float *array)
{
    float *theirs = list->theirs + list->used;
    const size_t i = list->count;
    Tensor *tensor = add(list, prefix, part->name, TENSOR_F32, part->count, theirs);
    tensor->dimensions = part->dimensions;
    torch_shape(part, tensor->shape);
    if (!part->held)
        tensor->data = NULL;
    if (!tensor->data)
        return;
    float *ours = host_view_begin(list->memory, array + part->first, part->count);
    torch_from_ours(part, ours, theirs);
    host_view_end(list->memory, array + part->first, ours, part->count);
    list->parts[i] = part;
    list->ours[i] = array + part->first;
    list->used += part->count;
}

void
tensor_list_add_parameters(TensorList *list, const char *prefix, const Net *net, float *array)
{
    list->memory = net_backend(net)->memory;
    for (int i = 0; i < net_whole_parameter_tensors(net); i++)
        add_part(list, prefix, net_whole_parameter(net, i), array);
}

void
tensor_list_add_averages(TensorList *list, const Net *net, float *array)
{
    list->memory = net_backend(net)->memory;
    for (int i = 0; i < net_whole_average_tensors(net); i++)
        add_part(list, "", net_whole_average(net, i), array);
}

/* The file's tensor that corresponds to `wanted`. */
static const Tensor *
find_like(const char *path, const Safetensors *file, const Tensor *wanted, Error *error)
{
    const Tensor *found = safetensors_find(file, wanted->name);
    if (!found) {
        error_set(error, "%s: has no tensor \"%s\": it belongs to another network or optimiser", path, wanted->name);
        return NULL;
    }
    bool same = found->type == wanted->type && found->dimensions == wanted->dimensions;
    for (int d = 0; same && d < wanted->dimensions; d++)
        same = found->shape[d] == wanted->shape[d];
    if (!same) {
        error_set(error,
                  "%s: tensor \"%s\" has another shape or type (%zu elements of %s, expected %zu of %s): it belongs "
                  "to another network",
                  path, wanted->name, found->count, tensor_type_name(found->type), wanted->count,
                  tensor_type_name(wanted->type));
        return NULL;
    }
    return found;
}

bool
tensor_list_read(const TensorList *list, const char *path, const Safetensors *file, Error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        const Tensor *wanted = &list->tensors[i], *found = find_like(path, file, wanted, error);
        if (!found)
            return false;
        if (!wanted->data)
            continue;
        if (!tensor_copy(found, wanted->type, (void *)wanted->data, wanted->count, error))
            return false;
        if (!list->parts[i])
            continue;
        float *ours = host_view_begin(list->memory, list->ours[i], wanted->count);
        torch_to_ours(list->parts[i], wanted->data, ours);
        host_view_end(list->memory, list->ours[i], ours, wanted->count);
    }
    return true;
}
