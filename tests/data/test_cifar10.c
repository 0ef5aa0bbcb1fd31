/* CIFAR-10's six files: small ones made here, cut ones, and labels that do not exist.
 * SPDX-License-Identifier: MIT */
#include "data/cifar10.h"
#include "data/data_folder.h"
#include "tests/testing.h"
#include <sys/stat.h>

enum { RECORD = 3073, RECORDS = 3 };

static uint8_t
pixel(int record, int colour, int place)
{
    return (uint8_t)(record * 31 + colour * 7 + place);
}

/* Records number first, first + 1, ..: the label is the number modulo 10. */
static size_t
make_records(uint8_t bytes[RECORDS * RECORD], int first, int count)
{
    for (int r = 0; r < count; r++) {
        uint8_t *record = bytes + r * RECORD;
        record[0] = (uint8_t)((first + r) % 10);
        for (int c = 0; c < 3; c++)
            for (int p = 0; p < 1024; p++)
                record[1 + c * 1024 + p] = pixel(first + r, c, p);
    }
    return (size_t)count * RECORD;
}

/* Writes file number f (5: the test part) with `size` bytes of records. */
static void
write_file(const char *root, int f, const uint8_t *bytes, size_t size)
{
    char name[128];
    if (f < 5)
        snprintf(name, sizeof(name), "%s/cifar10/cifar-10-batches-bin/data_batch_%d.bin", root, f + 1);
    else
        snprintf(name, sizeof(name), "%s/cifar10/cifar-10-batches-bin/test_batch.bin", root);
    testing_write(name, bytes, size);
}

/* RUNGS_DATA is the fresh folder `root`, with all files: two records in each for training, three for testing. */
static void
use_folder(const char *root)
{
    char inner[128];
    static uint8_t bytes[RECORDS * RECORD];
    const char *path = testing_path(root);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert_int_eq(setenv("RUNGS_DATA", path, 1), 0);
    snprintf(inner, sizeof(inner), "%s/cifar10", root);
    ck_assert_int_eq(mkdir(testing_path(inner), 0700), 0);
    snprintf(inner, sizeof(inner), "%s/cifar10/cifar-10-batches-bin", root);
    ck_assert_int_eq(mkdir(testing_path(inner), 0700), 0);
    for (int f = 0; f < 6; f++)
        write_file(root, f, bytes, make_records(bytes, 2 * f, f < 5 ? 2 : 3));
}

static void
refused(const char *words)
{
    Dataset dataset;
    ck_assert_refused(dataset_open("cifar10", &dataset, &error), words);
    ck_assert_ptr_null(dataset.x);
}

TEST(five_files_train_and_one_tests)
{
    use_folder("whole");
    Dataset cifar;
    ck_assert_ok(dataset_open("cifar10", &cifar, &error));
    ck_assert_str_eq(cifar.name, "cifar10");
    ck_assert_uint_eq(cifar.count, 13);
    ck_assert_uint_eq(cifar.train_count, 10);
    ck_assert_int_eq(cifar.classes, 10);
    ck_assert_str_eq(cifar.class_names[9], "truck");
    ck_assert_int_eq(cifar.height, 32);
    ck_assert_int_eq(cifar.width, 32);
    ck_assert_int_eq(cifar.channels, 3);
    for (int r = 0; r < 13; r++) {
        ck_assert_int_eq(cifar.labels[r], r % 10);
        for (int p = 0; p < 1024; p++)
            for (int c = 0; c < 3; c++)
                ck_assert_float_eq(cifar.x[((size_t)r * 1024 + (size_t)p) * 3 + (size_t)c], pixel(r, c, p));
    }
    dataset_free(&cifar);
}

TEST(a_missing_file_is_named)
{
    use_folder("missing");
    char name[128];
    snprintf(name, sizeof(name), "%s", testing_path("missing/cifar10/cifar-10-batches-bin/data_batch_4.bin"));
    ck_assert_int_eq(remove(name), 0);
    refused("data_batch_4.bin is not in");
    refused("make data-cifar10");
}

TEST(no_folder_at_all)
{
    ck_assert_int_eq(setenv("RUNGS_DATA", testing_path("nowhere"), 1), 0);
    refused("data_batch_1.bin is not in");
}

TEST(cut_files)
{
    static uint8_t bytes[RECORDS * RECORD];
    const size_t cuts[] = {1, RECORD - 1, RECORD + 1, 2 * RECORD - 1};
    use_folder("cut");
    make_records(bytes, 0, RECORDS);
    for (size_t i = 0; i < COUNT(cuts); i++) {
        write_file("cut", 5, bytes, cuts[i]);
        refused("expected complete records of 3073");
    }
    write_file("cut", 5, bytes, 0);
    refused("test_batch.bin");
}

TEST(labels_that_do_not_exist)
{
    static uint8_t bytes[RECORDS * RECORD];
    const size_t size = make_records(bytes, 0, RECORDS);
    use_folder("label");
    bytes[2 * RECORD] = 10;
    write_file("label", 2, bytes, size);
    refused("the label of record 2 is 10, expected 0 to 9");
    bytes[2 * RECORD] = 255;
    write_file("label", 2, bytes, size);
    refused("record 2 is 255");
}

TEST_MAIN("cifar10")
