/* Tensors and the file (nn/safetensors.h): reading, looking up, writing. What makes a header valid is checked in
 * safetensors_parse.c.
 * SPDX-License-Identifier: MIT */
#include "nn/safetensors.h"
#include "core/array.h"
#include "core/checked.h"
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "tensors are copied as they stand: a little-endian machine");

enum { HEADER_ALIGNMENT = 8 };

static const struct {
    const char *name;
    size_t size;
} types[TENSOR_TYPES] = {
    [TENSOR_F32] = {"F32", 4},   [TENSOR_F64] = {"F64", 8},   [TENSOR_I64] = {"I64", 8}, [TENSOR_U64] = {"U64", 8},
    [TENSOR_F16] = {"F16", 2},   [TENSOR_BF16] = {"BF16", 2}, [TENSOR_I32] = {"I32", 4}, [TENSOR_U32] = {"U32", 4},
    [TENSOR_I16] = {"I16", 2},   [TENSOR_U16] = {"U16", 2},   [TENSOR_I8] = {"I8", 1},   [TENSOR_U8] = {"U8", 1},
    [TENSOR_BOOL] = {"BOOL", 1},
};

size_t
tensor_type_size(TensorType type)
{
    return types[type].size;
}

const char *
tensor_type_name(TensorType type)
{
    return types[type].name;
}

size_t
tensor_bytes(const Tensor *tensor)
{
    size_t bytes = tensor_type_size(tensor->type);
    for (int d = 0; d < tensor->dimensions; d++)
        CHECK_THAT(size_multiply(bytes, tensor->shape[d], &bytes), "tensor %s is too large", tensor->name);
    return bytes;
}

/* *size = bytes of the open file, which must be an ordinary one: a folder or a pipe has no size. */
static bool
file_size(const char *path, FILE *stream, size_t *size, Error *error)
{
    struct stat status;
    if (fstat(fileno(stream), &status) != 0)
        return error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(error, "%s: is not a file, expected a safetensors file; name one", path);
    *size = (size_t)status.st_size;
    return true;
}

/* All of the file in one array; NULL with a sentence. */
static unsigned char *
read_bytes(const char *path, size_t *size, Error *error)
{
    if (!*path) {
        error_set(error, "the name of the file to read is empty; give one");
        return NULL;
    }
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        error_set(error, "%s: cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    unsigned char *bytes = file_size(path, stream, size, error) ? array_try_create(*size, 1, error) : NULL;
    if (bytes && fread(bytes, 1, *size, stream) != *size) {
        error_set(error, "%s: cannot be read: %s", path,
                  ferror(stream) ? strerror(errno) : "it became shorter; try again when it is complete");
        array_free(bytes);
        bytes = NULL;
    }
    fclose(stream);
    return bytes;
}

bool
safetensors_read(const char *path, Safetensors *file, Error *error)
{
    *file = (Safetensors){0};
    size_t size = 0;
    unsigned char *bytes = read_bytes(path, &size, error);
    if (!bytes)
        return false;
    if (!safetensors_parse(path, bytes, size, file, error)) {
        array_free(bytes);
        return false;
    }
    file->bytes = bytes;
    return true;
}

void
safetensors_free(Safetensors *file)
{
    array_free(file->tensors);
    array_free(file->metadata);
    array_free(file->bytes);
    cJSON_Delete(file->header);
    *file = (Safetensors){0};
}

const Tensor *
safetensors_find(const Safetensors *file, const char *name)
{
    for (size_t i = 0; i < file->tensor_count; i++)
        if (strcmp(file->tensors[i].name, name) == 0)
            return &file->tensors[i];
    return NULL;
}

const char *
safetensors_metadata(const Safetensors *file, const char *key)
{
    for (size_t i = 0; i < file->metadata_count; i++)
        if (strcmp(file->metadata[i].key, key) == 0)
            return file->metadata[i].value;
    return NULL;
}

bool
tensor_copy(const Tensor *tensor, TensorType type, void *to, size_t count, Error *error)
{
    if (tensor->type != type)
        return error_set(error, "tensor \"%.80s\" is of type %s, expected %s", tensor->name, types[tensor->type].name,
                         types[type].name);
    if (tensor->count != count)
        return error_set(error, "tensor \"%.80s\" has %zu elements, expected %zu", tensor->name, tensor->count, count);
    if (count > 0)
        memcpy(to, tensor->data, count * types[type].size);
    return true;
}

/* {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, begin + 24]}; *begin moves to the end. */
static cJSON *
describe_tensor(const Tensor *tensor, size_t *begin)
{
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "dtype", tensor_type_name(tensor->type));
    cJSON *shape = cJSON_AddArrayToObject(entry, "shape");
    for (int d = 0; d < tensor->dimensions; d++)
        cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)tensor->shape[d]));
    cJSON *offsets = cJSON_AddArrayToObject(entry, "data_offsets");
    cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)*begin));
    *begin += tensor_bytes(tensor);
    cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)*begin));
    return entry;
}

/* The header's JSON text, without the padding; the caller frees it with cJSON_free. */
static char *
create_header(const Tensor *tensors, size_t tensor_count, const Metadata *metadata, size_t metadata_count)
{
    cJSON *header = cJSON_CreateObject();
    if (metadata_count > 0) {
        cJSON *texts = cJSON_AddObjectToObject(header, "__metadata__");
        for (size_t i = 0; i < metadata_count; i++)
            cJSON_AddStringToObject(texts, metadata[i].key, metadata[i].value);
    }
    size_t end = 0;
    for (size_t i = 0; i < tensor_count; i++)
        cJSON_AddItemToObject(header, tensors[i].name, describe_tensor(&tensors[i], &end));
    char *text = cJSON_PrintUnformatted(header);
    CHECK_THAT(text != NULL, "no memory for the header of a safetensors file");
    cJSON_Delete(header);
    return text;
}

/* Tensors and metadata come from the program, so a wrong one is the program's mistake. */
static void
check_arguments(const Tensor *tensors, size_t tensor_count)
{
    for (size_t i = 0; i < tensor_count; i++) {
        CHECK_THAT(strcmp(tensors[i].name, "__metadata__") != 0, "a tensor cannot be called __metadata__");
        CHECK_THAT(tensors[i].dimensions >= 0 && tensors[i].dimensions <= TENSOR_DIMENSIONS,
                   "tensor %s has %d dimensions", tensors[i].name, tensors[i].dimensions);
        for (size_t j = 0; j < i; j++)
            CHECK_THAT(strcmp(tensors[i].name, tensors[j].name) != 0, "two tensors are called %s", tensors[i].name);
    }
}

static void
write_header(FILE *stream, const char *text)
{
    static const char spaces[HEADER_ALIGNMENT] = {' ', ' ', ' ', ' ', ' ', ' ', ' ', ' '};
    size_t length = strlen(text), padding = (HEADER_ALIGNMENT - length % HEADER_ALIGNMENT) % HEADER_ALIGNMENT;
    uint64_t stated = length + padding;
    fwrite(&stated, sizeof(stated), 1, stream);
    fwrite(text, 1, length, stream);
    fwrite(spaces, 1, padding, stream);
}

bool
safetensors_begin(AtomicFile *file, const char *path, const Tensor *tensors, size_t tensor_count,
                  const Metadata *metadata, size_t metadata_count, Error *error)
{
    check_arguments(tensors, tensor_count);
    if (!atomic_open(file, path, error))
        return false;
    char *header = create_header(tensors, tensor_count, metadata, metadata_count);
    write_header(file->stream, header);
    cJSON_free(header);
    return true;
}

void
safetensors_append(AtomicFile *file, const Tensor *tensor, const void *data)
{
    const size_t bytes = tensor_bytes(tensor);
    if (bytes > 0)
        fwrite(data, 1, bytes, file->stream);
}

bool
safetensors_write(const char *path, const Tensor *tensors, size_t tensor_count, const Metadata *metadata,
                  size_t metadata_count, Error *error)
{
    AtomicFile file;
    if (!safetensors_begin(&file, path, tensors, tensor_count, metadata, metadata_count, error))
        return false;
    for (size_t i = 0; i < tensor_count; i++)
        safetensors_append(&file, &tensors[i], tensors[i].data);
    return atomic_commit(&file, error); /* looks at ferror: a full disk is noticed there */
}
