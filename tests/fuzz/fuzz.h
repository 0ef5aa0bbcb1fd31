/* What the fuzz targets share. A target is tests/fuzz/fuzz_<name>.c: it defines LLVMFuzzerTestOneInput, which hands the
 * bytes to a reader and ends the program (FUZZ_REQUIRE) if the reader breaks its contract; the sanitizers see the rest.
 * Seeds lie in tests/fuzz/corpus/<name>/. `make fuzz` runs every target, `make test` runs the corpus through
 * test_corpus.c.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Payloads in fuzzing are small: a bomb must be refused, not held. */
#define FUZZ_LIMIT ((size_t)1 << 20)

#define FUZZ_REQUIRE(condition)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* libFuzzer's entry: returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
