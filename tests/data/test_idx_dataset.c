/* IDX: samples and labels that become a data set, and those that do not belong together.
 * SPDX-License-Identifier: MIT */
#include "tests/data/idx_sample.h"
#include "tests/testing.h"

static const uint8_t images_2x2x3[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2,  0,  0,
                                       0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255};
static const uint8_t labels_2[] = {0, 0, 8, 1, 0, 0, 0, 2, 4, 1};

static IdxPart
part_of(const void *images, size_t images_size, const void *labels, size_t labels_size)
{
    IdxPart part;
    ck_assert(parse(images, images_size, &part.images, NULL));
    ck_assert(parse(labels, labels_size, &part.labels, NULL));
    return part;
}

static void
part_refused(const void *images, size_t images_size, const void *labels, size_t labels_size, const char *words)
{
    IdxPart part = part_of(images, images_size, labels, labels_size);
    Dataset dataset;
    ck_assert_refused(idx_dataset(&part, 1, &dataset, &error), words);
    ck_assert_ptr_null(dataset.x);
    idx_part_free(&part);
}

TEST(images_keep_their_shape_and_values)
{
    IdxPart part = part_of(images_2x2x3, sizeof(images_2x2x3), labels_2, sizeof(labels_2));
    Dataset dataset;
    ck_assert(idx_dataset(&part, 1, &dataset, NULL));
    ck_assert_uint_eq(dataset.count, 2);
    ck_assert_int_eq(dataset.height, 2);
    ck_assert_int_eq(dataset.width, 3);
    ck_assert_int_eq(dataset.channels, 1);
    ck_assert_int_eq(dataset.classes, 5);
    ck_assert_int_eq(dataset.labels[0], 4);
    ck_assert_floats(dataset.x, ((float[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255}), 12, 0, 0);
    dataset_free(&dataset);
    idx_part_free(&part);
}

TEST(vectors_and_colour_images)
{
    static const uint8_t vectors[] = {0, 0, 9, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0xff, 2};
    static const uint8_t colours[] = {0, 0, 8, 4, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4};
    Dataset dataset;
    IdxPart part = part_of(vectors, sizeof(vectors), labels_2, sizeof(labels_2));
    ck_assert(idx_dataset(&part, 1, &dataset, NULL));
    ck_assert_int_eq(dataset.channels, 1);
    ck_assert_float_eq(dataset.x[0], -1);
    dataset_free(&dataset);
    idx_part_free(&part);
    part = part_of(colours, sizeof(colours), labels_2, sizeof(labels_2));
    ck_assert(idx_dataset(&part, 1, &dataset, NULL));
    ck_assert_int_eq(dataset.channels, 2);
    ck_assert_uint_eq(dataset.features, 2);
    dataset_free(&dataset);
    idx_part_free(&part);
}

TEST(parts_are_joined)
{
    static const uint8_t image[] = {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 21, 22, 23, 24, 25, 26};
    static const uint8_t label[] = {0, 0, 8, 1, 0, 0, 0, 1, 6};
    IdxPart parts[] = {part_of(images_2x2x3, sizeof(images_2x2x3), labels_2, sizeof(labels_2)),
                       part_of(image, sizeof(image), label, sizeof(label))};
    Dataset dataset;
    ck_assert(idx_dataset(parts, 2, &dataset, NULL));
    ck_assert_uint_eq(dataset.count, 3);
    ck_assert_float_eq(dataset.x[12], 21);
    ck_assert_int_eq(dataset.labels[2], 6);
    ck_assert_int_eq(dataset.classes, 7);
    dataset_free(&dataset);
    idx_part_free(&parts[0]);
    idx_part_free(&parts[1]);
}

TEST(parts_of_other_shapes_are_refused)
{
    static const uint8_t image[] = {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 2, 21, 22, 23, 24, 25, 26};
    static const uint8_t label[] = {0, 0, 8, 1, 0, 0, 0, 1, 6};
    IdxPart parts[] = {part_of(images_2x2x3, sizeof(images_2x2x3), labels_2, sizeof(labels_2)),
                       part_of(image, sizeof(image), label, sizeof(label))};
    Dataset dataset;
    ck_assert_refused(idx_dataset(parts, 2, &dataset, &error), "another shape");
    ck_assert(!idx_dataset(parts, 0, &dataset, &error));
    idx_part_free(&parts[0]);
    idx_part_free(&parts[1]);
}

TEST(counts_must_agree)
{
    static const uint8_t labels_3[] = {0, 0, 8, 1, 0, 0, 0, 3, 0, 1, 2};
    part_refused(images_2x2x3, sizeof(images_2x2x3), labels_3, sizeof(labels_3),
                 "has 2 samples, but sample.idx has 3 labels");
}

TEST(swapped_files_are_noticed)
{
    part_refused(labels_2, sizeof(labels_2), images_2x2x3, sizeof(images_2x2x3), "swapped?");
    part_refused(images_2x2x3, sizeof(images_2x2x3), images_2x2x3, sizeof(images_2x2x3),
                 "labels have 1 dimension, this has 3");
}

TEST(labels_that_are_no_classes_are_refused)
{
    static const uint8_t negative[] = {0, 0, 9, 1, 0, 0, 0, 2, 0, 0xff};
    static const uint8_t large[] = {0, 0, 0x0C, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 1, 0, 0};
    static const uint8_t half[] = {0, 0, 0x0D, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0x3f, 0, 0, 0};
    static const uint8_t nan_label[] = {0, 0, 0x0D, 1, 0, 0, 0, 2, 0x7f, 0xc0, 0, 0, 0, 0, 0, 0};
    part_refused(images_2x2x3, sizeof(images_2x2x3), negative, sizeof(negative), "label 1 is -1");
    part_refused(images_2x2x3, sizeof(images_2x2x3), large, sizeof(large), "label 1 is 65536");
    part_refused(images_2x2x3, sizeof(images_2x2x3), half, sizeof(half), "label 1 is 0.5");
    part_refused(images_2x2x3, sizeof(images_2x2x3), nan_label, sizeof(nan_label), "label 0 is");
}

TEST(samples_that_are_not_finite_are_refused)
{
    static const uint8_t nan_sample[] = {0, 0, 0x0D, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0x7f, 0xc0, 0, 0};
    static const uint8_t huge[] = {0, 0, 0x0E, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0x7f, 0xe0,
                                   0, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0};
    part_refused(nan_sample, sizeof(nan_sample), labels_2, sizeof(labels_2), "element 1 is");
    part_refused(huge, sizeof(huge), labels_2, sizeof(labels_2), "element 0 is 8.98847e+307");
}

TEST(files_are_read)
{
    IdxPart part;
    char images[256];
    snprintf(images, sizeof(images), "%s", testing_write("images", images_2x2x3, sizeof(images_2x2x3)));
    ck_assert_ok(idx_part_read(images, testing_write("labels", labels_2, sizeof(labels_2)), false, &part, &error));
    ck_assert_uint_eq(part.images.count, 12);
    idx_part_free(&part);
    ck_assert_refused(idx_part_read(images, testing_path("nowhere"), false, &part, &error), "nowhere");
    ck_assert(!idx_part_read(testing_path("nowhere"), images, false, &part, &error));
    ck_assert_ptr_null(part.images.elements);
}

TEST_MAIN("idx_dataset")
