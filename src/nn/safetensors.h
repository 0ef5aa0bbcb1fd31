/* Reads and writes safetensors, the weight format that PyTorch, Hugging Face and others share
 * (github.com/huggingface/safetensors). A file is
 *
 *     8 bytes          n, little-endian
 *     n bytes          JSON:  {"__metadata__": {"key": "text", ..},
 *                              "layers.0.weight": {"dtype": "F32", "shape": [64, 3], "data_offsets": [0, 768]}, ..}
 *     all the rest     the tensors' bytes, row-major, little-endian; the offsets count from the end of the JSON
 *
 * Unlike a pickle it holds no code, so that a stranger's file can be opened. This is not a checkpoint: checkpoint.h says
 * which tensors one holds.
 * SPDX-License-Identifier: MIT */
#ifndef NN_SAFETENSORS_H
#define NN_SAFETENSORS_H

#include "core/atomic_file.h"
#include <stddef.h>

/* F32, F64, I64 and U64 are what this project writes. The others are recognised, so that a file that also holds them can
 * be opened. */
typedef enum TensorType {
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_I64,
    TENSOR_U64,
    TENSOR_F16,
    TENSOR_BF16,
    TENSOR_I32,
    TENSOR_U32,
    TENSOR_I16,
    TENSOR_U16,
    TENSOR_I8,
    TENSOR_U8,
    TENSOR_BOOL,
    TENSOR_TYPES
} TensorType;

enum { TENSOR_DIMENSIONS = 8 };

typedef struct Tensor {
    const char *name;
    TensorType type;
    int dimensions; /* 0: a single number */
    size_t shape[TENSOR_DIMENSIONS];
    size_t count;     /* elements: the product of the shape */
    const void *data; /* read: inside the file's bytes, at any alignment, so use tensor_copy */
} Tensor;

typedef struct Metadata {
    const char *key, *value;
} Metadata;

/* What a file holds. Everything in it lives until safetensors_free. */
typedef struct Safetensors {
    Tensor *tensors; /* in the order of their bytes */
    size_t tensor_count;
    Metadata *metadata; /* sorted by key */
    size_t metadata_count;
    struct cJSON *header; /* owns the names and texts above */
    unsigned char *bytes; /* owned after safetensors_read, NULL after safetensors_parse */
} Safetensors;

/* Bytes of one element. */
size_t tensor_type_size(TensorType type);

/* "F32" .. as the format writes it. */
const char *tensor_type_name(TensorType type);

/* Bytes of all elements, from type and shape. Ends the program if they cannot be counted, which a file's tensors always can. */
size_t tensor_bytes(const Tensor *tensor);

/* Opens a file that stands in memory; bytes must outlive *file. `path` is only for the sentence. Refuses whatever does
 * not follow the format: a cut file, overlapping or missing bytes, a shape that does not fit its bytes, two tensors of
 * one name. On failure *file is empty. */
bool safetensors_parse(const char *path, const void *bytes, size_t size, Safetensors *file, Error *error);

/* The same for a file on the disk, read completely. */
bool safetensors_read(const char *path, Safetensors *file, Error *error);

/* An empty *file is allowed; it is empty afterwards. */
void safetensors_free(Safetensors *file);

/* NULL if there is none of that name. */
const Tensor *safetensors_find(const Safetensors *file, const char *name);
const char *safetensors_metadata(const Safetensors *file, const char *key);

/* Copies all elements to `to`, which has room for `count` of `type`; refuses a tensor of another type or count. */
bool tensor_copy(const Tensor *tensor, TensorType type, void *to, size_t count, Error *error);

/* Writes the complete file or nothing (core/atomic_file.h). Every tensor needs a name of its own, type, shape and data;
 * `count` is worked out from the shape. The bytes follow from the arguments alone. The data begin at a multiple of 8
 * bytes; a caller who gives the types of 8 bytes before those of 4 keeps each tensor at a multiple of its size. */
bool safetensors_write(const char *path, const Tensor *tensors, size_t tensor_count, const Metadata *metadata,
                       size_t metadata_count, Error *error);

/* The same in steps, for data that are not all here: opens the file and writes its header; then append the data of each tensor,
 * in that order; then atomic_commit, which notices if something could not be written. */
bool safetensors_begin(AtomicFile *file, const char *path, const Tensor *tensors, size_t tensor_count,
                       const Metadata *metadata, size_t metadata_count, Error *error);
void safetensors_append(AtomicFile *file, const Tensor *tensor, const void *data);

#endif
