/* Mini-batches: every sample once an epoch, in an order that depends on the seed and the epoch alone.
 * SPDX-License-Identifier: MIT */
#include "data/batches.h"
#include "tests/testing.h"

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

static Source *
make_batches(const Dataset *dataset, size_t size, bool shuffle, bool drop_last, uint64_t seed)
{
    Source *source =
        batches_create(dataset, NULL, dataset->count, (BatchOptions){size, shuffle, drop_last, seed}, &error);
    ck_assert_ok(source);
    return source;
}

/* Loads a whole batch; returns its rows. */
static size_t
load(Source *source, uint64_t epoch, uint64_t step)
{
    const size_t rows = source_rows(source, step);
    ck_assert_ok(source_load(source, epoch, step, 0, rows, &error));
    return rows;
}

/* Loads the whole epoch; writes the labels in their order and returns how many. */
static size_t
read_epoch(Source *source, uint64_t epoch, int *labels)
{
    size_t done = 0;
    for (uint64_t i = 0; i < source->steps; i++) {
        size_t rows = load(source, epoch, i);
        ck_assert_uint_ge(rows, 1);
        for (size_t row = 0; row < rows; row++) {
            labels[done++] = source->labels[row];
            ck_assert_float_eq(source->x[row * FEATURES], (float)source->labels[row]);
            ck_assert_float_eq(source->x[row * FEATURES + 2], (float)(source->labels[row] + 2000));
        }
    }
    return done;
}

TEST(all_shapes_visit_every_sample_once)
{
    for (size_t count = 1; count <= 13; count++) {
        Dataset dataset = make_set(count);
        for (size_t size = 1; size <= count + 2; size++) {
            Source *batches = make_batches(&dataset, size, true, false, 3);
            ck_assert_uint_eq(batches->steps, (count + size - 1) / size);
            int labels[16], seen[16] = {0};
            ck_assert_uint_eq(read_epoch(batches, 0, labels), count);
            for (size_t i = 0; i < count; i++)
                ck_assert_int_eq(seen[labels[i]]++, 0);
            source_free(batches);
        }
        dataset_free(&dataset);
    }
}

TEST(dropping_leaves_whole_batches)
{
    for (size_t count = 1; count <= 13; count++) {
        Dataset dataset = make_set(count);
        for (size_t size = 1; size <= count + 2; size++) {
            Source *batches = make_batches(&dataset, size, true, true, 3);
            ck_assert_uint_eq(batches->steps, count / size);
            for (size_t i = 0; i < count / size; i++)
                ck_assert_uint_eq(load(batches, 0, i), size);
            source_free(batches);
        }
        dataset_free(&dataset);
    }
}

TEST(last_batch_is_what_is_left)
{
    Dataset dataset = make_set(10);
    Source *batches = make_batches(&dataset, 4, false, false, 0);
    ck_assert_uint_eq(load(batches, 0, 0), 4);
    ck_assert_uint_eq(load(batches, 0, 2), 2);
    ck_assert_int_eq(batches->labels[0], 8);
    ck_assert_int_eq(batches->labels[1], 9);
    source_free(batches);
    dataset_free(&dataset);
}

TEST(batch_behind_the_last_is_empty)
{
    Dataset dataset = make_set(10);
    Source *batches = make_batches(&dataset, 4, false, true, 0);
    ck_assert_uint_eq(load(batches, 0, 2), 0); /* dropped */
    ck_assert_uint_eq(load(batches, 0, 1000000), 0);
    source_free(batches);
    dataset_free(&dataset);
}

TEST(without_shuffling_the_order_is_the_given_one)
{
    Dataset dataset = make_set(5);
    Source *batches = batches_create(&dataset, (size_t[]){4, 0, 2}, 3, (BatchOptions){.size = 2}, NULL);
    for (uint64_t epoch = 0; epoch < 3; epoch++) {
        int labels[3];
        ck_assert_uint_eq(read_epoch(batches, epoch, labels), 3);
        ck_assert_int_eq(labels[0], 4);
        ck_assert_int_eq(labels[1], 0);
        ck_assert_int_eq(labels[2], 2);
    }
    source_free(batches);
    dataset_free(&dataset);
}

TEST(order_depends_on_seed_and_epoch_alone)
{
    /* Epoch 5 after epochs 0 .. 4 is epoch 5 at once, also with other batch sizes. */
    Dataset dataset = make_set(50);
    Source *a = make_batches(&dataset, 7, true, false, 11), *b = make_batches(&dataset, 16, true, false, 11);
    int first[50], second[50];
    for (uint64_t epoch = 0; epoch <= 5; epoch++)
        read_epoch(a, epoch, first);
    read_epoch(b, 5, second);
    ck_assert_mem_eq(first, second, sizeof(first));
    source_free(a);
    source_free(b);
    dataset_free(&dataset);
}

TEST(epochs_and_seeds_differ)
{
    Dataset dataset = make_set(50);
    Source *a = make_batches(&dataset, 50, true, false, 11), *b = make_batches(&dataset, 50, true, false, 12);
    int epoch_0[50], epoch_1[50], other_seed[50];
    read_epoch(a, 0, epoch_0);
    read_epoch(b, 0, other_seed);
    read_epoch(a, 1, epoch_1);
    ck_assert_mem_ne(epoch_0, epoch_1, sizeof(epoch_0));
    ck_assert_mem_ne(epoch_0, other_seed, sizeof(epoch_0));
    source_free(a);
    source_free(b);
    dataset_free(&dataset);
}

/* What ranks load of a batch, one behind the other, is the batch; in any order of epochs and steps. */
TEST(parts_of_a_batch_make_the_batch)
{
    Dataset dataset = make_set(50);
    Source *parts = make_batches(&dataset, 17, true, false, 11);
    const uint64_t places[][2] = {{3, 2}, {0, 0}, {3, 1}, {2, 2}};
    for (size_t i = 0; i < 4; i++) {
        Source *fresh = make_batches(&dataset, 17, true, false, 11);
        const size_t rows = load(fresh, places[i][0], places[i][1]);
        for (size_t first = 0, count = 0; first < rows; first += count, count++) { /* 0, 1, 2, .. rows */
            count = count < rows - first ? count : rows - first;
            ck_assert(source_load(parts, places[i][0], places[i][1], first, count, NULL));
            ck_assert_mem_eq(parts->labels, fresh->labels + first, count * sizeof(int));
            ck_assert_mem_eq(parts->x, fresh->x + first * FEATURES, count * FEATURES * sizeof(float));
        }
        source_free(fresh);
    }
    source_free(parts);
    dataset_free(&dataset);
}

static void
add_label(void *context, const float *x, int label)
{
    int **next = context;
    ck_assert_float_eq(x[1], (float)(label + 1000));
    *(*next)++ = label;
}

TEST(a_pass_visits_the_samples_in_order)
{
    Dataset dataset = make_set(1000);
    int labels[1000], *next = labels;
    Source *all = batches_in_order(&dataset, NULL, 1000, NULL), *few = make_batches(&dataset, 7, false, false, 1);
    ck_assert(source_each(all, add_label, &next, NULL) && next == labels + 1000);
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(labels[i], i);
    next = labels;
    ck_assert(source_each(few, add_label, &next, NULL) && next == labels + 1000 && labels[999] == 999);
    source_free(all);
    source_free(few);
    dataset_free(&dataset);
}

TEST(no_samples_no_batches)
{
    Dataset dataset = make_set(2);
    Source *batches = batches_create(&dataset, NULL, 0, (BatchOptions){4, true, false, 1}, NULL);
    ck_assert_uint_eq(batches->steps, 0);
    ck_assert_uint_eq(load(batches, 1, 0), 0);
    source_free(batches);
    dataset_free(&dataset);
}

TEST(absurd_size_takes_no_absurd_memory)
{
    Dataset dataset = make_set(3);
    Source *batches = make_batches(&dataset, SIZE_MAX, true, false, 1);
    ck_assert_uint_eq(batches->steps, 1);
    ck_assert_uint_eq(load(batches, 0, 0), 3);
    source_free(batches);
    dataset_free(&dataset);
}

TEST(bad_input_is_refused)
{
    Dataset dataset = make_set(3);
    ck_assert_refused(batches_create(&dataset, NULL, 3, (BatchOptions){.size = 0}, &error), "at least 1");
    ck_assert_refused(batches_create(&dataset, (size_t[]){0, 3}, 2, (BatchOptions){.size = 1}, &error),
                      "sample 3 does not exist");
    dataset.x[2 * FEATURES + 1] = NAN; /* only a source that has the sample minds */
    ck_assert_refused(batches_create(&dataset, NULL, 3, (BatchOptions){.size = 1}, &error),
                      "feature 1 of sample 2 (both counted from 0) is nan");
    source_free(batches_create(&dataset, NULL, 2, (BatchOptions){.size = 1}, NULL));
    dataset_free(&dataset);
}

TEST_MAIN("batches")
