/* SPDX-License-Identifier: MIT */
#include "mpi/watch/heartbeat.h"
#include "core/array.h"
#include <float.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Seconds without a beat: then a process's state is looked up; a higher rank watches in its place; it is taken for stopped although
 * its state is not known. A busy machine delays a beat, but not for long: the thread hardly ever runs. */
static const double suspicious = 1, absent = 2, gone = 10;

Heartbeats
heartbeat_create(int size, int me, double interval)
{
    return (Heartbeats){size, me, interval, ARRAY(uint64_t, (size_t)size), ARRAY(double, (size_t)size)};
}

void
heartbeat_free(Heartbeats *heartbeats)
{
    array_free(heartbeats->beats);
    array_free(heartbeats->silent);
}

void
heartbeat_begin(Activity *mine)
{
    struct stat space;
    mine->process = (long)getpid();
    mine->process_space = stat("/proc/self/ns/pid", &space) == 0 ? (uint64_t)space.st_ino : 0;
}

/* Seconds without a beat of its thread. */
static double
silent_for(Heartbeats *heartbeats, const Activity *ranks, int r)
{
    const uint64_t beats = atomic_load_explicit(&ranks[r].beats, memory_order_relaxed);
    heartbeats->silent[r] = beats == heartbeats->beats[r] ? heartbeats->silent[r] + heartbeats->interval : 0;
    heartbeats->beats[r] = beats;
    return heartbeats->silent[r];
}

/* "1234 (name) T ..", whose name may hold anything (proc(5)): T stopped, t held by a debugger. 0: not known. */
static char
process_state(const Activity *activity, uint64_t space)
{
    char path[64], line[512], state = 0;
    if (activity->process_space == 0 || activity->process_space != space)
        return 0;
    snprintf(path, sizeof(path), "/proc/%ld/stat", activity->process);
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
heartbeat_stopped(Heartbeats *heartbeats, const Activity *ranks, Activity *now, const double *still)
{
    const int me = heartbeats->me;
    Stopped found = {.still = DBL_MAX};
    for (int r = 0; r < heartbeats->size; r++) {
        const double silent =
            r < me ? heartbeats->silent[r] : silent_for(heartbeats, ranks, r); /* lower ones: already */
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
heartbeat_lowest(Heartbeats *heartbeats, const Activity *ranks)
{
    for (int r = 0; r < heartbeats->me; r++)
        if (ranks[r].state == STATE_RUNNING && silent_for(heartbeats, ranks, r) < absent)
            return false;
    return true;
}
