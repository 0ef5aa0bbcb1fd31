/* Timelines in Chrome's trace format ("Trace Event Format", complete events): open the file in ui.perfetto.dev.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_TRACE_H
#define CORE_TRACE_H

#include "core/error.h"

typedef struct Trace Trace;

/* NULL path: a trace that records nothing, so that callers need no if. The file appears whole at trace_close. */
Trace *trace_create(const char *path, Error *error);

/* One span: process (rank) and thread choose the lane; times in seconds of clock_now(). Thread-safe. */
void trace_span(Trace *trace, const char *name, const char *category, int process, int thread, double start,
                double end);

/* How a lane is called in the picture. */
void trace_name_process(Trace *trace, int process, const char *name);

bool trace_close(Trace *trace, Error *error);

#endif
