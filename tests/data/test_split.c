/* Splitting: disjoint, covering, stratified, and the same under the same seed.
 * SPDX-License-Identifier: MIT */
#include "data/dataset.h"
#include "tests/testing.h"

/* A set of one feature with `sizes[c]` samples of class c, classes mixed. */
static Dataset
make_set(const size_t *sizes, int classes)
{
    Dataset dataset;
    size_t count = 0, left[16];
    for (int c = 0; c < classes; c++)
        count += left[c] = sizes[c];
    ck_assert(dataset_create(&dataset, count, 1, 1, 1, NULL));
    dataset.classes = classes;
    int c = 0;
    for (size_t i = 0; i < count; i++) {
        while (left[c] == 0)
            c = (c + 1) % classes;
        left[c]--;
        dataset.labels[i] = c;
        c = (c + 1) % classes;
    }
    return dataset;
}

static Split
split_set(const Dataset *dataset, double validation, double test, uint64_t seed)
{
    Split split;
    ck_assert_ok(dataset_split(dataset, validation, test, seed, &split, &error));
    return split;
}

static void
mark(const size_t *part, size_t count, int *seen, size_t limit)
{
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_lt(part[i], limit);
        ck_assert_int_eq(seen[part[i]]++, 0); /* disjoint */
    }
}

static void
check_partition(const Split *split, size_t count)
{
    int *seen = calloc(count, sizeof(int));
    ck_assert_uint_eq(split->train_count + split->validation_count + split->test_count, count);
    mark(split->train, split->train_count, seen, count);
    mark(split->validation, split->validation_count, seen, count);
    mark(split->test, split->test_count, seen, count);
    free(seen); /* the right number, none twice: all are covered */
}

static size_t
count_class(const Dataset *dataset, const size_t *part, size_t count, int class)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += dataset->labels[part[i]] == class;
    return found;
}

TEST(parts_are_disjoint_and_cover_all)
{
    static const double fractions[][2] = {{0, 0}, {0, 1}, {1, 0}, {0.5, 0.5}, {0.1, 0.2}, {0.33, 0.33}, {0.001, 0.999}};
    Dataset dataset = make_set((size_t[]){7, 1, 13, 2}, 4);
    for (size_t i = 0; i < COUNT(fractions); i++) {
        Split split = split_set(&dataset, fractions[i][0], fractions[i][1], 5);
        check_partition(&split, dataset.count);
        split_free(&split);
    }
    dataset_free(&dataset);
}

TEST(sizes_are_rounded_fractions_of_the_whole)
{
    Dataset digits;
    ck_assert(dataset_open("digits", &digits, NULL));
    Split split = split_set(&digits, 0.1, 0.2, 1);
    ck_assert_uint_eq(split.test_count, 359);       /* 359.4 */
    ck_assert_uint_eq(split.validation_count, 180); /* 179.7 */
    ck_assert_uint_eq(split.train_count, 1258);
    check_partition(&split, digits.count);
    split_free(&split);
    dataset_free(&digits);
}

TEST(every_class_gives_its_fraction)
{
    Dataset digits;
    ck_assert(dataset_open("digits", &digits, NULL));
    Split split = split_set(&digits, 0.1, 0.2, 1);
    for (int c = 0; c < 10; c++) {
        size_t test = count_class(&digits, split.test, split.test_count, c);
        size_t validation = count_class(&digits, split.validation, split.validation_count, c);
        size_t all = test + validation + count_class(&digits, split.train, split.train_count, c);
        ck_assert(fabs((double)test - 0.2 * (double)all) < 1);
        ck_assert(fabs((double)validation - 0.1 * (double)all) < 1);
    }
    split_free(&split);
    dataset_free(&digits);
}

TEST(largest_remainders_go_up)
{
    /* A quarter of 7, 9, 6 is 1.75, 2.25, 1.5: 5.5 together, rounded 6. Whole parts 1, 2, 1; the two missing ones go
     * to .75 and .5. */
    Dataset dataset = make_set((size_t[]){7, 9, 6}, 3);
    Split split = split_set(&dataset, 0, 0.25, 1);
    ck_assert_uint_eq(split.test_count, 6);
    ck_assert_uint_eq(count_class(&dataset, split.test, 6, 0), 2);
    ck_assert_uint_eq(count_class(&dataset, split.test, 6, 1), 2);
    ck_assert_uint_eq(count_class(&dataset, split.test, 6, 2), 2);
    split_free(&split);
    dataset_free(&dataset);
}

TEST(equal_remainders_go_to_the_lower_class)
{
    Dataset dataset = make_set((size_t[]){1, 1, 1, 1}, 4);
    Split split = split_set(&dataset, 0, 0.5, 9);
    ck_assert_uint_eq(split.test_count, 2);
    ck_assert_uint_eq(count_class(&dataset, split.test, 2, 0), 1);
    ck_assert_uint_eq(count_class(&dataset, split.test, 2, 1), 1);
    split_free(&split);
    dataset_free(&dataset);
}

TEST(same_seed_same_split)
{
    Dataset dataset = make_set((size_t[]){31, 20}, 2);
    Split a = split_set(&dataset, 0.2, 0.2, 7), b = split_set(&dataset, 0.2, 0.2, 7);
    ck_assert_mem_eq(a.train, b.train, a.train_count * sizeof(size_t));
    ck_assert_mem_eq(a.validation, b.validation, a.validation_count * sizeof(size_t));
    ck_assert_mem_eq(a.test, b.test, a.test_count * sizeof(size_t));
    split_free(&a);
    split_free(&b);
    dataset_free(&dataset);
}

TEST(other_seed_other_split)
{
    Dataset dataset = make_set((size_t[]){31, 20}, 2);
    Split a = split_set(&dataset, 0.2, 0.2, 7), b = split_set(&dataset, 0.2, 0.2, 8);
    ck_assert_mem_ne(a.train, b.train, a.train_count * sizeof(size_t));
    ck_assert_mem_ne(a.test, b.test, a.test_count * sizeof(size_t));
    split_free(&a);
    split_free(&b);
    dataset_free(&dataset);
}

TEST(parts_are_in_random_order)
{
    Dataset dataset = make_set((size_t[]){100}, 1);
    Split split = split_set(&dataset, 0, 0.5, 3);
    size_t rising = 0;
    for (size_t i = 1; i < split.train_count; i++)
        rising += split.train[i] > split.train[i - 1];
    ck_assert_uint_gt(rising, 10); /* of 49: sorted would be 49 or 0 */
    ck_assert_uint_lt(rising, 40);
    split_free(&split);
    dataset_free(&dataset);
}

TEST(everything_may_be_one_part)
{
    Dataset dataset = make_set((size_t[]){3, 4}, 2);
    Split split = split_set(&dataset, 0, 1, 1);
    ck_assert_uint_eq(split.test_count, 7);
    ck_assert_uint_eq(split.train_count, 0);
    split_free(&split);
    split = split_set(&dataset, 0, 0, 1);
    ck_assert_uint_eq(split.train_count, 7);
    split_free(&split);
    dataset_free(&dataset);
}

TEST(empty_classes_do_no_harm)
{
    Dataset dataset = make_set((size_t[]){0, 10, 0}, 3);
    Split split = split_set(&dataset, 0.3, 0.3, 1);
    ck_assert_uint_eq(split.test_count, 3);
    check_partition(&split, 10);
    split_free(&split);
    dataset_free(&dataset);
}

TEST(one_sample_goes_somewhere)
{
    Dataset dataset = make_set((size_t[]){1}, 1);
    Split split = split_set(&dataset, 0.2, 0.2, 1);
    ck_assert_uint_eq(split.train_count, 1);
    split_free(&split);
    dataset_free(&dataset);
}

TEST(wrong_fractions_are_refused)
{
    static const double wrong[][2] = {{-0.1, 0.5}, {0.5, -0.1}, {0.6, 0.5},   {0, 1.1},
                                      {NAN, 0.1},  {0.1, NAN},  {INFINITY, 0}};
    Dataset dataset = make_set((size_t[]){5, 5}, 2);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        Split split;
        ck_assert_refused(dataset_split(&dataset, wrong[i][0], wrong[i][1], 1, &split, &error), "fractions");
        ck_assert_ptr_null(split.train);
    }
    dataset_free(&dataset);
}

TEST(wrong_labels_are_refused)
{
    Split split;
    Dataset dataset = make_set((size_t[]){5, 5}, 2);
    dataset.labels[3] = 2;
    ck_assert_refused(dataset_split(&dataset, 0, 0.5, 1, &split, &error), "sample 3 has label 2");
    dataset.labels[3] = -1;
    ck_assert(!dataset_split(&dataset, 0, 0.5, 1, &split, &error));
    dataset_free(&dataset);
    ck_assert(!dataset_split(&dataset, 0, 0.5, 1, &split, &error)); /* empty now */
}

TEST(split_at_keeps_the_order)
{
    Dataset dataset = make_set((size_t[]){3, 2}, 2);
    Split split;
    ck_assert(dataset_split_at(&dataset, 3, 0, &split, NULL));
    ck_assert_uint_eq(split.train_count, 3);
    ck_assert_uint_eq(split.validation_count, 0);
    ck_assert_uint_eq(split.test_count, 2);
    ck_assert_uint_eq(split.train[2], 2);
    ck_assert_uint_eq(split.test[0], 3);
    check_partition(&split, 5);
    split_free(&split);
    dataset_free(&dataset);
}

TEST(split_at_validates_by_the_end_of_the_training_part)
{
    Dataset dataset = make_set((size_t[]){6, 4}, 2);
    Split split;
    ck_assert(dataset_split_at(&dataset, 7, 0.3, &split, NULL)); /* 2.1 of 7 */
    ck_assert(split.train_count == 5 && split.validation_count == 2 && split.test_count == 3);
    ck_assert(split.train[4] == 4 && split.validation[0] == 5 && split.validation[1] == 6 && split.test[0] == 7);
    check_partition(&split, 10);
    split_free(&split);
    dataset_free(&dataset);
}

TEST(split_at_has_limits)
{
    Dataset dataset = make_set((size_t[]){3, 2}, 2);
    Split split;
    ck_assert(dataset_split_at(&dataset, 0, 0, &split, NULL));
    split_free(&split);
    ck_assert(dataset_split_at(&dataset, 5, 0, &split, NULL));
    split_free(&split);
    ck_assert_refused(dataset_split_at(&dataset, 6, 0, &split, &error), "6 training samples");
    dataset_free(&dataset);
}

TEST_MAIN("split")
