/* A checksum of every tensor: see checksum.h. SPDX-License-Identifier: MIT */
#include "nn/checksum.h"
#include "core/array.h"
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define PREFIX "crc32."

enum { KEY_SIZE = 160, CRC_SIZE = 9 };

static void
write_crc(const Tensor *tensor, char text[CRC_SIZE])
{
    snprintf(text, CRC_SIZE, "%08lx", crc32_z(0, tensor->data, tensor_bytes(tensor)) & 0xffffffffUL);
}

bool
checksums_write(const char *path, const Tensor *tensors, size_t tensor_count, const Metadata *metadata,
                size_t metadata_count, Error *error)
{
    Metadata *all = ARRAY(Metadata, metadata_count + tensor_count);
    char(*keys)[KEY_SIZE] = array_create(tensor_count, KEY_SIZE);
    char(*crcs)[CRC_SIZE] = array_create(tensor_count, CRC_SIZE);
    for (size_t i = 0; i < metadata_count; i++)
        all[i] = metadata[i];
    for (size_t i = 0; i < tensor_count; i++) {
        snprintf(keys[i], KEY_SIZE, PREFIX "%s", tensors[i].name);
        write_crc(&tensors[i], crcs[i]);
        all[metadata_count + i] = (Metadata){keys[i], crcs[i]};
    }
    const bool good = safetensors_write(path, tensors, tensor_count, all, metadata_count + tensor_count, error);
    array_free(crcs);
    array_free(keys);
    array_free(all);
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
        write_crc(tensor, found);
        if (strcmp(found, stated) != 0)
            return error_set(error,
                             "%s: tensor \"%.80s\" has the checksum %s, expected %.20s; the file is damaged, go on "
                             "from an older one or a copy",
                             path, tensor->name, found, stated);
    }
    return true;
}
