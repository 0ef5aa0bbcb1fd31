/* Timelines in Chrome's trace format ("Trace Event Format", complete events): open the file in ui.perfetto.dev.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_TRACE_H
#define CORE_TRACE_H

#include "core/error.h"
#include <stddef.h>

typedef struct Trace Trace;

/* NULL path: a trace that records nothing, so that callers need no if. The file appears whole at trace_close. */
Trace *trace_create(const char *path, Error *error);

/* One that is not written but passed to the trace of another process, as text: trace_text, trace_add. */
Trace *trace_create_in_memory(void);

/* Seconds that are added to all times from now on: what the clock of the file's process is ahead of this one's. 0 at first. */
void trace_set_offset(Trace *trace, double seconds);

/* One span: process (rank) and thread choose the lane; times in seconds of clock_now(). Thread-safe. */
void trace_span(Trace *trace, const char *name, const char *category, int process, int thread, double start,
                double end);

/* How they are called in the picture: a process is a group of lanes, each of which is a thread. */
void trace_name_process(Trace *trace, int process, const char *name);
void trace_name_thread(Trace *trace, int process, int thread, const char *name);

/* All that a trace in memory has recorded so far, without a terminating 0; "" of others. Owned by it, good until its next event. */
const char *trace_text(Trace *trace, size_t *length);

/* Adds such a text, recorded here or in another process, to a trace. */
void trace_add(Trace *trace, const char *text, size_t length);

/* Writes the file, if there is one, and frees the trace. */
bool trace_close(Trace *trace, Error *error);

#endif
