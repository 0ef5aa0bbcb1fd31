/* Weights in files: see weights.h. SPDX-License-Identifier: MIT */
#include "nn/weights.h"
#include "nn/checksum.h"
#include "nn/tensor_list.h"

static TensorList
list_of(Net *net)
{
    const size_t tensors = (size_t)(net_whole_parameter_tensors(net) + net_whole_average_tensors(net));
    TensorList list = tensor_list_create(tensors, net_parameter_count(net) + net_average_count(net));
    tensor_list_add_parameters(&list, "", net, net_parameters(net));
    tensor_list_add_averages(&list, net, net_averages(net));
    return list;
}

bool
weights_save(Net *net, const char *path, Error *error)
{
    TensorList list = list_of(net);
    const bool good = checksums_write(path, list.tensors, list.count, NULL, 0, error);
    tensor_list_free(&list);
    return good;
}

bool
weights_load(Net *net, const char *path, Error *error)
{
    Safetensors file;
    if (!safetensors_read(path, &file, error))
        return false;
    TensorList list = list_of(net);
    const bool good = checksums_check(path, &file, error) && tensor_list_read(&list, path, &file, error);
    tensor_list_free(&list);
    safetensors_free(&file);
    return good;
}
