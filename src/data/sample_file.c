/* Samples that stay in their files: see sample_file.h.
 * SPDX-License-Identifier: MIT */
#include "data/sample_file.h"

#include "core/array.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 20 };

struct SampleFile {
    IdxArray images[SAMPLE_FILE_PARTS];
    int parts;
    size_t features;
    uint8_t *chunk;        /* [chunk_samples] as they are in the file */
    size_t chunk_samples;  /* 1 MiB, but at least one */
    Normalizer normalizer; /* features 0: none */
};

SampleFile *
sample_file_create(IdxPart *parts, int count)
{
    SampleFile *file = ARRAY(SampleFile, 1);
    const IdxArray *first = &parts[0].images;
    file->parts = count;
    file->features = first->count / first->shape[0];
    size_t largest = 1; /* sample, in bytes: parts may have other types */
    for (int p = 0; p < count; p++) {
        file->images[p] = parts[p].images;
        parts[p].images = (IdxArray){0};
        const size_t bytes = file->features * idx_element_size(file->images[p].type);
        largest = bytes > largest ? bytes : largest;
    }
    file->chunk_samples = largest < CHUNK_BYTES ? CHUNK_BYTES / largest : 1;
    file->chunk = array_create(file->chunk_samples, largest);
    return file;
}

void
sample_file_free(SampleFile *file)
{
    if (!file)
        return;
    for (int p = 0; p < file->parts; p++)
        idx_free(&file->images[p]);
    normalizer_free(&file->normalizer);
    array_free(file->chunk);
    array_free(file);
}

void
sample_file_normalize(SampleFile *file, const Normalizer *normalizer)
{
    const size_t n = normalizer->features;
    normalizer_free(&file->normalizer);
    file->normalizer = (Normalizer){n, ARRAY(float, n), ARRAY(float, n)};
    memcpy(file->normalizer.mean, normalizer->mean, n * sizeof(float));
    memcpy(file->normalizer.scale, normalizer->scale, n * sizeof(float));
}

/* ---- reading ---- */

typedef struct Wanted {
    size_t sample, row;
} Wanted;

static int
in_file_order(const void *a, const void *b)
{
    const size_t x = ((const Wanted *)a)->sample, y = ((const Wanted *)b)->sample;
    return (x > y) - (x < y);
}

/* How many of wanted[0 .. count-1] stand side by side in this file and fit into the chunk. */
static size_t
neighbours(const SampleFile *file, const IdxArray *images, size_t first, const Wanted *wanted, size_t count)
{
    const size_t left = images->shape[0] - first;
    size_t most = count < file->chunk_samples ? count : file->chunk_samples, n = 1;
    most = left < most ? left : most;
    while (n < most && wanted[n].sample == wanted[0].sample + n)
        n++;
    return n;
}

/* One row, from its bytes in the file. */
static bool
convert(const SampleFile *file, const IdxArray *images, size_t sample, const uint8_t *bytes, float *x, Error *error)
{
    const size_t n = file->features;
    if (!idx_floats(images, bytes, sample * n, n, x, error))
        return false;
    if (file->normalizer.features == 0)
        return true;
    normalizer_apply_row(&file->normalizer, x);
    for (size_t f = 0; f < n; f++)
        if (!isfinite(x[f]))
            return error_set(error, "%s: element %zu is %g when it is normalized, expected a finite number",
                             images->name, sample * n + f, (double)x[f]);
    return true;
}

/* Reads the neighbours at wanted[0]; returns how many there were, 0 with a sentence. */
static size_t
read_run(const SampleFile *file, const Wanted *wanted, size_t count, float *x, Error *error)
{
    const IdxArray *images = file->images;
    size_t first = wanted[0].sample; /* in its part */
    for (; first >= images->shape[0]; images++)
        first -= images->shape[0];
    const size_t bytes = file->features * idx_element_size(images->type);
    const size_t run = neighbours(file, images, first, wanted, count);
    if (!idx_read_bytes(images, first * bytes, run * bytes, file->chunk, error))
        return 0;
    for (size_t i = 0; i < run; i++)
        if (!convert(file, images, first + i, file->chunk + i * bytes, x + wanted[i].row * file->features, error))
            return 0;
    return run;
}

bool
sample_file_read(SampleFile *file, const size_t *samples, size_t count, float *x, Error *error)
{
    Wanted *wanted = array_try_create(count, sizeof(*wanted), error);
    if (!wanted)
        return false;
    for (size_t row = 0; row < count; row++)
        wanted[row] = (Wanted){samples[row], row};
    qsort(wanted, count, sizeof(*wanted), in_file_order);
    size_t done = 0, run = 1;
    for (; done < count && run > 0; done += run)
        run = read_run(file, wanted + done, count - done, x, error);
    array_free(wanted);
    return run > 0;
}
