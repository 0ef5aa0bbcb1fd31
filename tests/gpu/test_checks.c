/* Each kernel in tests/wrong/gpu/ has a mistake planted on a line marked `// WRONG: kind`. The emulator must find it there,
 * and nothing else. In kernels without mistakes (tests/gpu/right.cu) it must find nothing. In three orders of threads.
 * SPDX-License-Identifier: MIT */
#include "tests/gpu/checked.h"
#include <glob.h>

enum { MARKS = 8 };

typedef struct Mark {
    int line;
    char kind[64];
} Mark;

static const char *const orders[] = {"forward", "reverse", "17"};

/* ---- marks -------------------------------------------------------------------------------------------- */

static int
read_marks(const char *path, Mark marks[MARKS])
{
    static const char mark[] = "// WRONG: ";
    char text[256];
    int count = 0;
    FILE *in = fopen(path, "r");
    ck_assert_ptr_nonnull(in);
    for (int line = 1; fgets(text, sizeof(text), in) != NULL; line++) {
        const char *at = strstr(text, mark);
        if (at == NULL)
            continue;
        ck_assert_int_lt(count, MARKS);
        marks[count].line = line;
        snprintf(marks[count].kind, sizeof(marks[count].kind), "%s", at + strlen(mark));
        marks[count].kind[strcspn(marks[count].kind, "\n")] = '\0';
        count++;
    }
    fclose(in);
    return count;
}

static bool
is_at(const EmulatorPlace *place, const char *path, int line)
{
    if (place->file == NULL || place->line != line)
        return false;
    const char *a = strrchr(place->file, '/'), *b = strrchr(path, '/');
    return strcmp(a != NULL ? a + 1 : place->file, b != NULL ? b + 1 : path) == 0;
}

static bool
agrees(const Checked *checked, const EmulatorFinding *finding, const char *path, const Mark *mark)
{
    return strcmp(checked->name(finding->kind), mark->kind) == 0 &&
           (is_at(&finding->here, path, mark->line) || is_at(&finding->other, path, mark->line));
}

/* How many marks were not found, and how many findings have no mark; prints which. */
static int
count_differences(const Checked *checked, const char *path)
{
    Mark marks[MARKS];
    const int count = read_marks(path, marks);
    int wrong = count == 0;
    for (int i = 0; i < count; i++) {
        bool found = false;
        for (int j = 0; j < checked->findings(); j++)
            found |= agrees(checked, checked->finding(j), path, &marks[i]);
        if (!found)
            fprintf(stderr, "%s:%d: %s was not found\n", path, marks[i].line, marks[i].kind);
        wrong += !found;
    }
    for (int j = 0; j < checked->findings(); j++) {
        bool marked = false;
        for (int i = 0; i < count; i++)
            marked |= agrees(checked, checked->finding(j), path, &marks[i]);
        if (!marked)
            fprintf(stderr, "%s: a finding without a mark\n", path);
        wrong += !marked;
    }
    if (wrong > 0)
        checked->report(stderr, "A100");
    return wrong;
}

/* ---- tests --------------------------------------------------------------------------------------------- */

/* "tests/wrong/gpu/leak.cu" is run by wrong_leak(). */
static void
run_wrong(const Checked *checked, const char *path)
{
    char name[128];
    const char *base = strrchr(path, '/') + 1;
    snprintf(name, sizeof(name), "wrong_%.*s", (int)strcspn(base, "."), base);
    void (*run)(void) = (void (*)(void))function_of(checked->library, name);
    checked->reset();
    run();
    checked->library->synchronize();
}

TEST(each_planted_mistake_is_found_and_nothing_else)
{
    glob_t files;
    int wrong = 0;
    const Checked checked = checked_open("libwrong_checked.so", 0);
    ck_assert_int_eq(glob(RUNGS_ROOT "/tests/wrong/gpu/*.cu", 0, NULL, &files), 0);
    ck_assert_int_ge((int)files.gl_pathc, 14);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const bool leaks = strstr(files.gl_pathv[i], "/leak.cu") != NULL;
        for (int order = 0; order < (leaks ? 1 : COUNT(orders)); order++) {
            setenv("RUNGS_EMULATOR_ORDER", orders[order], 1);
            run_wrong(&checked, files.gl_pathv[i]);
            ck_assert_int_eq(leaks ? checked.leaks() : 0, leaks ? 1 : 0);
            wrong += count_differences(&checked, files.gl_pathv[i]);
        }
    }
    checked.reset();
    globfree(&files);
    ck_assert_int_eq(wrong, 0);
}

TEST(in_right_kernels_nothing_is_found)
{
    static const char *const names[] = {"right_barriers", "right_warp",    "right_last_block",
                                        "right_halves",   "right_vectors", "right_staged"};
    const Checked checked = checked_open("libkernels_checked.so", 0);
    for (size_t i = 0; i < COUNT(names); i++) {
        for (int order = 0; order < COUNT(orders); order++) {
            setenv("RUNGS_EMULATOR_ORDER", orders[order], 1);
            checked.reset();
            int (*run)(void) = (int (*)(void))function_of(checked.library, names[i]);
            const int wrong = run();
            const char *message = checked.library->synchronize();
            if (checked.findings() > 0 || message != NULL)
                checked.report(stderr, "A100");
            ck_assert_msg(message == NULL, "%s: %s", names[i], message);
            ck_assert_msg(wrong == 0 && checked.findings() == 0, "%s: %d wrong results, %d findings", names[i], wrong,
                          checked.findings());
        }
    }
}

/* The place of both accesses, the threads, the kernel, and how often. */
TEST(a_finding_says_where_and_who)
{
    const Checked checked = checked_open("libwrong_checked.so", 0);
    setenv("RUNGS_EMULATOR_ORDER", "forward", 1);
    run_wrong(&checked, "/missing_barrier.cu");
    ck_assert_int_eq(checked.findings(), 1);
    const EmulatorFinding *finding = checked.finding(0);
    ck_assert_str_eq(finding->kernel, "mirror");
    ck_assert_int_eq(finding->kind, FINDING_RACE_IN_BLOCK);
    /* Thread 0 reads tile[63] before thread 63 writes it: the pair (t, 63 - t) for each t, seen when the later of the two comes. */
    ck_assert_uint_eq(finding->count, 64);
    ck_assert_uint_eq(finding->here.thread[0] + finding->other.thread[0], 63);
    ck_assert_ptr_nonnull(strstr(finding->text, "__syncthreads"));
    ck_assert_ptr_null(checked.finding(1));
    ck_assert_ptr_null(checked.finding(-1));
    checked.reset();
    ck_assert_int_eq(checked.findings(), 0);
}

/* Also in code that is not compiled with callbacks, such as this file, and within memcpy. */
TEST(the_host_may_not_touch_device_memory)
{
    const Checked checked = checked_open("libkernels_checked.so", 0);
    const GpuLibrary *gpu = checked.library;
    volatile float *x = gpu->allocate(64 * sizeof(float));
    float y[64];
    ck_assert_ptr_null(gpu->fill((void *)x, 0, sizeof(y)));
    checked.reset();
    ck_assert_ptr_null(gpu->copy_out(y, (void *)x, sizeof(y)));
    ck_assert_int_eq(checked.findings(), 0);
    const int line = __LINE__ + 1;
    const float value = x[3];
    ck_assert_float_eq(value, 0);
    ck_assert_int_eq(checked.findings(), 1);
    ck_assert_int_eq(checked.finding(0)->kind, FINDING_DEVICE_POINTER);
    ck_assert_int_eq(checked.finding(0)->here.line, line);
    ck_assert_ptr_nonnull(strstr(checked.finding(0)->here.file, "test_checks.c"));
    ck_assert_ptr_nonnull(strstr(checked.finding(0)->text, "byte 12 of the 256 bytes"));
    ck_assert_ptr_null(gpu->fill((void *)x, 0, sizeof(y))); /* closes the memory again */
    memcpy(y, (const void *)x, sizeof(y));
    ck_assert_int_eq(checked.findings(), 2);
    gpu->free((void *)x);
    checked.reset();
}

TEST(leaks_are_told_where_they_were_allocated)
{
    const Checked checked = checked_open("libkernels_checked.so", 0);
    checked.reset();
    ck_assert_int_eq(checked.leaks(), 0);
    const int line = __LINE__ + 1;
    void *x = checked.library->allocate(100);
    ck_assert_int_eq(checked.leaks(), 1);
    ck_assert_int_eq(checked.findings(), 1);
    ck_assert_int_eq(checked.finding(0)->kind, FINDING_LEAK);
    ck_assert_int_eq(checked.finding(0)->here.line, line);
    checked.library->free(x);
    checked.reset();
    ck_assert_int_eq(checked.leaks(), 0);
}

TEST_MAIN("gpu checks")
