/* Fuzz target: IDX, raw or gzip-compressed, as an array, as samples and as labels. See fuzz.h.
 * SPDX-License-Identifier: MIT */
#include "data/idx_reader.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

static void
make_idx_dataset(const IdxArray *images, const IdxArray *labels)
{
    Dataset dataset;
    Error error = {""};
    IdxPart part = {*images, *labels};
    if (!idx_dataset(&part, 1, &dataset, &error)) {
        FUZZ_REQUIRE(error.text[0] != '\0' && dataset.x == NULL);
        return;
    }
    for (size_t i = 0; i < dataset.count * dataset.features; i++)
        FUZZ_REQUIRE(isfinite(dataset.x[i]));
    for (size_t i = 0; i < dataset.count; i++)
        FUZZ_REQUIRE(dataset.labels[i] >= 0 && dataset.labels[i] < dataset.classes);
    dataset_free(&dataset);
}

/* The array as samples, with labels that fit: all 0. */
static void
use_as_samples(const IdxArray *images)
{
    size_t count = images->shape[0], size = 8 + count;
    uint8_t *file = calloc(1, size);
    FUZZ_REQUIRE(file != NULL);
    memcpy(file,
           (const uint8_t[]){0, 0, IDX_UBYTE, 1, (uint8_t)(count >> 24), (uint8_t)(count >> 16), (uint8_t)(count >> 8),
                             (uint8_t)count},
           8);
    IdxArray labels;
    FUZZ_REQUIRE(idx_parse("labels", file, size, &labels, NULL));
    make_idx_dataset(images, &labels);
    free(file);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Bytes bytes;
    IdxArray array;
    Error error = {""};
    if (!bytes_unpack("fuzz.idx", data, size, FUZZ_LIMIT, &bytes, &error)) {
        FUZZ_REQUIRE(error.text[0] != '\0' && bytes.data == NULL);
        return 0;
    }
    if (idx_parse("fuzz.idx", bytes.data, bytes.size, &array, &error)) {
        double sum = 0;
        for (size_t i = 0; i < array.count; i++)
            sum += idx_value(&array, i);
        FUZZ_REQUIRE(array.count >= 1 && (array.type > IDX_INT || isfinite(sum)));
        use_as_samples(&array);
        make_idx_dataset(&array, &array);
    } else {
        FUZZ_REQUIRE(error.text[0] != '\0' && array.elements == NULL);
    }
    bytes_free(&bytes);
    return 0;
}
