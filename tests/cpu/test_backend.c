/* The tables of kernels by name, and the rungs of gemm by name, which the ladder, --kernels and RUNGS_GEMM share.
 * SPDX-License-Identifier: MIT */
#include "cpu/backend.h"
#include "cpu/gemm/choose.h"
#include "cpu/ladders.h"
#include "tests/testing.h"

static int
choices(void)
{
    int count = 0;
    while (gemm_choices[count].name)
        count++;
    return count;
}

TEST(the_choices_are_the_ladders_rungs)
{
    int rung = 0;
    for (int i = 0; i < (int)gemm_ladder.count; i++) {
        if (gemm_ladder.rungs[i].peer)
            continue;
        ck_assert_int_lt(rung, choices());
        ck_assert_str_eq(gemm_ladder.rungs[i].name, gemm_choices[rung].name);
        ck_assert(gemm_ladder.rungs[i].function == (LadderFunction *)gemm_choices[rung].run);
        rung++;
    }
    ck_assert_int_eq(rung, choices());
    ck_assert(gemm_best() == &gemm_choices[rung - 1]);
}

TEST(rungs_are_found_by_name)
{
    for (int i = 0; i < choices(); i++)
        ck_assert(gemm_by_name(gemm_choices[i].name) == &gemm_choices[i]);
    ck_assert_ptr_null(gemm_by_name("openblas"));
    ck_assert_ptr_null(gemm_by_name("block"));
    ck_assert_ptr_null(gemm_by_name(""));
}

/* But for gemm and the name, which are made equal first. */
static bool
same_kernels(const Backend *a, const Backend *b)
{
    Backend x = *a, y = *b;
    x.name = y.name = NULL;
    x.gemm = y.gemm = gemm_naive;
    return memcmp(&x, &y, sizeof x) == 0; /* pointers alone: there is no padding */
}

TEST(a_rungs_name_gives_the_best_table_with_that_gemm)
{
    const Backend *best = cpu_backend("best", NULL), *naive = cpu_backend("naive", NULL);
    ck_assert(best->gemm == gemm_best()->run);
    ck_assert(naive->gemm == gemm_choices[0].run);
    ck_assert(!same_kernels(best, naive));
    for (int i = 1; i < choices(); i++) { /* 0 is naive, which names a table of its own */
        const Backend *backend = cpu_backend(gemm_choices[i].name, NULL);
        ck_assert_ptr_nonnull(backend);
        ck_assert_str_eq(backend->name, gemm_choices[i].name);
        ck_assert(backend->gemm == gemm_choices[i].run);
        ck_assert(same_kernels(backend, best));
        ck_assert(cpu_backend(gemm_choices[i].name, NULL) == backend);
    }
}

TEST(every_listed_name_has_a_table)
{
    char names[512];
    int count = 0;
    ck_assert_uint_lt(strlen(cpu_backend_names()), sizeof names);
    strcpy(names, cpu_backend_names());
    for (const char *name = strtok(names, "|"); name; name = strtok(NULL, "|"), count++) {
        const Backend *backend = cpu_backend(name, NULL);
        ck_assert_msg(backend != NULL, "%s is listed, but there is no such table", name);
        ck_assert_str_eq(backend->name, name);
    }
    ck_assert_int_eq(count, 1 + choices()); /* best, and naive only once */
    ck_assert_ptr_eq(strstr(cpu_backend_names(), "naive|best|"), cpu_backend_names());
}

TEST(another_name_is_refused_with_all_names)
{
    static const char *const wrong[] = {"", "fastest", "naive|best", "Best", "openblas"};
    for (int i = 0; i < 5; i++) {
        ck_assert_refused(cpu_backend(wrong[i], &error), wrong[i]);
        ck_assert_msg(strstr(error.text, cpu_backend_names()) != NULL, "the names are not in \"%s\"", error.text);
        ck_assert_ptr_null(cpu_backend(wrong[i], NULL));
    }
}

TEST_MAIN("backend")
