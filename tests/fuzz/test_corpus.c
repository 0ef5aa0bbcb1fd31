/* Runs the fuzz targets over their corpus without a fuzzer, so that every `make test` does: each file as it is, cut at
 * every place, and with each byte changed. The targets are included, not linked, because all have the same entry: a new
 * one needs three lines here.
 * SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz.h"
#include <dirent.h>
#include <string.h>

int fuzz_csv(const uint8_t *data, size_t size);
#define LLVMFuzzerTestOneInput fuzz_csv
#include "tests/fuzz/fuzz_csv.c"
#undef LLVMFuzzerTestOneInput

int fuzz_idx(const uint8_t *data, size_t size);
#define LLVMFuzzerTestOneInput fuzz_idx
#include "tests/fuzz/fuzz_idx.c"
#undef LLVMFuzzerTestOneInput

#if __has_include("tests/fuzz/fuzz_safetensors.c")
#define HAVE_FUZZ_SAFETENSORS
int fuzz_safetensors(const uint8_t *data, size_t size);
#define LLVMFuzzerTestOneInput fuzz_safetensors
#include "tests/fuzz/fuzz_safetensors.c"
#undef LLVMFuzzerTestOneInput
#endif

#include "tests/testing.h" /* last: its `error` would be hidden by the targets' own */

typedef int Target(const uint8_t *data, size_t size);

enum { FILE_MAX = 1 << 20, CUT_MAX = 1024 }; /* longer files are run as they are, but not cut and changed */

/* On a copy of exactly this size, so that AddressSanitizer sees a byte read too many. */
static void
run_copy(Target *target, const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, data, size);
    target(copy, size);
    free(copy);
}

static void
run_changed(Target *target, uint8_t *data, size_t size)
{
    static const uint8_t changes[] = {0x01, 0x80, 0xff};
    for (size_t cut = 0; cut < size; cut++)
        run_copy(target, data, cut);
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < sizeof(changes); j++) {
            data[i] ^= changes[j];
            run_copy(target, data, size);
            data[i] ^= changes[j];
        }
    }
}

static void
run_file(Target *target, const char *path)
{
    static uint8_t data[FILE_MAX];
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be opened", path);
    size_t size = fread(data, 1, sizeof(data), file);
    fclose(file);
    run_copy(target, data, size);
    if (size <= CUT_MAX)
        run_changed(target, data, size);
}

/* Every file of tests/fuzz/corpus/<name>/; at least `least` of them, or the corpus was lost. */
static void
run_corpus(Target *target, const char *name, int least)
{
    char folder[1024], path[2048];
    snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/%s", RUNGS_ROOT, name);
    DIR *dir = opendir(folder);
    ck_assert_msg(dir != NULL, "%s cannot be opened", folder);
    int files = 0;
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        run_file(target, path);
        files++;
    }
    closedir(dir);
    ck_assert_int_ge(files, least);
}

TEST_CALL(csv_corpus, run_corpus(fuzz_csv, "csv", 20))
TEST_CALL(idx_corpus, run_corpus(fuzz_idx, "idx", 20))

TEST(safetensors_corpus)
{
#ifdef HAVE_FUZZ_SAFETENSORS
    run_corpus(fuzz_safetensors, "safetensors", 1);
#else
    skip_test("there is no tests/fuzz/fuzz_safetensors.c yet");
#endif
}

TEST_MAIN("corpus")
