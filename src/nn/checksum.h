/* A checksum of every tensor of a safetensors file, in its metadata: a bit that a disk or a cable has flipped makes another
 * network, which would train on without a word.
 *
 *     "crc32.layers.0.weight": "8f3a01bc"      CRC-32 (zlib's, of Ethernet and gzip) of the tensor's bytes
 *
 * CRC-32 finds every single flipped bit, every burst of up to 32, and all but one in 2^32 of other damages. It is no protection
 * against someone who changes a file on purpose. Files of others (PyTorch's) have no checksums, and are read as they are.
 * SPDX-License-Identifier: MIT */
#ifndef NN_CHECKSUM_H
#define NN_CHECKSUM_H

#include "nn/safetensors.h"

/* The metadata given, and behind it those of the tensors' checksums: what they are made of lives as long. */
typedef struct ChecksumMetadata {
    Metadata *all; /* [count] */
    size_t count;
    void *keys, *texts;
} ChecksumMetadata;

/* crc[tensor_count]: checksums_of, or its sum over processes that each hold other tensors. Free with checksums_free. */
ChecksumMetadata checksums_describe(const Tensor *tensors, size_t tensor_count, const double *crc,
                                    const Metadata *metadata, size_t metadata_count);
void checksums_free(ChecksumMetadata *metadata);

/* Of tensors whose data are here; 0 for the others. Integers below 2^32, as doubles to be added up exactly. */
void checksums_of(const Tensor *tensors, size_t tensor_count, double *crc);

/* As safetensors_write, with the checksums behind the metadata given. */
bool checksums_write(const char *path, const Tensor *tensors, size_t tensor_count, const Metadata *metadata,
                     size_t metadata_count, Error *error);

/* False, with a sentence that names the tensor, if one is not what its checksum says, or has none while others do. */
bool checksums_check(const char *path, const Safetensors *file, Error *error);

#endif
