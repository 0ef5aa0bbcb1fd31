/* Reads the header of a safetensors file (nn/safetensors.h).
 *
 * A file may come from anywhere, so nothing in it is believed before it is checked, and the checks end in one invariant:
 * the tensors, sorted by their first byte, are contiguous from 0 to the end of the data. No byte belongs to two tensors, none
 * to no tensor, and none is outside.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "nn/safetensors.h"
#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_BYTES = 8 };
static const size_t HEADER_MAX = 100000000; /* the limit of the format's own library */

/* How the sentences end: what to do. */
#define SAVE_AGAIN   "; the file is damaged, copy or save it again"
#define WAS_CUT      "; it was cut off or is damaged, copy or save it again"
#define NAME_ANOTHER "; this is no safetensors file, or it is damaged: name another, or copy it again"

/* JSON numbers arrive as doubles: integers are exact up to 2^53, far above any file. */
static bool
whole_number(const cJSON *item, size_t *number)
{
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || item->valuedouble > 9007199254740992.0 ||
        item->valuedouble != floor(item->valuedouble))
        return false;
    *number = (size_t)item->valuedouble;
    return true;
}

static bool
parse_type(const char *path, const cJSON *entry, Tensor *tensor, Error *error)
{
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(entry, "dtype");
    if (!cJSON_IsString(text))
        return error_set(error, "%s: tensor \"%.80s\" has no \"dtype\" text, expected \"F32\" or the like" SAVE_AGAIN,
                         path, tensor->name);
    for (int type = 0; type < TENSOR_TYPES; type++) {
        if (strcmp(text->valuestring, tensor_type_name((TensorType)type)) == 0) {
            tensor->type = (TensorType)type;
            return true;
        }
    }
    return error_set(error,
                     "%s: tensor \"%.80s\" has the unknown type \"%.20s\", expected F32, F64, I64 or the like; save it "
                     "again as one of these",
                     path, tensor->name, text->valuestring);
}

/* Sets shape and count; *bytes = count elements in bytes. */
static bool
parse_shape(const char *path, const cJSON *entry, Tensor *tensor, size_t *bytes, Error *error)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(entry, "shape"), *item;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > TENSOR_DIMENSIONS)
        return error_set(error,
                         "%s: tensor \"%.80s\" has no good \"shape\", expected a list of at most %d integers; "
                         "save it again with such a one",
                         path, tensor->name, TENSOR_DIMENSIONS);
    tensor->count = 1;
    cJSON_ArrayForEach(item, list)
    {
        size_t *extent = &tensor->shape[tensor->dimensions++];
        if (!whole_number(item, extent))
            return error_set(error,
                             "%s: the shape of tensor \"%.80s\" has an entry that is not an integer, expected 0 or "
                             "more" SAVE_AGAIN,
                             path, tensor->name);
        if (!size_multiply(tensor->count, *extent, &tensor->count))
            return error_set(error,
                             "%s: the shape of tensor \"%.80s\" has more elements than can be counted, expected less "
                             "than 2^64" SAVE_AGAIN,
                             path, tensor->name);
    }
    if (!size_multiply(tensor->count, tensor_type_size(tensor->type), bytes))
        return error_set(
            error,
            "%s: the shape of tensor \"%.80s\" has more bytes than can be counted, expected less than 2^64" SAVE_AGAIN,
            path, tensor->name);
    return true;
}

/* data_offsets must agree with the shape and be inside the data, which has `size` bytes. */
static bool
parse_offsets(const char *path, const cJSON *entry, Tensor *tensor, size_t bytes, const unsigned char *data,
              size_t size, Error *error)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(entry, "data_offsets");
    size_t begin, end;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != 2 || !whole_number(cJSON_GetArrayItem(list, 0), &begin) ||
        !whole_number(cJSON_GetArrayItem(list, 1), &end))
        return error_set(
            error, "%s: tensor \"%.80s\" has no good \"data_offsets\", expected a list of two integers" SAVE_AGAIN,
            path, tensor->name);
    if (begin > end || end - begin != bytes)
        return error_set(error,
                         "%s: tensor \"%.80s\" has data_offsets [%zu, %zu], expected %zu bytes between them for its "
                         "shape" SAVE_AGAIN,
                         path, tensor->name, begin, end, bytes);
    if (end > size)
        return error_set(
            error,
            "%s: tensor \"%.80s\" ends at byte %zu of the data, expected at most %zu, where the file ends" WAS_CUT,
            path, tensor->name, end, size);
    tensor->data = data + begin;
    return true;
}

static int
by_key(const void *a, const void *b)
{
    return strcmp(((const Metadata *)a)->key, ((const Metadata *)b)->key);
}

static bool
parse_metadata(const char *path, const cJSON *object, Safetensors *file, Error *error)
{
    const cJSON *item;
    if (file->metadata)
        return error_set(error, "%s: \"__metadata__\" stands twice in the header, expected once" SAVE_AGAIN, path);
    if (!cJSON_IsObject(object))
        return error_set(
            error, "%s: \"__metadata__\" is not an object of texts, expected {\"key\": \"text\", ..}" SAVE_AGAIN, path);
    file->metadata = ARRAY(Metadata, (size_t)cJSON_GetArraySize(object));
    cJSON_ArrayForEach(item, object)
    {
        if (!cJSON_IsString(item))
            return error_set(error, "%s: the metadata entry \"%.80s\" is not a text, expected one in quotes" SAVE_AGAIN,
                             path, item->string);
        file->metadata[file->metadata_count++] = (Metadata){item->string, item->valuestring};
    }
    qsort(file->metadata, file->metadata_count, sizeof(Metadata), by_key);
    for (size_t i = 1; i < file->metadata_count; i++)
        if (strcmp(file->metadata[i - 1].key, file->metadata[i].key) == 0)
            return error_set(error, "%s: the metadata entry \"%.80s\" stands twice, expected once" SAVE_AGAIN, path,
                             file->metadata[i].key);
    return true;
}

/* One entry of the header: a tensor, or the metadata. */
static bool
parse_entry(const char *path, const cJSON *entry, const unsigned char *data, size_t size, Safetensors *file,
            Error *error)
{
    if (strcmp(entry->string, "__metadata__") == 0)
        return parse_metadata(path, entry, file, error);
    Tensor *tensor = &file->tensors[file->tensor_count];
    size_t bytes;
    tensor->name = entry->string;
    if (!cJSON_IsObject(entry) || cJSON_GetArraySize(entry) != 3)
        return error_set(
            error,
            "%s: the header's entry \"%.80s\" is wrong, expected an object of dtype, shape and data_offsets" SAVE_AGAIN,
            path, tensor->name);
    if (!parse_type(path, entry, tensor, error) || !parse_shape(path, entry, tensor, &bytes, error) ||
        !parse_offsets(path, entry, tensor, bytes, data, size, error))
        return false;
    file->tensor_count++;
    return true;
}

static const unsigned char *
end_of(const Tensor *tensor)
{
    return (const unsigned char *)tensor->data + tensor->count * tensor_type_size(tensor->type);
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const Tensor *)a)->name, ((const Tensor *)b)->name);
}

/* By first byte; an empty tensor stands before the one that begins at the same byte. */
static int
by_place(const void *a, const void *b)
{
    const Tensor *left = a, *right = b;
    uintptr_t x[2] = {(uintptr_t)left->data, (uintptr_t)end_of(left)};
    uintptr_t y[2] = {(uintptr_t)right->data, (uintptr_t)end_of(right)};
    int first = (x[0] > y[0]) - (x[0] < y[0]), second = (x[1] > y[1]) - (x[1] < y[1]);
    return first ? first : second ? second : by_name(a, b);
}

/* Leaves the tensors in the order of their bytes. */
static bool
check_names_and_places(const char *path, Safetensors *file, const unsigned char *data, size_t size, Error *error)
{
    Tensor *tensors = file->tensors;
    qsort(tensors, file->tensor_count, sizeof(Tensor), by_name);
    for (size_t i = 1; i < file->tensor_count; i++)
        if (strcmp(tensors[i - 1].name, tensors[i].name) == 0)
            return error_set(error, "%s: tensor \"%.80s\" stands twice in the header, expected once" SAVE_AGAIN, path,
                             tensors[i].name);

    const unsigned char *end = data;
    qsort(tensors, file->tensor_count, sizeof(Tensor), by_place);
    for (size_t i = 0; i < file->tensor_count; i++) {
        const unsigned char *begin = tensors[i].data;
        if (begin != end)
            return error_set(error,
                             "%s: tensor \"%.80s\" begins at byte %zu of the data, expected %zu, where the one before "
                             "it ends" SAVE_AGAIN,
                             path, tensors[i].name, (size_t)(begin - data), (size_t)(end - data));
        end = end_of(&tensors[i]);
    }
    if (end != data + size)
        return error_set(error, "%s: the tensors need %zu bytes of data, expected %zu, which the file has" SAVE_AGAIN,
                         path, (size_t)(end - data), size);
    return true;
}

/* The JSON of `length` bytes: one object, behind it only spaces. */
static cJSON *
parse_header(const char *path, const char *text, size_t length, Error *error)
{
    const char *end = text;
    cJSON *header = length > 0 && text[0] == '{' ? cJSON_ParseWithLengthOpts(text, length, &end, false) : NULL;
    if (!header) {
        error_set(error, "%s: the header is not a JSON object (byte %zu of %zu), expected one in braces" NAME_ANOTHER,
                  path, (size_t)(end - text), length);
        return NULL;
    }
    while (end < text + length && *end == ' ')
        end++;
    if (end != text + length) {
        error_set(
            error,
            "%s: something other than spaces follows the JSON in the header, at byte %zu, expected its end" SAVE_AGAIN,
            path, (size_t)(end - text));
        cJSON_Delete(header);
        return NULL;
    }
    return header;
}

/* *length = bytes of the JSON, known to lie inside the file. */
static bool
header_length(const char *path, const unsigned char *bytes, size_t size, size_t *length, Error *error)
{
    uint64_t stated = 0;
    if (size < LENGTH_BYTES)
        return error_set(error, "%s: %zu bytes are too few for a safetensors file, expected at least 10" WAS_CUT, path,
                         size);
    memcpy(&stated, bytes, LENGTH_BYTES);
    if (stated > HEADER_MAX)
        return error_set(error, "%s: the file states a header of %llu bytes, expected at most %zu" NAME_ANOTHER, path,
                         (unsigned long long)stated, HEADER_MAX);
    if (stated > size - LENGTH_BYTES)
        return error_set(
            error, "%s: the file states a header of %llu bytes, expected at most %zu, where the file ends" WAS_CUT,
            path, (unsigned long long)stated, size - LENGTH_BYTES);
    *length = (size_t)stated;
    return true;
}

bool
safetensors_parse(const char *path, const void *bytes, size_t size, Safetensors *file, Error *error)
{
    *file = (Safetensors){0};
    size_t length = 0;
    if (!header_length(path, bytes, size, &length, error))
        return false;
    const unsigned char *data = (const unsigned char *)bytes + LENGTH_BYTES + length;
    size_t data_size = size - LENGTH_BYTES - length;
    file->header = parse_header(path, (const char *)bytes + LENGTH_BYTES, length, error);
    if (!file->header)
        return false;

    file->tensors = ARRAY(Tensor, (size_t)cJSON_GetArraySize(file->header));
    bool good = true;
    for (const cJSON *entry = file->header->child; good && entry; entry = entry->next)
        good = parse_entry(path, entry, data, data_size, file, error);
    good = good && check_names_and_places(path, file, data, data_size, error);
    if (!good)
        safetensors_free(file);
    return good;
}
