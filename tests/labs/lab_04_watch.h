/* Pages of memory that tell when they are touched: in which order a function reads and writes its arrays, seen from outside. A
 * watched page may not be accessed. The first access ends in a signal handler, which notes it and opens the page.
 *
 *     float *B = lab_04_pages(floats);
 *     Lab04Watch watch[] = {{.address = &B[i], .peek = &C[j]}, ..};
 *     lab_04_watch(watch, count);          watched from here on
 *     .. the function is called ..
 *     lab_04_unwatch();                    watch[0].touched, .peeked and .thread say what happened
 *
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_LAB_04_WATCH_H
#define TESTS_LABS_LAB_04_WATCH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Lab04Watch {
    const float *address; /* all of its page is watched */
    const float *peek;    /* NULL, or an element in no watched page */
    bool touched;
    float peeked;       /* *peek when the page was touched first */
    const void *thread; /* who touched it: another pointer for each thread */
} Lab04Watch;

/* How many floats a page holds. */
size_t lab_04_page_floats(void);

/* Floats from the beginning of a page on, all 1. They are never freed: a test's process ends soon. */
float *lab_04_pages(size_t floats);

void lab_04_watch(Lab04Watch *watches, size_t count);
void lab_04_unwatch(void);

#endif
