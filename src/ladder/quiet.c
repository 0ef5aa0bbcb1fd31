/* Threads that have finished their part of a loop spin for a while in the hope of more work: those of libgomp for some 9 ms, of
 * OpenBLAS 20 ms, of LLVM's OpenMP 200 ms. What is measured meanwhile shares its cores with them.
 * SPDX-License-Identifier: MIT */
#include "ladder/quiet.h"
#include "core/clock.h"
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* "7 (name) R ..": the state is the letter behind the last parenthesis. R also while it waits for a core. */
static bool
is_running(const char *thread)
{
    char path[300], line[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", thread);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false; /* it has ended */
    if (fgets(line, sizeof line, file) == NULL)
        line[0] = '\0';
    fclose(file);
    const char *end = strrchr(line, ')');
    return end != NULL && end[1] == ' ' && end[2] == 'R';
}

/* This thread is one of them. */
static int
running_threads(void)
{
    DIR *threads = opendir("/proc/self/task");
    int count = 0;
    if (threads == NULL)
        return 1;
    for (struct dirent *entry; (entry = readdir(threads)) != NULL;)
        count += entry->d_name[0] != '.' && is_running(entry->d_name);
    closedir(threads);
    return count;
}

bool
quiet_wait(double seconds)
{
    const struct timespec pause = {.tv_nsec = 2 * 1000 * 1000};
    const double start = clock_now();
    do
        nanosleep(&pause, NULL);
    while (running_threads() > 1 && clock_now() - start < seconds);
    return running_threads() <= 1;
}
