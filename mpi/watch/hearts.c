/* SPDX-License-Identifier: MIT */
#include "mpi/watch/hearts.h"
#include "core/array.h"
#include <float.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Seconds without a beat: then a process's state is looked up; a higher rank watches in its place; it is taken for stopped although
 * its state is not known. A busy machine delays a beat, but not for long: the thread hardly ever runs. */
static const double suspicious = 1, absent = 2, gone = 10;

Hearts
hearts_create(int size, int me, double interval)
{
    return (Hearts){size, me, interval, ARRAY(uint64_t, (size_t)size), ARRAY(double, (size_t)size)};
}

void
hearts_free(Hearts *hearts)
{
    array_free(hearts->beats);
    array_free(hearts->silent);
}

void
hearts_begin(Doing *mine)
{
    struct stat space;
    mine->process = (long)getpid();
    mine->process_space = stat("/proc/self/ns/pid", &space) == 0 ? (uint64_t)space.st_ino : 0;
}

/* Seconds without a beat of its thread. */
static double
silent_for(Hearts *hearts, const Doing *ranks, int r)
{
    const uint64_t beats = atomic_load_explicit(&ranks[r].beats, memory_order_relaxed);
    hearts->silent[r] = beats == hearts->beats[r] ? hearts->silent[r] + hearts->interval : 0;
    hearts->beats[r] = beats;
    return hearts->silent[r];
}

/* "1234 (name) T ..", whose name may hold anything (proc(5)): T stopped, t held by a debugger. 0: not known. */
static char
process_state(const Doing *doing, uint64_t space)
{
    char path[64], line[512], state = 0;
    if (doing->process_space == 0 || doing->process_space != space)
        return 0;
    snprintf(path, sizeof(path), "/proc/%ld/stat", doing->process);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    const char *end = fgets(line, sizeof(line), file) != NULL ? strrchr(line, ')') : NULL;
    if (end != NULL && end[1] == ' ')
        state = end[2];
    fclose(file);
    return state;
}

Stopped
hearts_stopped(Hearts *hearts, const Doing *ranks, Doing *now, const double *still)
{
    const int me = hearts->me;
    Stopped found = {.still = DBL_MAX};
    for (int r = 0; r < hearts->size; r++) {
        const double silent = r < me ? hearts->silent[r] : silent_for(hearts, ranks, r); /* lower ones: already */
        if (now[r].state != STATE_RUNNING)
            continue;
        const char state = r != me && silent >= suspicious ? process_state(&now[r], now[me].process_space) : 'R';
        if (state == 't') {
            now[r].state = STATE_HELD;
            found.held = silent > found.held ? silent : found.held;
        } else if (state == 'T' || (state == 0 && silent >= gone)) {
            now[r].state = STATE_STOPPED;
            found.stopped = silent > found.stopped ? silent : found.stopped;
        } else if (still[r] < found.still) {
            found.still = still[r];
        }
        found.any = found.any || now[r].state != STATE_RUNNING;
    }
    return found;
}

bool
hearts_lowest(Hearts *hearts, const Doing *ranks)
{
    for (int r = 0; r < hearts->me; r++)
        if (ranks[r].state == STATE_RUNNING && silent_for(hearts, ranks, r) < absent)
            return false;
    return true;
}
