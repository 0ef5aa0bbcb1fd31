/* IDX files in memory, for tests. SPDX-License-Identifier: MIT */
#ifndef TESTS_DATA_IDX_SAMPLE_H
#define TESTS_DATA_IDX_SAMPLE_H

#include "data/idx_reader.h"
#include <stdlib.h>
#include <string.h>

/* An array whose bytes are a copy of exactly `size`, so that AddressSanitizer sees a byte read too many. */
static inline bool
parse(const void *file, size_t size, IdxArray *array, Error *error)
{
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, file, size);
    if (!idx_parse("sample.idx", copy, size, array, error)) {
        free(copy);
        return false;
    }
    array->bytes = (Bytes){copy, size}; /* idx_free frees it */
    return true;
}

#endif
