/* Timelines in Chrome's trace format. SPDX-License-Identifier: MIT */
#include "core/trace.h"
#include "core/array.h"
#include "core/atomic_file.h"
#include "core/checked.h"

#include <math.h>
#include <pthread.h>

struct Trace {
    bool recording;
    AtomicFile file;
    pthread_mutex_t lock;
    size_t events;
};

Trace *
trace_create(const char *path, Error *error)
{
    AtomicFile file = {0};
    if (path && !atomic_open(&file, path, error))
        return NULL;
    Trace *trace = ARRAY(Trace, 1);
    trace->recording = path != NULL;
    trace->file = file;
    CHECK_ZERO(pthread_mutex_init(&trace->lock, NULL));
    if (path)
        fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [", file.stream);
    return trace;
}

/* A JSON string. Names that are not ASCII pass as they are: the file is UTF-8. */
static void
print_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

/* Events of all threads go through one lock: their lines must not mix. */
static FILE *
begin_event(Trace *trace)
{
    CHECK_ZERO(pthread_mutex_lock(&trace->lock));
    fputs(trace->events++ ? ",\n" : "\n", trace->file.stream);
    return trace->file.stream;
}

static void
end_event(Trace *trace)
{
    CHECK_ZERO(pthread_mutex_unlock(&trace->lock));
}

void
trace_span(Trace *trace, const char *name, const char *category, int process, int thread, double start, double end)
{
    if (!trace->recording || !isfinite(start) || !isfinite(end))
        return;
    FILE *out = begin_event(trace);
    fputs("{\"ph\": \"X\", \"name\": ", out);
    print_string(out, name);
    fputs(", \"cat\": ", out);
    print_string(out, category);
    /* Microseconds, with three digits for nanoseconds. */
    fprintf(out, ", \"pid\": %d, \"tid\": %d, \"ts\": %.3f, \"dur\": %.3f}", process, thread, 1e6 * start,
            1e6 * fmax(end - start, 0));
    end_event(trace);
}

void
trace_name_process(Trace *trace, int process, const char *name)
{
    if (!trace->recording)
        return;
    FILE *out = begin_event(trace);
    fprintf(out, "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %d, \"args\": {\"name\": ", process);
    print_string(out, name);
    fputs("}}", out);
    end_event(trace);
}

bool
trace_close(Trace *trace, Error *error)
{
    bool done = true;
    if (trace->recording) {
        fputs("\n]}\n", trace->file.stream);
        done = atomic_commit(&trace->file, error);
    }
    pthread_mutex_destroy(&trace->lock);
    array_free(trace);
    return done;
}
