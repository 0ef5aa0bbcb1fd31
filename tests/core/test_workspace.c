/* The workspace: it grows, keeps its address and contents where it is large enough, is a thread's own, and is freed with it.
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "tests/testing.h"
#include <pthread.h>

enum { LARGE_PAGE = 1 << 21 };

TEST(stays_where_it_is_large_enough)
{
    char *first = workspace(100);
    memset(first, 'x', 100);
    ck_assert_ptr_eq(workspace(100), first);
    ck_assert_ptr_eq(workspace(1), first);
    ck_assert_ptr_eq(workspace(0), first);
    ck_assert_int_eq(first[99], 'x');
}

TEST(grows)
{
    size_t sizes[] = {1, 4096, 4097, 100000, LARGE_PAGE, 3 * LARGE_PAGE + 1};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        char *space = workspace(sizes[i]);
        memset(space, (int)i, sizes[i]); /* all of it can be written */
        ck_assert_uint_eq((uintptr_t)space % 4096, 0);
        if (sizes[i] >= LARGE_PAGE)
            ck_assert_uint_eq((uintptr_t)space % LARGE_PAGE, 0);
    }
}

TEST(the_outer_one_is_another)
{
    char *inner = workspace(5000), *outer = workspace_outer(3000);
    memset(inner, 'i', 5000);
    memset(outer, 'o', 3000);
    ck_assert_ptr_eq(workspace(5000), inner);
    ck_assert_ptr_eq(workspace_outer(3000), outer);
    for (int i = 0; i < 5000; i++)
        ck_assert_int_eq(inner[i], 'i');
    for (int i = 0; i < 3000; i++)
        ck_assert_int_eq(outer[i], 'o');
    ck_assert_uint_eq((uintptr_t)outer % 4096, 0);
}

static void *
of_another_thread(void *mine)
{
    char *own = workspace(1000);
    memset(own, 2, 1000);
    return own == mine ? mine : NULL; /* what it had is freed as the thread ends: a leak checker would tell */
}

TEST(belongs_to_its_thread)
{
    char *mine = workspace(1000);
    memset(mine, 1, 1000);
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        void *same;
        ck_assert_int_eq(pthread_create(&thread, NULL, of_another_thread, mine), 0);
        ck_assert_int_eq(pthread_join(thread, &same), 0);
        ck_assert_ptr_null(same);
    }
    ck_assert_int_eq(mine[999], 1);
}

TEST_MAIN("workspace")
