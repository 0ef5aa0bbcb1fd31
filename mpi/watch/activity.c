/* SPDX-License-Identifier: MIT */
#include "mpi/watch/activity.h"
#include "mpi/watch/watch.h"
#include <stdarg.h>
#include <stdio.h>

/* Global, because there is one MPI in a process, and its calls have no argument for us. */
static Activity nobody_looks;
Activity *activity_mine = &nobody_looks;
int watch_on;
bool activity_parked;

const char *
watch_call_name(WatchCall call)
{
#define NAME(name) "MPI_" #name,
    static const char *const names[CALLS] = {WATCH_CALLS(NAME)};
#undef NAME
    return call == CALL_WINDOW ? "memory that its node shares" : names[call];
}

void
watch_phase(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(activity_mine->phase, PHASE_SIZE, format, arguments);
    va_end(arguments);
    activity_mine->phase_began = atomic_load(&activity_mine->moves);
}

void
watch_strict(bool strict)
{
    watch_on = strict ? watch_on | WATCH_STRICT : watch_on & ~WATCH_STRICT;
}
