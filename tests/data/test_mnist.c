/* MNIST's four files: small ones made here, and the real ones where RUNGS_DATA has them.
 * SPDX-License-Identifier: MIT */
#include "data/data_folder.h"
#include "data/dataset.h"
#include "tests/testing.h"

#include <sys/stat.h>

/* `count` images of 1 x 2 and their labels, which start with `label` and count upwards, into folder/STEM-... */
static void
write_part(const char *folder, const char *stem, int count, int label)
{
    uint8_t images[64] = {0, 0, 8, 3, 0, 0, 0, (uint8_t)count, 0, 0, 0, 1, 0, 0, 0, 2};
    uint8_t labels[64] = {0, 0, 8, 1, 0, 0, 0, (uint8_t)count};
    for (int i = 0; i < count; i++) {
        images[16 + 2 * i] = (uint8_t)(10 * (label + i));
        labels[8 + i] = (uint8_t)(label + i);
    }
    char name[128];
    snprintf(name, sizeof(name), "%s%s-images-idx3-ubyte", folder, stem);
    testing_write(name, images, 16 + 2 * (size_t)count);
    snprintf(name, sizeof(name), "%s%s-labels-idx1-ubyte", folder, stem);
    testing_write(name, labels, 8 + (size_t)count);
}

/* RUNGS_DATA is the fresh folder `name`, with a subfolder `set` in it. */
static void
use_folder(const char *name, const char *set)
{
    char inner[128];
    const char *root = testing_path(name);
    ck_assert_int_eq(mkdir(root, 0700), 0);
    ck_assert_int_eq(setenv("RUNGS_DATA", root, 1), 0);
    snprintf(inner, sizeof(inner), "%s/%s", name, set);
    ck_assert_int_eq(mkdir(testing_path(inner), 0700), 0);
}

static void
refused(const char *set, const char *words)
{
    Dataset dataset;
    ck_assert_refused(dataset_open(set, &dataset, &error), words);
    ck_assert_ptr_null(dataset.x);
}

TEST(both_parts_training_first)
{
    use_folder("t1", "mnist");
    write_part("t1/mnist/", "train", 3, 1);
    write_part("t1/mnist/", "t10k", 2, 7);
    Dataset mnist;
    ck_assert_ok(dataset_open("mnist", &mnist, &error));
    ck_assert_str_eq(mnist.name, "mnist");
    ck_assert_uint_eq(mnist.count, 5);
    ck_assert_uint_eq(mnist.train_count, 3);
    ck_assert_int_eq(mnist.classes, 10);
    ck_assert_int_eq(mnist.width, 2);
    ck_assert_int_eq(mnist.labels[2], 3);
    ck_assert_int_eq(mnist.labels[3], 7);
    ck_assert_float_eq(mnist.x[6], 70);
    dataset_free(&mnist);
}

TEST(test_part_alone_says_so)
{
    use_folder("t2", "mnist");
    write_part("t2/mnist/", "t10k", 2, 0);
    Dataset mnist;
    ck_assert(dataset_open("mnist", &mnist, NULL));
    ck_assert_str_eq(mnist.name, "mnist (test part only)");
    ck_assert_uint_eq(mnist.count, 2);
    ck_assert_uint_eq(mnist.train_count, 0);
    ck_assert_int_eq(mnist.classes, 10);
    dataset_free(&mnist);
}

TEST(mnist_may_lie_in_the_folder_itself)
{
    use_folder("t3", "other");
    write_part("t3/", "t10k", 2, 0);
    Dataset mnist;
    ck_assert(dataset_open("mnist", &mnist, NULL));
    dataset_free(&mnist);
    refused("fashion", "fashion is not in"); /* the same file names: these are not taken for fashion's */
}

TEST(fashion_has_names)
{
    use_folder("t4", "fashion");
    write_part("t4/fashion/", "t10k", 2, 0);
    Dataset fashion;
    ck_assert(dataset_open("fashion", &fashion, NULL));
    ck_assert_str_eq(fashion.class_names[0], "T-shirt/top");
    ck_assert_str_eq(fashion.class_names[9], "Ankle boot");
    dataset_free(&fashion);
}

TEST(nothing_there_says_what_to_do)
{
    use_folder("t5", "empty");
    refused("mnist", "run `make data-mnist`");
    refused("fashion", "run `make data-fashion`");
}

TEST(missing_file_is_named)
{
    use_folder("t6", "mnist");
    write_part("t6/mnist/", "train", 3, 1);
    refused("mnist", "t10k-images-idx3-ubyte.gz is missing");
    write_part("t6/mnist/", "t10k", 2, 7);
    ck_assert_int_eq(remove(testing_path("t6/mnist/train-labels-idx1-ubyte")), 0);
    refused("mnist", "train-labels-idx1-ubyte.gz is missing");
}

TEST(eleventh_class_is_refused)
{
    use_folder("t7", "mnist");
    write_part("t7/mnist/", "t10k", 2, 9);
    refused("mnist", "label 10 does not exist in mnist");
}

TEST(web_page_in_place_of_a_file_is_refused)
{
    use_folder("t8", "mnist");
    write_part("t8/mnist/", "t10k", 2, 0);
    testing_write("t8/mnist/t10k-labels-idx1-ubyte", "<!DOCTYPE html>", 15);
    refused("mnist", "web page");
}

TEST(default_folder_is_below_home)
{
    char path[DATA_PATH_MAX];
    unsetenv("RUNGS_DATA");
    setenv("HOME", "/home/ada", 1);
    ck_assert(data_folder(path, &error));
    ck_assert_str_eq(path, "/home/ada/" DATA_FOLDER_DEFAULT);
    setenv("RUNGS_DATA", "", 1); /* empty counts as unset */
    ck_assert(data_folder(path, &error));
    ck_assert_str_eq(path, "/home/ada/" DATA_FOLDER_DEFAULT);
    unsetenv("HOME");
    ck_assert_refused(data_folder(path, &error), "set RUNGS_DATA");
}

/* The real files. */
static void
open_real(Dataset *mnist)
{
    char folder[DATA_PATH_MAX], path[DATA_PATH_MAX], inner[DATA_PATH_MAX + 8];
    if (!data_folder(folder, &error))
        skip_test("%s", error.text);
    snprintf(inner, sizeof(inner), "%s/mnist", folder);
    if (!data_find(folder, "t10k-images-idx3-ubyte", path) && !data_find(inner, "t10k-images-idx3-ubyte", path))
        skip_test("MNIST is not in %s (make data-mnist)", folder);
    ck_assert_ok(dataset_open("mnist", mnist, &error));
}

TEST(real_mnist_has_its_shape)
{
    Dataset mnist;
    open_real(&mnist);
    ck_assert(mnist.count == 10000 || (mnist.count == 70000 && mnist.train_count == 60000));
    ck_assert_int_eq(mnist.height, 28);
    ck_assert_int_eq(mnist.width, 28);
    ck_assert_int_eq(mnist.classes, 10);
    dataset_free(&mnist);
}

TEST(real_mnist_test_part_has_its_class_counts)
{
    static const size_t counts[10] = {980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009};
    size_t counted[10] = {0};
    Dataset mnist;
    open_real(&mnist);
    for (size_t i = mnist.train_count; i < mnist.count; i++)
        counted[mnist.labels[i]]++;
    for (int c = 0; c < 10; c++)
        ck_assert_uint_eq(counted[c], counts[c]);
    dataset_free(&mnist);
}

TEST(real_mnist_first_test_image_is_a_seven)
{
    /* Row 7 of the first image, columns 6 .. 12: where the bar of the 7 begins. */
    static const float bar[7] = {84, 185, 159, 151, 60, 36, 0};
    Dataset mnist;
    open_real(&mnist);
    ck_assert_int_eq(mnist.labels[mnist.train_count], 7);
    ck_assert_floats(mnist.x + mnist.train_count * 784 + 7 * 28 + 6, bar, 7, 0, 0);
    dataset_free(&mnist);
}

TEST_MAIN("mnist")
