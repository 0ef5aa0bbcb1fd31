/* Fuzz target: safetensors. See fuzz.h.
 * SPDX-License-Identifier: MIT */
#include "nn/safetensors.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

/* What was accepted must be usable: the tensors cover the data from its first byte to its last, none twice, and each is
 * found by its name. Touching every byte lets AddressSanitizer detect bytes outside. */
static void
require_usable_safetensors(const Safetensors *file, const uint8_t *end)
{
    const uint8_t *at = file->tensor_count ? file->tensors[0].data : end;
    for (size_t i = 0; i < file->tensor_count; i++) {
        const Tensor *tensor = &file->tensors[i];
        size_t bytes = tensor->count * tensor_type_size(tensor->type);
        FUZZ_REQUIRE(tensor->data == at && bytes <= (size_t)(end - at));
        FUZZ_REQUIRE(safetensors_find(file, tensor->name) == tensor);
        uint8_t *copy = malloc(bytes + 1);
        FUZZ_REQUIRE(copy != NULL && tensor_copy(tensor, tensor->type, copy, tensor->count, NULL));
        FUZZ_REQUIRE(memcmp(copy, at, bytes) == 0);
        free(copy);
        at += bytes;
    }
    FUZZ_REQUIRE(at == end);
    for (size_t i = 0; i < file->metadata_count; i++)
        FUZZ_REQUIRE(safetensors_metadata(file, file->metadata[i].key) == file->metadata[i].value);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Safetensors file;
    Error error = {""};
    if (safetensors_parse("fuzz.safetensors", data, size, &file, &error))
        require_usable_safetensors(&file, data + size);
    else
        FUZZ_REQUIRE(error.text[0] != '\0' && file.tensors == NULL && file.header == NULL);
    safetensors_free(&file);
    return 0;
}
