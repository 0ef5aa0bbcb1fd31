/* Limits that a container or a batch system sets by control groups.
 * SPDX-License-Identifier: MIT */
#include "core/host_limits.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
host_read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool read = fgets(line, (int)size, file) != NULL;
    fclose(file);
    if (read)
        line[strcspn(line, "\n")] = '\0';
    return read;
}

/* Cores in the quota "100000 50000" (v2: microseconds of computing, in a period; "max": no limit), rounded up; 0 without. */
static int
quota_cores(const char *folder)
{
    char path[600], line[64];
    long long quota = -1, period = 0;
    snprintf(path, sizeof(path), "%s/cpu.max", folder);
    if (host_read_line(path, line, sizeof(line))) {
        if (sscanf(line, "%lld %lld", &quota, &period) != 2)
            return 0;
    } else {
        snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", folder);
        if (host_read_line(path, line, sizeof(line)))
            quota = atoll(line);
        snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", folder);
        if (host_read_line(path, line, sizeof(line)))
            period = atoll(line);
    }
    return quota > 0 && period > 0 ? (int)((quota + period - 1) / period) : 0;
}

/* Bytes in memory.max (v2) or memory.limit_in_bytes (v1); SIZE_MAX without a limit. */
static size_t
memory_limit(const char *folder)
{
    static const char *const names[] = {"memory.max", "memory.limit_in_bytes"};
    char path[600], line[64];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        unsigned long long limit = 0;
        if (host_read_line(path, line, sizeof(line)) && sscanf(line, "%llu", &limit) == 1 && limit > 0)
            return (size_t)limit;
    }
    return SIZE_MAX;
}

static void
apply_limits(const char *folder, int *cores, size_t *memory)
{
    const int quota = quota_cores(folder);
    const size_t limit = memory_limit(folder);
    if (quota > 0 && quota < *cores)
        *cores = quota;
    if (limit < *memory)
        *memory = limit;
}

void
host_limits(int *cores, size_t *memory)
{
    char line[512] = "";
    if (host_read_line("/proc/self/cgroup", line, sizeof(line)) && strncmp(line, "0::/", 4) == 0) {
        for (char *slash; (slash = strrchr(line, '/')) && slash > line + 3; *slash = '\0') {
            char folder[560];
            snprintf(folder, sizeof(folder), "/sys/fs/cgroup%s", line + 3);
            apply_limits(folder, cores, memory);
        }
    }
    apply_limits("/sys/fs/cgroup", cores, memory);
    apply_limits("/sys/fs/cgroup/cpu", cores, memory);
    apply_limits("/sys/fs/cgroup/memory", cores, memory);
}
