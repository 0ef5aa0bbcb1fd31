/* Fuzz target: CSV text, raw or gzip-compressed. See fuzz.h.
 * SPDX-License-Identifier: MIT */
#include "data/bytes.h"
#include "data/csv_reader.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

/* What was accepted must be usable: finite numbers, labels within the classes, a name for each class or for none. */
static void
require_usable_csv(const Dataset *dataset)
{
    FUZZ_REQUIRE(dataset->count >= 1 && dataset->features >= 1 && dataset->classes >= 1);
    FUZZ_REQUIRE(dataset->features == (size_t)dataset->height * (size_t)dataset->width * (size_t)dataset->channels);
    for (size_t i = 0; i < dataset->count * dataset->features; i++)
        FUZZ_REQUIRE(isfinite(dataset->x[i]));
    for (size_t i = 0; i < dataset->count; i++)
        FUZZ_REQUIRE(dataset->labels[i] >= 0 && dataset->labels[i] < dataset->classes);
    for (int c = 0; dataset->class_names && c < dataset->classes; c++)
        FUZZ_REQUIRE(dataset->class_names[c] != NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Bytes bytes;
    Dataset dataset;
    Error error = {""};
    if (!bytes_unpack("fuzz.csv", data, size, FUZZ_LIMIT, &bytes, &error)) {
        FUZZ_REQUIRE(error.text[0] != '\0' && bytes.data == NULL);
        return 0;
    }
    if (csv_parse("fuzz.csv", bytes.data, bytes.size, &dataset, &error)) {
        require_usable_csv(&dataset);
        dataset_free(&dataset);
    } else {
        FUZZ_REQUIRE(error.text[0] != '\0' && dataset.x == NULL && dataset.class_names == NULL);
    }
    bytes_free(&bytes);
    return 0;
}
