/* Samples that stay in their files: the bits of the data set in memory, in every order and of every type; files that are no good.
 * SPDX-License-Identifier: MIT */
#include "data/batches.h"
#include "tests/data/idx_write.h"

#include <sys/stat.h>
#include <unistd.h>

static Dataset
open_or_fail(const char *name, bool streamed)
{
    Dataset dataset;
    const bool good = streamed ? dataset_open_streamed(name, &dataset, &error) : dataset_open(name, &dataset, &error);
    ck_assert_ok(good);
    ck_assert((dataset.x == NULL) == streamed && (dataset.file != NULL) == streamed);
    return dataset;
}

/* Two epochs in batches of `size`, each in two parts: the same order, labels and bits. */
static void
expect_same_batches(const Dataset *memory, const Dataset *stream, size_t size)
{
    const BatchOptions options = {size, true, false, 7};
    Source *a = batches_create(memory, NULL, memory->count, options, &error);
    Source *b = batches_create(stream, NULL, stream->count, options, &error);
    ck_assert_ok(a && b);
    ck_assert_str_eq(a->name, b->name);
    ck_assert_uint_eq(a->steps, b->steps);
    for (uint64_t i = 0; i < 2 * a->steps; i++) {
        const uint64_t step = i % a->steps;
        const size_t rows = source_rows(a, step), parts[] = {0, rows / 3, rows};
        for (int p = 0; p < 2; p++) {
            const size_t first = parts[p], count = parts[p + 1] - first;
            ck_assert(source_load(a, i / a->steps, step, first, count, &error));
            ck_assert_ok(source_load(b, i / a->steps, step, first, count, &error));
            ck_assert_mem_eq(a->labels, b->labels, count * sizeof(int));
            ck_assert_mem_eq(a->x, b->x, count * a->features * sizeof(float));
        }
    }
    source_free(a);
    source_free(b);
}

TEST(all_types_and_batches_have_the_bits_of_memory)
{
    const IdxType types[] = {IDX_UBYTE, IDX_BYTE, IDX_SHORT, IDX_INT, IDX_FLOAT, IDX_DOUBLE};
    for (size_t t = 0; t < COUNT(types); t++) {
        const char *pair = idx_write_pair("types", types[t], 61, 3, 5);
        Dataset memory = open_or_fail(pair, false), stream = open_or_fail(pair, true);
        ck_assert(memory.x[0] != memory.x[1] || memory.x[1] != memory.x[2]);
        ck_assert_int_eq(stream.classes, memory.classes);
        ck_assert_int_eq(stream.height, 3);
        for (size_t size = 1; size <= 62; size += 1 + size / 4)
            expect_same_batches(&memory, &stream, size);
        dataset_free(&memory);
        dataset_free(&stream);
    }
}

TEST(normalizers_fit_and_apply_to_the_same_bits)
{
    for (int kind = NORMALIZE_NONE; kind <= NORMALIZE_RANGE; kind++) {
        const char *pair = idx_write_pair("normal", IDX_SHORT, 53, 4, 4);
        Dataset set[2] = {open_or_fail(pair, false), open_or_fail(pair, true)};
        Normalizer normalizer[2];
        const size_t train[] = {3, 50, 51, 52, 9, 0, 1, 2, 30};
        for (int i = 0; i < 2; i++) {
            ck_assert(normalizer_fit(&set[i], train, 9, (NormalizerKind)kind, &normalizer[i], NULL));
            normalizer_apply(&normalizer[i], &set[i]);
        }
        ck_assert_mem_eq(normalizer[0].mean, normalizer[1].mean, 16 * sizeof(float));
        ck_assert_mem_eq(normalizer[0].scale, normalizer[1].scale, 16 * sizeof(float));
        expect_same_batches(&set[0], &set[1], 8);
        for (int i = 0; i < 2; i++) {
            normalizer_free(&normalizer[i]);
            dataset_free(&set[i]);
        }
    }
}

TEST(neighbours_fill_more_than_one_chunk)
{
    const char *pair = idx_write_pair("chunks", IDX_INT, 9, 300, 250); /* 300 kB each: 3 fit into the chunk of 1 MiB */
    Dataset memory = open_or_fail(pair, false), stream = open_or_fail(pair, true);
    Source *a = batches_create(&memory, NULL, 9, (BatchOptions){.size = 8}, NULL);
    Source *b = batches_create(&stream, NULL, 9, (BatchOptions){.size = 8}, NULL);
    for (uint64_t step = 0; step < 2; step++) {
        const size_t rows = source_rows(a, step);
        ck_assert(source_load(a, 0, step, 0, rows, NULL) && source_load(b, 0, step, 0, rows, NULL));
        ck_assert_mem_eq(a->x, b->x, rows * a->features * sizeof(float));
    }
    source_free(a);
    source_free(b);
    dataset_free(&memory);
    dataset_free(&stream);
}

/* Training and test part stand in files of their own, maybe of other types. */
TEST(parts_of_mnist_are_joined)
{
    ck_assert_int_eq(setenv("RUNGS_DATA", testing_path("data"), 1), 0);
    ck_assert_int_eq(mkdir(testing_path("data"), 0700) | mkdir(testing_path("data/mnist"), 0700), 0);
    idx_write_images("data/mnist/train-images-idx3-ubyte", IDX_UBYTE, 20, 2, 3, 1);
    idx_write_labels("data/mnist/train-labels-idx1-ubyte", 20);
    idx_write_images("data/mnist/t10k-images-idx3-ubyte", IDX_SHORT, 7, 2, 3, 2);
    idx_write_labels("data/mnist/t10k-labels-idx1-ubyte", 7);
    Dataset memory = open_or_fail("mnist", false), stream = open_or_fail("mnist", true);
    ck_assert_uint_eq(stream.train_count, 20);
    ck_assert_int_eq(stream.classes, 10);
    for (size_t size = 1; size <= 27; size += 5)
        expect_same_batches(&memory, &stream, size);
    dataset_free(&memory);
    dataset_free(&stream);
}

/* ---- files that are no good ---- */

static void
refused(const char *name, const char *words)
{
    Dataset dataset;
    ck_assert_refused(dataset_open_streamed(name, &dataset, &error), words);
    ck_assert_ptr_null(dataset.labels);
}

static void
images_refused(const char *images, const char *words)
{
    char pair[2 * DATA_PATH_MAX];
    snprintf(pair, sizeof(pair), "%s,%s", images, idx_write_labels("labels", 4));
    refused(pair, words);
}

TEST(what_cannot_be_streamed_is_refused)
{
    const uint8_t gzip[32] = {0x1f, 0x8b, 8};
    refused("digits", "digits: cannot be read sample by sample: --stream takes mnist, fashion or two IDX files");
    refused("cifar10", "cannot be read sample by sample");
    refused("a.csv", "cannot be read sample by sample");
    images_refused(testing_write("images.gz", gzip, sizeof(gzip)), "is compressed");
    images_refused(testing_path("nowhere"), "nowhere: cannot be opened: No such file");
    ck_assert_int_eq(mkdir(testing_path("folder"), 0700), 0);
    images_refused(testing_path("folder"), "cannot be read: Is a directory");
    images_refused("/dev/zero", "is not a file");
    images_refused(testing_write("short", "\0\0\10", 3), "at least 8 bytes, this one has 3");
    images_refused(testing_write("empty", "", 0), "this one has 0");
    images_refused(testing_write("other", "not an IDX file", 15), "is this another kind of file?");
    const char *images = idx_write_images("cut", IDX_UBYTE, 4, 2, 2, 1);
    ck_assert_int_eq(truncate(images, 31), 0);
    images_refused(images, "ask for 16 bytes of data, but 15 are there; the file is cut off");
    images_refused(idx_write_images("more", IDX_UBYTE, 5, 2, 2, 1), "has 5 samples, but");
}

/* The sentence of the first load that fails; of batches of 4. */
static void
expect_load_fails(const Dataset *dataset, uint64_t first_bad, const char *words)
{
    Source *source = batches_create(dataset, NULL, dataset->count, (BatchOptions){.size = 4}, &error);
    error.text[0] = '\0';
    for (uint64_t step = 0; step < source->steps; step++) {
        const bool good = source_load(source, 0, step, 0, source_rows(source, step), &error);
        ck_assert_msg(good == (step < first_bad), "step %d: %s", (int)step, error.text);
    }
    ck_assert_msg(strstr(error.text, words) != NULL, "\"%s\" is not in: %s", words, error.text);
    source_free(source);
}

TEST(a_file_that_becomes_shorter_is_noticed)
{
    const char *pair = idx_write_pair("shrinks", IDX_UBYTE, 20, 2, 2);
    Dataset dataset = open_or_fail(pair, true);
    ck_assert_int_eq(truncate(testing_path("shrinks"), 16 + 4 * 13 + 3), 0); /* sample 13 has lost a byte */
    expect_load_fails(&dataset, 3, "shrinks: cannot be read: it has become shorter since it was opened");
    dataset_free(&dataset);
}

TEST(values_that_are_not_finite_are_refused_when_they_are_loaded)
{
    char pair[2 * DATA_PATH_MAX];
    snprintf(pair, sizeof(pair), "%s", idx_write_pair("nan", IDX_FLOAT, 20, 2, 2));
    FILE *file = fopen(testing_path("nan"), "r+b");
    ck_assert(file && fseek(file, 16 + 4 * (4 * 17 + 2), SEEK_SET) == 0 && fwrite("\x7f\xc0\0", 1, 4, file) == 4);
    fclose(file);
    Dataset dataset = open_or_fail(pair, true);
    expect_load_fails(&dataset, 4, "nan: element 70 is nan, expected a finite number");
    Normalizer normalizer;
    ck_assert_refused(normalizer_fit(&dataset, (size_t[]){1, 17}, 2, NORMALIZE_STANDARD, &normalizer, &error),
                      "element 70 is nan");
    ck_assert_ptr_null(normalizer.mean);

    float mean[4] = {0}, scale[4] = {1, 1, 1e38f, 1};
    normalizer_apply(&(Normalizer){4, mean, scale}, &dataset);
    expect_load_fails(&dataset, 0, "is inf when it is normalized, expected a finite number");
    dataset_free(&dataset);
}

TEST_MAIN("stream")
