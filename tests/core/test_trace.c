/* Timelines in Chrome's trace format. SPDX-License-Identifier: MIT */
#include "core/json.h"
#include "core/trace.h"
#include "tests/testing.h"

#include <pthread.h>

static cJSON *
events_of(cJSON *json)
{
    ck_assert_ptr_nonnull(json);
    cJSON *events = cJSON_GetObjectItem(json, "traceEvents");
    ck_assert(cJSON_IsArray(events));
    return events;
}

static double
number_in(const cJSON *event, const char *key)
{
    ck_assert(cJSON_IsNumber(cJSON_GetObjectItem(event, key)));
    return cJSON_GetObjectItem(event, key)->valuedouble;
}

static const char *
text_in(const cJSON *event, const char *key)
{
    ck_assert(cJSON_IsString(cJSON_GetObjectItem(event, key)));
    return cJSON_GetObjectItem(event, key)->valuestring;
}

TEST(span_has_the_fields_of_the_format)
{
    const char *path = testing_path("span.json");
    Trace *trace = trace_create(path, &error);
    trace_name_process(trace, 2, "rank 2");
    trace_span(trace, "gemm", "forward", 2, 1, 3.5, 3.75);
    ck_assert(trace_close(trace, &error));

    cJSON *json = json_read(path, &error), *events = events_of(json);
    ck_assert_int_eq(cJSON_GetArraySize(events), 2);
    const cJSON *name = cJSON_GetArrayItem(events, 0), *span = cJSON_GetArrayItem(events, 1);
    ck_assert_str_eq(text_in(name, "ph"), "M");
    ck_assert_str_eq(text_in(name, "name"), "process_name");
    ck_assert_str_eq(text_in(cJSON_GetObjectItem(name, "args"), "name"), "rank 2");
    ck_assert_str_eq(text_in(span, "ph"), "X");
    ck_assert_str_eq(text_in(span, "name"), "gemm");
    ck_assert_str_eq(text_in(span, "cat"), "forward");
    ck_assert_double_eq(number_in(span, "pid"), 2);
    ck_assert_double_eq(number_in(span, "tid"), 1);
    ck_assert_double_eq(number_in(span, "ts"), 3.5e6);
    ck_assert_double_eq(number_in(span, "dur"), 0.25e6);
    cJSON_Delete(json);
}

TEST(nanoseconds_survive_a_year_of_uptime)
{
    const char *path = testing_path("year.json");
    Trace *trace = trace_create(path, &error);
    const double year = 3.15e7;
    trace_span(trace, "a", "", 0, 0, year, year + 1e-6);
    ck_assert(trace_close(trace, &error));
    cJSON *json = json_read(path, &error);
    ck_assert_double_eq_tol(number_in(cJSON_GetArrayItem(events_of(json), 0), "dur"), 1, 0.005);
    cJSON_Delete(json);
}

TEST(names_are_escaped)
{
    const char *path = testing_path("names.json"), *name = "say \"hi\" \\ \n\t\x01 \xce\xb4";
    Trace *trace = trace_create(path, &error);
    trace_span(trace, name, name, 0, 0, 0, 1);
    ck_assert(trace_close(trace, &error));
    cJSON *json = json_read(path, &error);
    ck_assert_str_eq(text_in(cJSON_GetArrayItem(events_of(json), 0), "name"), name);
    cJSON_Delete(json);
}

TEST(times_that_are_none_are_left_out)
{
    const char *path = testing_path("none.json");
    Trace *trace = trace_create(path, &error);
    trace_span(trace, "a", "", 0, 0, NAN, 1);
    trace_span(trace, "b", "", 0, 0, 0, INFINITY);
    trace_span(trace, "c", "", 0, 0, 2, 1); /* backwards: of no length */
    ck_assert(trace_close(trace, &error));
    cJSON *json = json_read(path, &error);
    ck_assert_int_eq(cJSON_GetArraySize(events_of(json)), 1);
    ck_assert_double_eq(number_in(cJSON_GetArrayItem(events_of(json), 0), "dur"), 0);
    cJSON_Delete(json);
}

TEST(empty_trace_is_valid)
{
    const char *path = testing_path("empty.json");
    ck_assert(trace_close(trace_create(path, &error), &error));
    cJSON *json = json_read(path, &error);
    ck_assert_int_eq(cJSON_GetArraySize(events_of(json)), 0);
    cJSON_Delete(json);
}

TEST(without_a_path_nothing_is_recorded)
{
    Trace *trace = trace_create(NULL, &error);
    ck_assert_ptr_nonnull(trace);
    trace_span(trace, "a", "b", 0, 0, 0, 1);
    trace_name_process(trace, 0, "rank 0");
    ck_assert(trace_close(trace, &error));
}

/* What another process would have recorded, its clock 100 s behind. */
TEST(traces_of_other_processes_are_added)
{
    const char *path = testing_path("added.json");
    Trace *trace = trace_create(path, &error), *other = trace_create_in_memory(), *third = trace_create_in_memory();
    size_t length, none;
    trace_set_offset(other, 100);
    trace_name_thread(other, 1, 1, "communication");
    trace_span(other, "a", "", 1, 1, 2, 3);
    trace_span(third, "b", "", 2, 0, 4, 6);
    const char *text = trace_text(other, &length);
    trace_add(trace, text, length);
    trace_add(trace, "", 0);
    trace_span(trace, "c", "", 0, 0, 7, 8);
    text = trace_text(third, &length);
    trace_add(trace, text, length);
    ck_assert_str_eq(trace_text(trace, &none), "");
    ck_assert_uint_eq(none, 0);
    ck_assert(trace_close(trace, &error) && trace_close(other, &error) && trace_close(third, &error));

    cJSON *json = json_read(path, &error), *events = events_of(json);
    ck_assert_int_eq(cJSON_GetArraySize(events), 4);
    const cJSON *name = cJSON_GetArrayItem(events, 0), *a = cJSON_GetArrayItem(events, 1);
    ck_assert_str_eq(text_in(name, "name"), "thread_name");
    ck_assert_double_eq(number_in(name, "pid"), 1);
    ck_assert_double_eq(number_in(name, "tid"), 1);
    ck_assert_str_eq(text_in(cJSON_GetObjectItem(name, "args"), "name"), "communication");
    ck_assert_double_eq(number_in(a, "pid"), 1);
    ck_assert_double_eq(number_in(a, "ts"), 102e6);
    ck_assert_double_eq(number_in(a, "dur"), 1e6);
    ck_assert_str_eq(text_in(cJSON_GetArrayItem(events, 2), "name"), "c");
    ck_assert_str_eq(text_in(cJSON_GetArrayItem(events, 3), "name"), "b");
    cJSON_Delete(json);
}

enum { THREADS = 4, SPANS = 2000 };

static void *
record_spans(void *context)
{
    for (int i = 0; i < SPANS; i++)
        trace_span(context, "work", "thread", 0, i, i, i + 1);
    return NULL;
}

TEST(threads_do_not_mix_their_events)
{
    const char *path = testing_path("threads.json");
    Trace *trace = trace_create(path, &error);
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&threads[t], NULL, record_spans, trace), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    ck_assert(trace_close(trace, &error));
    cJSON *json = json_read(path, &error);
    ck_assert_int_eq(cJSON_GetArraySize(events_of(json)), THREADS * SPANS);
    cJSON_Delete(json);
}

TEST(file_that_cannot_be_made_is_refused)
{
    ck_assert_refused(trace_create(testing_path("absent/x.json"), &error), "absent/x.json");
}

TEST_MAIN("trace")
