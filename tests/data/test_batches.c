/* Mini-batches: every sample once an epoch, in an order that depends on the seed and the epoch alone.
 * SPDX-License-Identifier: MIT */
#include "data/batches.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

enum { FEATURES = 3 };

/* Sample i is (i, i + 1000, i + 2000), its label i. */
static Dataset
make_set(size_t count)
{
    Dataset dataset;
    ck_assert(dataset_create(&dataset, count, 1, 1, FEATURES, NULL));
    dataset.classes = (int)count;
    for (size_t i = 0; i < count; i++) {
        dataset.labels[i] = (int)i;
        for (size_t j = 0; j < FEATURES; j++)
            dataset.x[i * FEATURES + j] = (float)(i + 1000 * j);
    }
    return dataset;
}

static Batches
make_batches(const Dataset *dataset, size_t size, bool shuffle, bool drop_last, uint64_t seed)
{
    Batches batches;
    Error error = {""};
    size_t *samples = calloc(dataset->count, sizeof(size_t));
    for (size_t i = 0; i < dataset->count; i++)
        samples[i] = i;
    ck_assert_msg(batches_create(&batches, dataset, samples, dataset->count, size, shuffle, drop_last, seed, &error),
                  "%s", error.text);
    free(samples); /* they were copied */
    return batches;
}

/* Loads the whole epoch; writes the labels in their order and returns how many. */
static size_t
read_epoch(Batches *batches, int *labels)
{
    size_t done = 0;
    for (size_t i = 0; i < batches_per_epoch(batches); i++) {
        size_t rows = batches_load(batches, i);
        ck_assert_uint_ge(rows, 1);
        for (size_t row = 0; row < rows; row++) {
            labels[done++] = batches->labels[row];
            ck_assert_float_eq(batches->x[row * FEATURES], (float)batches->labels[row]);
            ck_assert_float_eq(batches->x[row * FEATURES + 2], (float)(batches->labels[row] + 2000));
        }
    }
    return done;
}

START_TEST(all_shapes_visit_every_sample_once)
{
    for (size_t count = 1; count <= 13; count++) {
        Dataset dataset = make_set(count);
        for (size_t size = 1; size <= count + 2; size++) {
            Batches batches = make_batches(&dataset, size, true, false, 3);
            ck_assert_uint_eq(batches_per_epoch(&batches), (count + size - 1) / size);
            int labels[16], seen[16] = {0};
            ck_assert_uint_eq(read_epoch(&batches, labels), count);
            for (size_t i = 0; i < count; i++)
                ck_assert_int_eq(seen[labels[i]]++, 0);
            batches_free(&batches);
        }
        dataset_free(&dataset);
    }
}
END_TEST

START_TEST(dropping_leaves_whole_batches)
{
    for (size_t count = 1; count <= 13; count++) {
        Dataset dataset = make_set(count);
        for (size_t size = 1; size <= count + 2; size++) {
            Batches batches = make_batches(&dataset, size, true, true, 3);
            ck_assert_uint_eq(batches_per_epoch(&batches), count / size);
            for (size_t i = 0; i < count / size; i++)
                ck_assert_uint_eq(batches_load(&batches, i), size);
            batches_free(&batches);
        }
        dataset_free(&dataset);
    }
}
END_TEST

START_TEST(last_batch_is_what_is_left)
{
    Dataset dataset = make_set(10);
    Batches batches = make_batches(&dataset, 4, false, false, 0);
    ck_assert_uint_eq(batches_load(&batches, 0), 4);
    ck_assert_uint_eq(batches_load(&batches, 2), 2);
    ck_assert_int_eq(batches.labels[0], 8);
    ck_assert_int_eq(batches.labels[1], 9);
    batches_free(&batches);
    dataset_free(&dataset);
}
END_TEST

START_TEST(batch_behind_the_last_is_empty)
{
    Dataset dataset = make_set(10);
    Batches batches = make_batches(&dataset, 4, false, true, 0);
    ck_assert_uint_eq(batches_load(&batches, 2), 0); /* dropped */
    ck_assert_uint_eq(batches_load(&batches, 1000000), 0);
    batches_free(&batches);
    dataset_free(&dataset);
}
END_TEST

START_TEST(without_shuffling_the_order_is_the_given_one)
{
    Dataset dataset = make_set(5);
    Batches batches;
    ck_assert(batches_create(&batches, &dataset, (size_t[]){4, 0, 2}, 3, 2, false, false, 1, NULL));
    for (uint64_t epoch = 0; epoch < 3; epoch++) {
        int labels[3];
        batches_start_epoch(&batches, epoch);
        ck_assert_uint_eq(read_epoch(&batches, labels), 3);
        ck_assert_int_eq(labels[0], 4);
        ck_assert_int_eq(labels[1], 0);
        ck_assert_int_eq(labels[2], 2);
    }
    batches_free(&batches);
    dataset_free(&dataset);
}
END_TEST

START_TEST(order_depends_on_seed_and_epoch_alone)
{
    /* Epoch 5 after epochs 0 .. 4 is epoch 5 at once, also with other batch sizes. */
    Dataset dataset = make_set(50);
    Batches a = make_batches(&dataset, 7, true, false, 11), b = make_batches(&dataset, 16, true, false, 11);
    int first[50], second[50];
    for (uint64_t epoch = 0; epoch <= 5; epoch++) {
        batches_start_epoch(&a, epoch);
        read_epoch(&a, first);
    }
    batches_start_epoch(&b, 5);
    read_epoch(&b, second);
    ck_assert_mem_eq(first, second, sizeof(first));
    batches_free(&a);
    batches_free(&b);
    dataset_free(&dataset);
}
END_TEST

START_TEST(epochs_and_seeds_differ)
{
    Dataset dataset = make_set(50);
    Batches a = make_batches(&dataset, 50, true, false, 11), b = make_batches(&dataset, 50, true, false, 12);
    int epoch_0[50], epoch_1[50], other_seed[50];
    read_epoch(&a, epoch_0);
    read_epoch(&b, other_seed);
    batches_start_epoch(&a, 1);
    read_epoch(&a, epoch_1);
    ck_assert_mem_ne(epoch_0, epoch_1, sizeof(epoch_0));
    ck_assert_mem_ne(epoch_0, other_seed, sizeof(epoch_0));
    batches_free(&a);
    batches_free(&b);
    dataset_free(&dataset);
}
END_TEST

START_TEST(create_starts_epoch_0)
{
    Dataset dataset = make_set(50);
    Batches batches = make_batches(&dataset, 9, true, false, 11);
    int before[50], after[50];
    read_epoch(&batches, before);
    batches_start_epoch(&batches, 0);
    read_epoch(&batches, after);
    ck_assert_mem_eq(before, after, sizeof(before));
    batches_free(&batches);
    dataset_free(&dataset);
}
END_TEST

START_TEST(no_samples_no_batches)
{
    Dataset dataset = make_set(2);
    Batches batches;
    ck_assert(batches_create(&batches, &dataset, NULL, 0, 4, true, false, 1, NULL));
    ck_assert_uint_eq(batches_per_epoch(&batches), 0);
    batches_start_epoch(&batches, 1);
    ck_assert_uint_eq(batches_load(&batches, 0), 0);
    batches_free(&batches);
    dataset_free(&dataset);
}
END_TEST

START_TEST(absurd_size_takes_no_absurd_memory)
{
    Dataset dataset = make_set(3);
    Batches batches = make_batches(&dataset, SIZE_MAX, true, false, 1);
    ck_assert_uint_eq(batches_per_epoch(&batches), 1);
    ck_assert_uint_eq(batches_load(&batches, 0), 3);
    batches_free(&batches);
    dataset_free(&dataset);
}
END_TEST

START_TEST(bad_input_is_refused)
{
    Dataset dataset = make_set(3);
    Batches batches;
    Error error;
    ck_assert(!batches_create(&batches, &dataset, (size_t[]){0}, 1, 0, true, false, 1, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "at least 1"));
    ck_assert(!batches_create(&batches, &dataset, (size_t[]){0, 3}, 2, 1, true, false, 1, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "sample 3 does not exist"));
    ck_assert_ptr_null(batches.x);
    ck_assert_uint_eq(batches_per_epoch(&batches), 0);
    dataset_free(&dataset);
}
END_TEST

TEST_MAIN("batches", all_shapes_visit_every_sample_once, dropping_leaves_whole_batches, last_batch_is_what_is_left,
          batch_behind_the_last_is_empty, without_shuffling_the_order_is_the_given_one,
          order_depends_on_seed_and_epoch_alone, epochs_and_seeds_differ, create_starts_epoch_0, no_samples_no_batches,
          absurd_size_takes_no_absurd_memory, bad_input_is_refused)
