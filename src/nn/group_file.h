/* One safetensors file written by a process group, of which each rank holds some of the tensors.
 *
 *     rank 0    layers.0.weight  layers.0.bias                                        header, then tensor by tensor
 *     rank 1                                    layers.2.weight                 --->  the owner sends, rank 0 writes
 *     rank 2                                    layers.2.weight  layers.2.bias  --->  owner: the lowest rank that holds it
 *
 * Rank 0 has room for one tensor besides its own. The file is that of one process that holds all.
 * SPDX-License-Identifier: MIT */
#ifndef NN_GROUP_FILE_H
#define NN_GROUP_FILE_H

#include "nn/group.h"
#include "nn/safetensors.h"

/* Collective. With a checksum of each tensor (checksum.h). All ranks name all tensors, in the same order and with the same shapes;
 * data is NULL where this rank does not hold one. Metadata are those of rank 0. False on all ranks, with the same sentence, if the
 * file could not be written or no rank holds a tensor. group NULL: this process is alone. */
bool group_file_write(const ProcessGroup *group, const char *path, const Tensor *tensors, size_t tensor_count,
                      const Metadata *metadata, size_t metadata_count, Error *error);

#endif
