/* The machine and the build that a result belongs to.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/host_limits.h"
#include "core/instructions.h"
#include "core/pin.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef HAVE_MPI
#include <mpi.h>
#endif

/* Copies `from` up to the first of the characters in `stop`, cut to fit. */
static void
copy_until(char *to, size_t size, const char *from, const char *stop)
{
    size_t length = strcspn(from, stop);
    snprintf(to, size, "%.*s", (int)(length < size ? length : size - 1), from);
}

/* The value behind the first "key : value" line in /proc/cpuinfo. */
static bool
cpuinfo_value(const char *key, char *value, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[512];
    bool found = false;
    while (file && !found && fgets(line, sizeof(line), file)) {
        const char *colon = strchr(line, ':');
        found = colon && strncmp(line, key, strlen(key)) == 0;
        if (found)
            copy_until(value, size, colon + 1 + strspn(colon + 1, " \t"), "\n");
    }
    if (file)
        fclose(file);
    return found;
}

static void
find_system(Host *host)
{
    struct utsname name;
    if (uname(&name) != 0)
        memset(&name, 0, sizeof(name));
    snprintf(host->system, sizeof(host->system), "%.40s %.50s %.30s", name.sysname, name.release, name.machine);
    if (!cpuinfo_value("model name", host->processor, sizeof(host->processor)) &&
        !host_read_line("/sys/firmware/devicetree/base/model", host->processor, sizeof(host->processor)))
        copy_until(host->processor, sizeof(host->processor), name.machine[0] ? name.machine : "unknown", "");
}

static void
find_cores_and_memory(Host *host)
{
    cpu_set_t allowed;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    host->cores = sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed) : (int)online;
    const long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
    host->memory = pages > 0 && page_size > 0 ? (size_t)pages * (size_t)page_size : SIZE_MAX / 2;
    host_limits(&host->cores, &host->memory);
    if (host->cores < 1)
        host->cores = 1;
}

/* /sys/.../cache/index*: level, type and a size such as "32K". */
static void
find_caches_in_sys(Host *host)
{
    for (int i = 0; i < 8; i++) {
        char path[96], level[16], type[32], size[32];
        const char *const folder = "/sys/devices/system/cpu/cpu0/cache/index";
        snprintf(path, sizeof(path), "%s%d/level", folder, i);
        bool known = host_read_line(path, level, sizeof(level));
        snprintf(path, sizeof(path), "%s%d/type", folder, i);
        known = known && host_read_line(path, type, sizeof(type));
        snprintf(path, sizeof(path), "%s%d/size", folder, i);
        known = known && host_read_line(path, size, sizeof(size));
        if (!known || strcmp(type, "Instruction") == 0 || atoi(level) < 1 || atoi(level) > 3)
            continue;
        char *suffix = size;
        size_t bytes = (size_t)strtoull(size, &suffix, 10);
        host->cache[atoi(level)] = *suffix == 'K' ? bytes << 10 : *suffix == 'M' ? bytes << 20 : bytes;
    }
}

bool
host_parse_caches(const char *text, size_t cache[4])
{
    size_t sizes[4] = {0};
    for (int i = 1; i <= 3; i++) {
        char *end;
        const unsigned long long number = strtoull(text, &end, 10);
        const int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 0;
        if (*text < '0' || *text > '9' || shift == 0 || number == 0 || number > 1ULL << (40 - shift) ||
            end[1] != (i < 3 ? ',' : '\0'))
            return false;
        sizes[i] = (size_t)number << shift;
        text = end + 2;
    }
    memcpy(cache, sizes, sizeof(sizes));
    return true;
}

static void
find_caches(Host *host)
{
    const char *const named = getenv("RUNGS_CACHES");
    if (named != NULL && *named != '\0') {
        if (host_parse_caches(named, host->cache))
            return;
        fprintf(stderr,
                "RUNGS_CACHES is \"%.40s\", not the sizes of L1, L2 and L3 such as 32K,512K,16M: it is ignored\n",
                named);
    }
    find_caches_in_sys(host);
#ifdef _SC_LEVEL1_DCACHE_SIZE
    const int names[4] = {0, _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
    for (int i = 1; i <= 3; i++) {
        const long bytes = host->cache[i] ? 0 : sysconf(names[i]);
        if (bytes > 0)
            host->cache[i] = (size_t)bytes;
    }
#endif
}

static void
find_build(Host *host)
{
    host->vector_bits = instructions_of_build().vector_bits;
#ifdef __clang__
    snprintf(host->compiler, sizeof(host->compiler), "clang %d.%d.%d", __clang_major__, __clang_minor__,
             __clang_patchlevel__);
#else
    snprintf(host->compiler, sizeof(host->compiler), "gcc %d.%d.%d", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
#ifdef _OPENMP
    host->openmp = _OPENMP;
#endif
}

static void
find_libraries(Host *host)
{
    (void)host;
#ifdef HAVE_MPI
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(version, &length); /* allowed before MPI_Init */
    copy_until(host->mpi, sizeof(host->mpi), version, ",\n");
#endif
}

/* Global, because there is one machine. */
static Host this_host;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
measure(void)
{
    find_system(&this_host);
    find_cores_and_memory(&this_host);
    find_caches(&this_host);
    find_build(&this_host);
    find_libraries(&this_host);
}

const Host *
host_get(void)
{
    pthread_once(&once, measure);
    return &this_host;
}

#ifdef _OPENMP

/* OpenMP ignores a container's quota: without a number from the user, the cores that we may use are chosen. */
static pthread_once_t threads_once = PTHREAD_ONCE_INIT;

static void
choose_threads(void)
{
    if (!getenv("OMP_NUM_THREADS") && omp_get_max_threads() > host_get()->cores)
        omp_set_num_threads(host_get()->cores);
}

int
host_threads(void)
{
    pthread_once(&threads_once, choose_threads);
    return omp_get_max_threads();
}

void
host_set_threads(int threads)
{
    if (threads < 1)
        return;
    host_get(); /* counts the cores, before this thread is pinned to one of them */
    pthread_once(&threads_once, choose_threads);
    omp_set_num_threads(threads);
    pin_threads(threads);
}

#else

int
host_threads(void)
{
    return 1;
}

void
host_set_threads(int threads)
{
    (void)threads;
}

#endif
