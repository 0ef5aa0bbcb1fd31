/* Opening data sets by name, and the two that are shipped: are they whole?
 * SPDX-License-Identifier: MIT */
#include "data/dataset.h"
#include "tests/testing.h"

#include <sys/stat.h>
#include <unistd.h>

static Dataset
open_set(const char *name)
{
    Dataset dataset;
    ck_assert_ok(dataset_open(name, &dataset, &error));
    return dataset;
}

static void
refused(const char *name, const char *words)
{
    Dataset dataset;
    ck_assert_refused(dataset_open(name, &dataset, &error), words);
    ck_assert_ptr_null(dataset.x);
    ck_assert_ptr_null(dataset.labels);
}

TEST(digits_has_its_shape)
{
    Dataset digits = open_set("digits");
    ck_assert_str_eq(digits.name, "digits");
    ck_assert_uint_eq(digits.count, 1797);
    ck_assert_int_eq(digits.height, 8);
    ck_assert_int_eq(digits.width, 8);
    ck_assert_int_eq(digits.channels, 1);
    ck_assert_uint_eq(digits.features, 64);
    ck_assert_int_eq(digits.classes, 10);
    ck_assert_uint_eq(digits.train_count, 0);
    dataset_free(&digits);
}

TEST(digits_has_the_published_class_counts)
{
    static const size_t published[10] = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
    size_t counted[10] = {0};
    Dataset digits = open_set("digits");
    for (size_t i = 0; i < digits.count; i++)
        counted[digits.labels[i]]++;
    for (int c = 0; c < 10; c++)
        ck_assert_uint_eq(counted[c], published[c]);
    dataset_free(&digits);
}

TEST(digits_pixels_lie_in_0_to_16)
{
    Dataset digits = open_set("digits");
    double sum = 0;
    for (size_t i = 0; i < digits.count * digits.features; i++) {
        ck_assert(digits.x[i] >= 0 && digits.x[i] <= 16);
        sum += (double)digits.x[i];
    }
    ck_assert_double_eq(sum, 561718); /* counted with awk */
    dataset_free(&digits);
}

TEST(digits_first_and_last_row)
{
    static const float first[8] = {0, 0, 5, 13, 9, 1, 0, 0},
                       last[8] = {0, 1, 8, 12, 14, 12, 1, 0}; /* top row, bottom row */
    Dataset digits = open_set("digits");
    ck_assert_floats(digits.x, first, 8, 0, 0);
    ck_assert_int_eq(digits.labels[0], 0);
    ck_assert_floats(digits.x + 1796 * 64 + 56, last, 8, 0, 0);
    ck_assert_int_eq(digits.labels[1796], 8);
    dataset_free(&digits);
}

TEST(iris_has_its_shape_and_names)
{
    Dataset iris = open_set("iris");
    ck_assert_uint_eq(iris.count, 150);
    ck_assert_int_eq(iris.height, 1);
    ck_assert_int_eq(iris.width, 1);
    ck_assert_int_eq(iris.channels, 4);
    ck_assert_int_eq(iris.classes, 3);
    ck_assert_str_eq(iris.class_names[0], "setosa");
    ck_assert_str_eq(iris.class_names[1], "versicolor");
    ck_assert_str_eq(iris.class_names[2], "virginica");
    dataset_free(&iris);
}

TEST(iris_has_fifty_of_each)
{
    size_t counted[3] = {0};
    Dataset iris = open_set("iris");
    for (size_t i = 0; i < iris.count; i++)
        counted[iris.labels[i]]++;
    for (int c = 0; c < 3; c++)
        ck_assert_uint_eq(counted[c], 50);
    dataset_free(&iris);
}

TEST(iris_rows_are_fishers)
{
    /* The first and the last row, and samples 35 and 38, which many copies have wrong. */
    static const float want[4][4] = {
        {5.1f, 3.5f, 1.4f, 0.2f}, {5.9f, 3.0f, 5.1f, 1.8f}, {4.9f, 3.1f, 1.5f, 0.2f}, {4.9f, 3.6f, 1.4f, 0.1f}};
    static const size_t row[4] = {0, 149, 34, 37};
    Dataset iris = open_set("iris");
    for (int i = 0; i < 4; i++)
        ck_assert_floats(iris.x + 4 * row[i], want[i], 4, 0, 0);
    ck_assert_int_eq(iris.labels[0], 0);
    ck_assert_int_eq(iris.labels[149], 2);
    dataset_free(&iris);
}

TEST(shipped_sets_open_from_any_folder)
{
    ck_assert_int_eq(chdir("/"), 0);
    Dataset iris = open_set("iris");
    dataset_free(&iris);
}

TEST(paths_open_from_the_current_folder)
{
    char folder[512];
    snprintf(folder, sizeof(folder), "%s", testing_write("own.csv", "1,2,a\n3,4,b\n", 12));
    *strrchr(folder, '/') = '\0';
    ck_assert_int_eq(chdir(folder), 0);
    Dataset own = open_set("own.csv");
    ck_assert_str_eq(own.name, "own.csv");
    ck_assert_uint_eq(own.count, 2);
    dataset_free(&own);
}

TEST(a_pair_of_idx_files_opens)
{
    static const char images[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4};
    static const char labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 1, 0};
    char pair[1024];
    snprintf(pair, sizeof(pair), "%s,%s", testing_write("im", images, sizeof(images)),
             testing_write("la", labels, sizeof(labels)));
    Dataset dataset = open_set(pair);
    ck_assert_str_eq(dataset.name, "im");
    ck_assert_int_eq(dataset.width, 2);
    ck_assert_int_eq(dataset.classes, 2);
    dataset_free(&dataset);
}

TEST(names_stand_for_files)
{
    char files[2][DATA_PATH_MAX], name[2 * DATA_PATH_MAX + 2];
    static const char *const none[] = {"digits", "iris", "mnist", "fashion", "", "data.txt", ",", "a,", ",b", "a,b,c"};
    for (size_t i = 0; i < COUNT(none); i++)
        ck_assert_int_eq(dataset_files(none[i], files), 0);
    ck_assert_int_eq(dataset_files("a,b/own.CSV.gz", files), 1);
    ck_assert_str_eq(files[0], "a,b/own.CSV.gz");
    ck_assert_int_eq(dataset_files("x/images,labels", files), 2);
    ck_assert_str_eq(files[0], "x/images");
    ck_assert_str_eq(files[1], "labels");
    memset(name, 'x', sizeof(name));
    name[DATA_PATH_MAX - 1] = ',';
    name[2 * DATA_PATH_MAX - 1] = '\0'; /* two names of 4095 bytes */
    ck_assert_int_eq(dataset_files(name, files), 2);
    ck_assert_uint_eq(strlen(files[0]), DATA_PATH_MAX - 1);
    ck_assert_uint_eq(strlen(files[1]), DATA_PATH_MAX - 1);
    strcpy(name + 2 * DATA_PATH_MAX - 1, "x");
    ck_assert_int_eq(dataset_files(name, files), 0);
    strcpy(name + 2 * DATA_PATH_MAX - 5, ".csv");
    name[DATA_PATH_MAX - 1] = 'x';
    ck_assert_int_eq(dataset_files(name, files), 0);
}

TEST(full_names_open_from_any_folder)
{
    char full[DATASET_NAME_MAX], folder[512], wanted[1100];
    snprintf(folder, sizeof(folder), "%s", testing_write("own.csv", "1,2,a\n3,4,b\n", 12));
    *strrchr(folder, '/') = '\0';
    ck_assert_int_eq(chdir(folder), 0);
    dataset_full_name("./own.csv", full);
    ck_assert_int_eq(chdir("/"), 0);
    snprintf(wanted, sizeof(wanted), "%s/own.csv", folder);
    ck_assert_str_eq(full, wanted);
    Dataset own = open_set(full);
    dataset_free(&own);
    snprintf(wanted, sizeof(wanted), "%s/im,/la", folder);
    dataset_full_name(wanted, full);
    ck_assert_str_eq(full, wanted);
}

TEST(names_without_full_paths_stay)
{
    char full[DATASET_NAME_MAX], folder[512];
    static const char *const names[] = {"digits", "data.txt", "no/such/folder/own.csv", "no/such/im,la", "a,b,c"};
    for (size_t i = 0; i < COUNT(names); i++) {
        dataset_full_name(names[i], full);
        ck_assert_str_eq(full, names[i]);
    }
    snprintf(folder, sizeof(folder), "%s", testing_path("with,comma")); /* a pair in it would be three names */
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    ck_assert_int_eq(chdir(folder), 0);
    dataset_full_name("im,la", full);
    ck_assert_str_eq(full, "im,la");
}

TEST(mistyped_name_gets_the_nearest)
{
    refused("digit", "did you mean digits?");
    refused("Iris", "did you mean iris?");
    refused("mnsit", "did you mean mnist?");
}

TEST(unknown_name_gets_the_list)
{
    Dataset dataset;
    ck_assert(!dataset_open("imagenet", &dataset, &error));
    ck_assert_ptr_null(strstr(error.text, "did you mean"));
    static const char *const names[] = {"digits", "iris", "mnist", "fashion", ".csv", "IMAGES,LABELS"};
    for (size_t i = 0; i < COUNT(names); i++)
        ck_assert_ptr_nonnull(strstr(error.text, names[i]));
    refused("", "there is no data set \"\"");
}

TEST(long_name_leaves_room_for_the_sentence)
{
    char name[5000];
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    refused(name, "expected digits");
    memcpy(name + sizeof(name) - 5, ".csv", 4);
    refused(name, "x");
    name[4500] = ',';
    refused(name, "x");
}

TEST(file_of_unknown_kind_is_refused)
{
    refused(testing_write("data.txt", "1,2\n", 4), "its name does not tell what it is");
}

TEST(bad_pairs_are_refused)
{
    refused("a,", "one comma");
    refused(",b", "one comma");
    refused("a,b,c", "one comma");
    refused("none/a,none/b", "none/a: cannot be opened");
}

TEST(create_refuses_what_cannot_be)
{
    Dataset dataset;
    ck_assert(!dataset_create(&dataset, 0, 1, 1, 1, &error));
    ck_assert(!dataset_create(&dataset, 1, 1, -1, 1, &error));
    ck_assert(!dataset_create(&dataset, SIZE_MAX, 1 << 30, 1 << 30, 1 << 30, &error));
    ck_assert(!dataset_create(&dataset, (size_t)1 << 55, 1, 1, 1, &error));
    ck_assert_ptr_null(dataset.x);
}

TEST_MAIN("dataset")
