/* Timelines in Chrome's trace format. SPDX-License-Identifier: MIT */
#include "core/trace.h"
#include "core/array.h"
#include "core/atomic_file.h"
#include "core/checked.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

struct Trace {
    FILE *out; /* events go there; NULL: nothing is recorded */
    AtomicFile file;
    char *text; /* in memory, and its length */
    size_t length;
    double offset;
    pthread_mutex_t lock;
    size_t events;
};

static Trace *
create(AtomicFile file)
{
    Trace *trace = ARRAY(Trace, 1);
    trace->file = file;
    trace->out = file.stream;
    CHECK_ZERO(pthread_mutex_init(&trace->lock, NULL));
    return trace;
}

Trace *
trace_create(const char *path, Error *error)
{
    AtomicFile file = {0};
    if (path && !atomic_open(&file, path, error))
        return NULL;
    if (path)
        fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [", file.stream);
    return create(file);
}

Trace *
trace_create_in_memory(void)
{
    Trace *trace = create((AtomicFile){0});
    CHECK_POINTER(trace->out = open_memstream(&trace->text, &trace->length));
    return trace;
}

void
trace_set_offset(Trace *trace, double seconds)
{
    trace->offset = seconds;
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
    fputs(trace->events++ ? ",\n" : "\n", trace->out);
    return trace->out;
}

static void
end_event(Trace *trace)
{
    CHECK_ZERO(pthread_mutex_unlock(&trace->lock));
}

void
trace_span(Trace *trace, const char *name, const char *category, int process, int thread, double start, double end)
{
    if (!trace->out || !isfinite(start) || !isfinite(end))
        return;
    FILE *out = begin_event(trace);
    fputs("{\"ph\": \"X\", \"name\": ", out);
    print_string(out, name);
    fputs(", \"cat\": ", out);
    print_string(out, category);
    /* Microseconds, with three digits for nanoseconds. */
    fprintf(out, ", \"pid\": %d, \"tid\": %d, \"ts\": %.3f, \"dur\": %.3f}", process, thread,
            1e6 * (start + trace->offset), 1e6 * fmax(end - start, 0));
    end_event(trace);
}

/* thread is negative for the name of a process. */
static void
name_lane(Trace *trace, int process, int thread, const char *name)
{
    if (!trace->out)
        return;
    FILE *out = begin_event(trace);
    fprintf(out, "{\"ph\": \"M\", \"name\": \"%s\", \"pid\": %d, ", thread < 0 ? "process_name" : "thread_name",
            process);
    if (thread >= 0)
        fprintf(out, "\"tid\": %d, ", thread);
    fputs("\"args\": {\"name\": ", out);
    print_string(out, name);
    fputs("}}", out);
    end_event(trace);
}

void
trace_name_process(Trace *trace, int process, const char *name)
{
    name_lane(trace, process, -1, name);
}

void
trace_name_thread(Trace *trace, int process, int thread, const char *name)
{
    name_lane(trace, process, thread, name);
}

const char *
trace_text(Trace *trace, size_t *length)
{
    *length = 0;
    if (!trace->out || trace->file.stream)
        return "";
    CHECK_ZERO(fflush(trace->out)); /* which is when text and length are filled in */
    *length = trace->length;
    return trace->text;
}

void
trace_add(Trace *trace, const char *text, size_t length)
{
    if (!trace->out || length == 0)
        return;
    FILE *out = begin_event(trace);
    fwrite(text, 1, length, out); /* begins with a new line */
    end_event(trace);
}

bool
trace_close(Trace *trace, Error *error)
{
    bool done = true;
    if (trace->file.stream) {
        fputs("\n]}\n", trace->out);
        done = atomic_commit(&trace->file, error);
    } else if (trace->out) {
        fclose(trace->out);
    }
    free(trace->text);
    pthread_mutex_destroy(&trace->lock);
    array_free(trace);
    return done;
}
