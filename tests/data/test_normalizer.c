/* Normalizers: fitted on the training samples alone, exact at the edges.
 * SPDX-License-Identifier: MIT */
#include "data/dataset.h"
#include "tests/testing.h"

/* `count` samples of `features` numbers each. */
static Dataset
make_set(const float *x, size_t count, int features)
{
    Dataset dataset;
    ck_assert(dataset_create(&dataset, count, 1, 1, features, NULL));
    memcpy(dataset.x, x, count * (size_t)features * sizeof(float));
    dataset.classes = 1;
    return dataset;
}

static void
normalize(Dataset *dataset, size_t train_count, NormalizerKind kind)
{
    size_t train[64];
    for (size_t i = 0; i < train_count; i++)
        train[i] = i;
    Normalizer normalizer;
    ck_assert(normalizer_fit(dataset, train, train_count, kind, &normalizer, NULL));
    normalizer_apply(&normalizer, dataset);
    normalizer_free(&normalizer);
    ck_assert_ptr_null(normalizer.mean);
}

TEST(standard_has_mean_0_and_variance_1)
{
    Dataset dataset = make_set((float[]){2, 10, 4, 10, 4, 20, 6, 20}, 4, 2);
    normalize(&dataset, 4, NORMALIZE_STANDARD); /* means 4, 15; deviations sqrt(2), 5 */
    float root = (float)sqrt(2);
    ck_assert_floats(dataset.x, ((float[]){-root, -1, 0, -1, 0, 1, root, 1}), 8, 1e-6, 0);
    dataset_free(&dataset);
}

TEST(minmax_lies_in_0_to_1)
{
    Dataset dataset = make_set((float[]){2, -10, 4, 10, 6, 30}, 3, 2);
    normalize(&dataset, 3, NORMALIZE_MINMAX);
    ck_assert_floats(dataset.x, ((float[]){0, 0, 0.5f, 0.5f, 1, 1}), 6, 1e-7, 0);
    dataset_free(&dataset);
}

TEST(none_changes_nothing)
{
    static const float x[] = {2, -10, 4, 1e30f, 6, 0.1f};
    Dataset dataset = make_set(x, 3, 2);
    normalize(&dataset, 3, NORMALIZE_NONE);
    ck_assert_floats(dataset.x, x, 6, 0, 0);
    dataset_free(&dataset);
}

TEST(wild_test_samples_do_not_leak)
{
    /* The same training samples, once beside tame test samples and once beside wild ones: they come out the same. */
    for (int kind = NORMALIZE_STANDARD; kind <= NORMALIZE_MINMAX; kind++) {
        Dataset tame = make_set((float[]){1, 2, 3, 4, 2, 2}, 6, 1),
                wild = make_set((float[]){1, 2, 3, 4, 1e9f, -1e9f}, 6, 1);
        normalize(&tame, 4, (NormalizerKind)kind);
        normalize(&wild, 4, (NormalizerKind)kind);
        ck_assert_floats(wild.x, tame.x, 4, 0, 0);
        ck_assert_float_gt(wild.x[4], 1e8f);
        dataset_free(&tame);
        dataset_free(&wild);
    }
}

TEST(train_indices_need_not_be_the_first)
{
    Dataset dataset = make_set((float[]){100, 1, 200, 3}, 4, 1);
    Normalizer normalizer;
    ck_assert(normalizer_fit(&dataset, (size_t[]){3, 1}, 2, NORMALIZE_STANDARD, &normalizer, NULL));
    ck_assert_float_eq(normalizer.mean[0], 2);
    ck_assert_float_eq(normalizer.scale[0], 1);
    normalizer_free(&normalizer);
    dataset_free(&dataset);
}

TEST(constant_feature_becomes_0)
{
    /* 0.1 has no exact sum: a variance taken from sums would not be 0, and the scale would be huge. */
    for (int kind = NORMALIZE_STANDARD; kind <= NORMALIZE_MINMAX; kind++) {
        Dataset dataset = make_set((float[]){0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 7}, 7, 1);
        Normalizer normalizer;
        ck_assert(normalizer_fit(&dataset, (size_t[]){0, 1, 2, 3, 4, 5}, 6, (NormalizerKind)kind, &normalizer, NULL));
        ck_assert_float_eq(normalizer.scale[0], 0);
        normalizer_apply(&normalizer, &dataset);
        for (size_t i = 0; i < 7; i++)
            ck_assert_float_eq(dataset.x[i], 0);
        normalizer_free(&normalizer);
        dataset_free(&dataset);
    }
}

TEST(large_mean_does_not_swallow_a_small_variance)
{
    Dataset dataset = make_set((float[]){1000000, 1000001, 1000002}, 3, 1);
    normalize(&dataset, 3, NORMALIZE_STANDARD);
    ck_assert_floats(dataset.x, ((float[]){-1.2247449f, 0, 1.2247449f}), 3, 1e-6, 0);
    dataset_free(&dataset);
}

TEST(extreme_values_stay_finite)
{
    Dataset dataset = make_set((float[]){FLT_MAX, -FLT_MAX, 0, 1e-44f, -1e-44f, 0}, 3, 2);
    for (int kind = NORMALIZE_STANDARD; kind <= NORMALIZE_MINMAX; kind++) {
        normalize(&dataset, 3, (NormalizerKind)kind);
        for (size_t i = 0; i < 6; i++)
            ck_assert(isfinite(dataset.x[i]));
    }
    dataset_free(&dataset);
}

TEST(one_sample_becomes_0)
{
    Dataset dataset = make_set((float[]){5, -5}, 1, 2);
    normalize(&dataset, 1, NORMALIZE_STANDARD);
    ck_assert_floats(dataset.x, ((float[]){0, 0}), 2, 0, 0);
    dataset_free(&dataset);
}

TEST(digits_border_pixels_are_constant)
{
    Dataset digits;
    ck_assert(dataset_open("digits", &digits, NULL));
    size_t all[1797];
    for (size_t i = 0; i < 1797; i++)
        all[i] = i;
    Normalizer normalizer;
    ck_assert(normalizer_fit(&digits, all, 1797, NORMALIZE_STANDARD, &normalizer, NULL));
    ck_assert_float_eq(normalizer.scale[0], 0); /* the upper left pixel is never inked */
    ck_assert_float_gt(normalizer.scale[28], 0);
    normalizer_free(&normalizer);
    dataset_free(&digits);
}

TEST(bad_samples_are_refused)
{
    Dataset dataset = make_set((float[]){1, 2}, 2, 1);
    Normalizer normalizer;
    ck_assert_refused(normalizer_fit(&dataset, NULL, 0, NORMALIZE_STANDARD, &normalizer, &error), "at least one");
    ck_assert_refused(normalizer_fit(&dataset, (size_t[]){0, 2}, 2, NORMALIZE_STANDARD, &normalizer, &error),
                      "sample 2 does not exist");
    ck_assert_ptr_null(normalizer.mean);
    dataset_free(&dataset);
}

TEST_MAIN("normalizer")
