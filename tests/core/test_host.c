/* The machine, and its limits from control group files that the test writes.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/host_limits.h"
#include "core/json.h"
#include "core/process.h"
#include "tests/testing.h"

#include <sched.h>
#ifdef _OPENMP
#include <omp.h>
#endif

TEST(host_is_plausible)
{
    const Host *host = host_get();
    ck_assert_ptr_eq(host, host_get());
    ck_assert_int_ge(host->cores, 1);
    ck_assert_uint_gt(host->memory, (size_t)64 << 20);
    ck_assert(host->processor[0] && host->system[0] && host->compiler[0]);
    ck_assert(host->vector_bits == 128 || host->vector_bits == 256 || host->vector_bits == 512);
    ck_assert(host->cache[1] == 0 || (host->cache[1] >= 4096 && host->cache[1] <= (size_t)16 << 20));
}

TEST(cores_follow_affinity)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
    ck_assert_int_eq(host_get()->cores, 1); /* first call in this process */
}

TEST(threads_can_be_set)
{
    ck_assert_int_ge(host_threads(), 1);
    host_set_threads(3);
#ifdef _OPENMP
    ck_assert_int_eq(host_threads(), 3);
    int counted = 0;
#pragma omp parallel
#pragma omp atomic
    counted++;
    ck_assert_int_eq(counted, 3);
    host_set_threads(0);
    host_set_threads(-1);
    ck_assert_int_eq(host_threads(), 3);
#else
    ck_assert_int_eq(host_threads(), 1);
#endif
}

TEST(line_of_a_file)
{
    char line[8];
    ck_assert(host_read_line(testing_write("file", "two\nlines", 9), line, sizeof(line)));
    ck_assert_str_eq(line, "two");
    ck_assert(host_read_line(testing_write("long", "0123456789", 10), line, sizeof(line)));
    ck_assert_str_eq(line, "0123456");
    ck_assert(!host_read_line(testing_write("empty", "", 0), line, sizeof(line)));
    ck_assert(!host_read_line(testing_path("absent"), line, sizeof(line)));
}

TEST(limits_only_lower)
{
    int cores = 1;
    size_t memory = 1000;
    host_limits(&cores, &memory);
    ck_assert_int_eq(cores, 1);
    ck_assert_uint_eq(memory, 1000);
}

TEST(json_names_the_machine)
{
    cJSON *json = json_host();
    ck_assert_str_eq(cJSON_GetObjectItem(json, "processor")->valuestring, host_get()->processor);
    ck_assert_int_eq(cJSON_GetObjectItem(json, "cores")->valueint, host_get()->cores);
    ck_assert(cJSON_HasObjectItem(json, "date") && cJSON_HasObjectItem(json, "compiler"));
    ck_assert(cJSON_HasObjectItem(json, "flags"));
    cJSON_Delete(json);
}

TEST(alone_this_is_rank_0_of_1)
{
    ck_assert_int_eq(process_rank(), 0);
    ck_assert_int_eq(process_count(), 1);
    process_stop(); /* without a start: nothing */
}

TEST_MAIN("host")
