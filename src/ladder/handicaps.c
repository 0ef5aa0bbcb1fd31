/* Environment variables that make a benchmark's rows slower: see handicaps.h.
 * SPDX-License-Identifier: MIT */
#include "ladder/handicaps.h"
#include "core/process.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const Handicap handicaps[HANDICAPS] = {
    {"OPENBLAS_CORETYPE", "OpenBLAS runs the code of the processor that it names"},
    {"OPENBLAS_L2_SIZE", "OpenBLAS cuts its tiles for another cache"},
    {"OPENBLAS_THREAD_TIMEOUT", "OpenBLAS's waiting threads spin for another time"},
    {"NVPL_BLAS_DEBUG_CPU_TYPE", "NVPL BLAS runs the code of the processor that it names"},
    {"MKL_DEBUG_CPU_TYPE", "MKL runs the code of the processor that it names"},
    {"BLIS_ARCH_TYPE", "BLIS runs the code of the processor that it names"},
    {"ONEDNN_MAX_CPU_ISA", "oneDNN uses no instructions beyond those that it names"},
    {"DNNL_MAX_CPU_ISA", "oneDNN uses no instructions beyond those that it names"},
    {"OMP_WAIT_POLICY", "waiting threads sleep or spin"},
    {"GOMP_SPINCOUNT", "waiting threads spin for another time"},
    {"KMP_BLOCKTIME", "waiting threads spin for another time"},
};

/* Replaces this process by the same program with the same arguments. Returns only if that cannot be done. */
static void
start_again(const char *command)
{
    char *arguments[256] = {0}, *text = NULL;
    size_t length = 0, count = 0;
    FILE *file = fopen("/proc/self/cmdline", "r");
    while (file != NULL && count < 255 && getdelim(&text, &length, '\0', file) > 0) {
        arguments[count++] = text;
        text = NULL;
    }
    fflush(NULL);
    if (count > 0 && count < 255)
        execv("/proc/self/exe", arguments);
    fprintf(stderr, "%s: could not start again; unset these variables yourself, or some rows are too slow\n", command);
    for (size_t i = 0; i < count; i++)
        free(arguments[i]);
    free(text);
    if (file != NULL)
        fclose(file);
}

void
handicaps_remove(const char *command)
{
    static const char done[] = "RUNGS_BENCH_STARTED_AGAIN"; /* once, whatever happens */
    bool again = false;
    if (getenv(done) != NULL || process_count() > 1)
        return;
    for (int i = 0; i < HANDICAPS; i++) {
        const char *value = getenv(handicaps[i].name);
        if (value == NULL)
            continue;
        fprintf(stderr, "%s: starting again without %s=%s, which would slow some rows down\n", command,
                handicaps[i].name, value);
        again = true;
    }
    if (!again)
        return;
    handicaps_unset();
    setenv(done, "1", 1);
    start_again(command);
}

void
handicaps_unset(void)
{
    for (int i = 0; i < HANDICAPS; i++)
        unsetenv(handicaps[i].name);
}
