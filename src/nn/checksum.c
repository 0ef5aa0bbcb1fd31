/* A checksum of every tensor: see checksum.h. SPDX-License-Identifier: MIT */
#include "nn/checksum.h"
#include "core/array.h"
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define PREFIX "crc32."

enum { KEY_SIZE = 160, CRC_SIZE = 9 };

static double
crc_of(const Tensor *tensor)
{
    return (double)(crc32_z(0, tensor->data, tensor_bytes(tensor)) & 0xffffffffUL);
}

static void
write_crc(double crc, char text[CRC_SIZE])
{
    snprintf(text, CRC_SIZE, "%08lx", (unsigned long)crc & 0xffffffffUL);
}

void
checksums_of(const Tensor *tensors, size_t tensor_count, double *crc)
{
    for (size_t i = 0; i < tensor_count; i++)
        crc[i] = tensors[i].data ? crc_of(&tensors[i]) : 0;
}

ChecksumMetadata
checksums_describe(const Tensor *tensors, size_t tensor_count, const double *crc, const Metadata *metadata,
                   size_t metadata_count)
{
    char(*keys)[KEY_SIZE] = array_create(tensor_count, KEY_SIZE);
    char(*texts)[CRC_SIZE] = array_create(tensor_count, CRC_SIZE);
    Metadata *all = ARRAY(Metadata, metadata_count + tensor_count);
    for (size_t i = 0; i < metadata_count; i++)
        all[i] = metadata[i];
    for (size_t i = 0; i < tensor_count; i++) {
        snprintf(keys[i], KEY_SIZE, PREFIX "%s", tensors[i].name);
        write_crc(crc[i], texts[i]);
        all[metadata_count + i] = (Metadata){keys[i], texts[i]};
    }
    return (ChecksumMetadata){all, metadata_count + tensor_count, keys, texts};
}

void
checksums_free(ChecksumMetadata *metadata)
{
    array_free(metadata->all);
    array_free(metadata->keys);
    array_free(metadata->texts);
}

bool
checksums_write(const char *path, const Tensor *tensors, size_t tensor_count, const Metadata *metadata,
                size_t metadata_count, Error *error)
{
    double *crc = ARRAY(double, tensor_count);
    checksums_of(tensors, tensor_count, crc);
    ChecksumMetadata all = checksums_describe(tensors, tensor_count, crc, metadata, metadata_count);
    const bool good = safetensors_write(path, tensors, tensor_count, all.all, all.count, error);
    checksums_free(&all);
    array_free(crc);
    return good;
}

static bool
has_checksums(const Safetensors *file)
{
    for (size_t i = 0; i < file->metadata_count; i++)
        if (strncmp(file->metadata[i].key, PREFIX, strlen(PREFIX)) == 0)
            return true;
    return false;
}

bool
checksums_check(const char *path, const Safetensors *file, Error *error)
{
    for (size_t i = 0; has_checksums(file) && i < file->tensor_count; i++) {
        const Tensor *tensor = &file->tensors[i];
        char key[KEY_SIZE], found[CRC_SIZE];
        snprintf(key, KEY_SIZE, PREFIX "%s", tensor->name);
        const char *stated = safetensors_metadata(file, key);
        if (stated == NULL)
            return error_set(error,
                             "%s: tensor \"%.80s\" has no checksum, but others have; the file is damaged, go on from "
                             "an older one or a copy",
                             path, tensor->name);
        write_crc(crc_of(tensor), found);
        if (strcmp(found, stated) != 0)
            return error_set(error,
                             "%s: tensor \"%.80s\" has the checksum %s, expected %.20s; the file is damaged, go on "
                             "from an older one or a copy",
                             path, tensor->name, found, stated);
    }
    return true;
}
