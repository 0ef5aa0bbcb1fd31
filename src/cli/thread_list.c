/* The numbers of threads that a benchmark is asked to use: see thread_list.h.
 * SPDX-License-Identifier: MIT */
#include "cli/thread_list.h"
#include "core/host.h"

IntList
thread_list_default(void)
{
    const int cores = host_get()->openmp ? host_get()->cores : 1;
    return (IntList){.count = cores > 1 ? 2 : 1, .values = {1, cores}};
}

int
thread_list_max(const IntList *threads)
{
    int max = 1;
    for (int i = 0; i < threads->count; i++)
        max = threads->values[i] > max ? threads->values[i] : max;
    return max;
}

bool
thread_list_check(const IntList *threads, Error *error)
{
    const int most = thread_list_max(threads), cores = host_get()->cores;
    if (threads->count == 0)
        return error_set(error, "--threads is an empty list: name at least one number, as in --threads 1,%d", cores);
    if (most > 1 && !host_get()->openmp)
        return error_set(error, "--threads %d: this build has no OpenMP, so only 1 is possible", most);
    if (most > cores)
        return error_set(error,
                         "--threads %d: this process may use %d core%s, and threads that share one would only wait for "
                         "each other: give %d or less",
                         most, cores, cores == 1 ? "" : "s", cores);
    return true;
}
