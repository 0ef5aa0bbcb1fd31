/* Sizes that files and options ask for and memory does not have: a sentence, never the end of the program.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "data/batches.h"
#include "data/bytes.h"
#include "tests/data/idx_write.h"
#include <sys/resource.h>
#include <unistd.h>

/* Leaves this test, which has a process of its own, 64 MiB of address space beyond what the program itself takes. */
static void
limit_memory(void)
{
#if defined(__SANITIZE_ADDRESS__)
    skip_test("AddressSanitizer needs the whole address space");
#else
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1)
        skip_test("how much memory the program takes is not known without /proc");
    fclose(file);
    const rlim_t bytes = (rlim_t)(pages * sysconf(_SC_PAGESIZE)) + (64 << 20);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}), 0);
#endif
}

TEST(arrays_beyond_memory_are_refused)
{
    limit_memory();
    ck_assert_refused(array_try_create((size_t)1 << 28, 1, &error), "");
}

TEST(files_beyond_memory_are_refused)
{
    Bytes bytes;
    const char *path = testing_write("large", "x", 1);
    ck_assert_int_eq(truncate(path, 512 << 20), 0); /* a hole: takes no place on the disk */
    limit_memory();
    ck_assert_refused(bytes_read(path, BYTES_LIMIT, &bytes, &error), "no memory for 512 MiB; use a smaller file");
    ck_assert_ptr_null(bytes.data);
}

TEST(data_sets_beyond_memory_are_refused)
{
    Dataset dataset;
    limit_memory();
    ck_assert_refused(dataset_create(&dataset, 1 << 20, 1, 1, 100, &error), "");
    ck_assert_ptr_null(dataset.x);
}

TEST(splits_and_batches_beyond_memory_are_refused)
{
    static int labels[4000000];
    static size_t samples[4000000];
    const Dataset dataset = {.name = "large", .count = 4000000, .features = 1000, .classes = 1, .labels = labels};
    Split split;
    limit_memory();
    void *taken = array_create(40 << 20, 1);
    ck_assert(!dataset_split(&dataset, 0, 0.5, 1, &split, &error) && !split.train && !split.test);
    ck_assert(!dataset_split_at(&dataset, 10, 0, &split, &error) && !split.train && !split.test);
    ck_assert_ptr_null(batches_create(&dataset, samples, 1000000, (BatchOptions){.size = 1000000}, &error));
    array_free(taken);
}

/* 512 MiB of samples: a hole, which takes no place on the disk. */
TEST(streamed_sets_may_be_larger_than_memory)
{
    enum { COUNT = 8192, SIDE = 256 };
    char pair[2 * DATA_PATH_MAX];
    uint8_t header[16];
    Dataset dataset;
    idx_put(idx_put(idx_put(idx_put(header, 0x0803, 4), COUNT, 4), SIDE, 4), SIDE, 4);
    const char *images = testing_write("images", header, sizeof(header));
    ck_assert_int_eq(truncate(images, (off_t)sizeof(header) + (off_t)COUNT * SIDE * SIDE), 0);
    snprintf(pair, sizeof(pair), "%s,%s", images, idx_write_labels("labels", COUNT));
    limit_memory();
    ck_assert(!dataset_open(pair, &dataset, &error));
    ck_assert_ok(dataset_open_streamed(pair, &dataset, &error));
    Source *source = batches_create(&dataset, NULL, COUNT, (BatchOptions){32, true, false, 1}, &error);
    ck_assert_ok(source);
    for (uint64_t step = 0; step < source->steps; step += 16)
        ck_assert_ok(source_load(source, 0, step, 0, 32, &error) && source->x[0] == 0);
    source_free(source);
    dataset_free(&dataset);
}

TEST_MAIN("no_memory")
