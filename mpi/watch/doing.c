/* SPDX-License-Identifier: MIT */
#include "mpi/watch/doing.h"
#include "mpi/watch/watch.h"
#include <stdarg.h>
#include <stdio.h>

/* Global, because there is one MPI in a process, and its calls have no argument for us. */
static Doing nobody_looks;
Doing *doing_mine = &nobody_looks;
int watch_on;
bool doing_parked;

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
    vsnprintf(doing_mine->phase, PHASE_SIZE, format, arguments);
    va_end(arguments);
    doing_mine->phase_began = atomic_load(&doing_mine->moves);
}

void
watch_strict(bool strict)
{
    watch_on = strict ? watch_on | WATCH_STRICT : watch_on & ~WATCH_STRICT;
}
