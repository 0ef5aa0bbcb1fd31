/* Where data files are looked for. SPDX-License-Identifier: MIT */
#include "data/data_folder.h"
#include "data/dataset.h"
#include "data/mnist.h"
#include "tests/testing.h"
#include <unistd.h>

static char path[DATA_PATH_MAX], long_name[2 * DATA_PATH_MAX];

static void
make_long_name(size_t length)
{
    memset(long_name, 'd', length);
    long_name[length] = '\0';
}

TEST(shipped_files_are_found)
{
    ck_assert_ok(data_shipped("iris.csv", path, &error));
    ck_assert_int_eq(access(path, R_OK), 0);
}

TEST(shipped_files_that_are_not_there_are_one_sentence)
{
    ck_assert_refused(data_shipped("no-such-set.csv", path, &error), "no-such-set.csv is in no folder data/");
    ck_assert_ptr_nonnull(strstr(error.text, "copy that folder's data/ beside the program"));
    make_long_name(DATA_PATH_MAX);
    ck_assert(!data_shipped(long_name, path, &error));
}

TEST(full_paths_hold_from_every_folder)
{
    char folder[DATA_PATH_MAX], wanted[DATA_PATH_MAX + 8];
    strcpy(folder, testing_write("full", "x", 1));
    *strrchr(folder, '/') = '\0';
    ck_assert_int_eq(chdir(folder), 0);
    snprintf(wanted, sizeof(wanted), "%s/full", folder);
    ck_assert(data_full_path("full", path));
    ck_assert_str_eq(path, wanted);
    ck_assert(data_full_path("/usr/.././usr//full", path));
    ck_assert_str_eq(path, "/usr/full");
    ck_assert(data_full_path("/full", path));
    ck_assert_str_eq(path, "/full");
    ck_assert_int_eq(symlink("full", testing_path("link")), 0);
    snprintf(wanted, sizeof(wanted), "%s/link", folder);
    ck_assert(data_full_path("./link", path)); /* not its target */
    ck_assert_str_eq(path, wanted);
}

TEST(full_paths_that_cannot_be)
{
    ck_assert(!data_full_path("no/such/folder/full", path));
    ck_assert(!data_full_path("", path) || strchr(path, '/'));
    make_long_name(DATA_PATH_MAX);
    ck_assert(!data_full_path(long_name, path));
    long_name[DATA_PATH_MAX - 1] = '/';
    ck_assert(!data_full_path(long_name, path));
}

TEST(find_prefers_the_raw_file)
{
    char folder[DATA_PATH_MAX];
    strcpy(folder, testing_write("one.gz", "x", 1));
    *strrchr(folder, '/') = '\0';
    ck_assert(data_find(folder, "one", path));
    ck_assert_str_eq(strrchr(path, '/'), "/one.gz");
    testing_write("one", "x", 1);
    ck_assert(data_find(folder, "one", path));
    ck_assert_str_eq(strrchr(path, '/'), "/one");
    ck_assert(!data_find(folder, "two", path));
    make_long_name(DATA_PATH_MAX);
    ck_assert(!data_find(folder, long_name, path));
}

TEST(folders_with_too_long_a_path_are_refused)
{
    Dataset dataset;
    make_long_name(DATA_PATH_MAX);
    setenv("RUNGS_DATA", long_name, 1);
    ck_assert(!data_folder(path, &error));
    ck_assert_str_eq(error.text, "RUNGS_DATA is too long a path");
    ck_assert(!mnist_open("mnist", false, &dataset, &error));
    long_name[DATA_PATH_MAX - 3] = '\0'; /* room for itself, but for no file in it */
    setenv("RUNGS_DATA", long_name, 1);
    ck_assert(data_folder(path, &error));
    ck_assert(!mnist_open("mnist", false, &dataset, &error));
    ck_assert_str_eq(error.text, "RUNGS_DATA is too long a path");
    unsetenv("RUNGS_DATA");
    setenv("HOME", long_name, 1);
    ck_assert(!data_folder(path, &error));
    ck_assert_str_eq(error.text, "HOME is too long a path");
}

TEST(images_with_too_long_a_name_are_refused)
{
    Dataset dataset;
    make_long_name(DATA_PATH_MAX + 1);
    strcat(long_name, ",labels");
    ck_assert_refused(dataset_open(long_name, &dataset, &error), "of at most 4095 bytes each");
}

TEST_MAIN("data_folder")
