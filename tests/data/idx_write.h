/* IDX files for tests: samples and labels as they come from a seed. SPDX-License-Identifier: MIT */
#ifndef TESTS_DATA_IDX_WRITE_H
#define TESTS_DATA_IDX_WRITE_H

#include "core/array.h"
#include "core/rng.h"
#include "data/idx_reader.h"
#include "tests/testing.h"

enum { IDX_WRITE_CLASSES = 3 };

static inline uint8_t *
idx_put(uint8_t *to, uint64_t bits, size_t size)
{
    for (size_t b = 0; b < size; b++)
        to[b] = (uint8_t)(bits >> 8 * (size - 1 - b));
    return to + size;
}

/* A whole number, or a seventh of it where there are fractions. */
static inline uint64_t
idx_bits(IdxType type, int value)
{
    const float single = (float)value / 7;
    const double wide = value / 7.0;
    uint64_t bits = (uint64_t)(int64_t)value;
    uint32_t word;
    memcpy(&word, &single, sizeof(word));
    if (type == IDX_DOUBLE)
        memcpy(&bits, &wide, sizeof(bits));
    return type == IDX_FLOAT ? word : bits;
}

/* `count` samples of height x width. Those of class c have larger numbers in every third feature from c on: there is something to
 * learn. Returns the path. */
static inline const char *
idx_write_images(const char *name, IdxType type, int count, int height, int width, uint64_t seed)
{
    const size_t size = idx_element_size(type), features = (size_t)(height * width);
    const size_t bytes = 16 + (size_t)count * features * size;
    uint8_t *file = ARRAY(uint8_t, bytes), *to = file;
    Rng rng = rng_create(seed, 1);
    to = idx_put(to, (uint64_t)(type << 8 | 3), 4);
    to = idx_put(idx_put(idx_put(to, (uint64_t)count, 4), (uint64_t)height, 4), (uint64_t)width, 4);
    for (size_t i = 0; i < (size_t)count; i++)
        for (size_t f = 0; f < features; f++) {
            const int value = (int)rng_below(&rng, 50) + (f % IDX_WRITE_CLASSES == i % IDX_WRITE_CLASSES ? 70 : 0);
            to = idx_put(to, idx_bits(type, value), size);
        }
    const char *path = testing_write(name, file, bytes);
    array_free(file);
    return path;
}

static inline const char *
idx_write_labels(const char *name, int count)
{
    const size_t bytes = 8 + (size_t)count;
    uint8_t *file = ARRAY(uint8_t, bytes);
    idx_put(idx_put(file, 0x0801, 4), (uint64_t)count, 4);
    for (size_t i = 0; i < (size_t)count; i++)
        file[8 + i] = (uint8_t)(i % IDX_WRITE_CLASSES);
    const char *path = testing_write(name, file, bytes);
    array_free(file);
    return path;
}

/* "IMAGES,LABELS" of both. The text is static. */
static inline const char *
idx_write_pair(const char *name, IdxType type, int count, int height, int width)
{
    static char pair[2 * DATA_PATH_MAX];
    char labels[256];
    snprintf(labels, sizeof(labels), "%s-labels", name);
    const char *images = idx_write_images(name, type, count, height, width, 5);
    snprintf(pair, sizeof(pair), "%s,%s", images, idx_write_labels(labels, count));
    return pair;
}

#endif
