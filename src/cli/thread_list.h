/* The numbers of threads that a benchmark is asked to use.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_THREAD_LIST_H
#define CLI_THREAD_LIST_H

#include "core/error.h"
#include "core/options.h"

/* 1 and all the cores that this process may use; 1 alone in a build without OpenMP. */
IntList thread_list_default(void);

/* The largest; 1 for an empty list. */
int thread_list_max(const IntList *threads);

/* False with a sentence if this build or this machine cannot run that many at once: threads that share a core wait for each
 * other, and their times, and the peaks beside them, mean nothing. */
bool thread_list_check(const IntList *threads, Error *error);

#endif
