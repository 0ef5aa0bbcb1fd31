/* `rungs train --device`: what the network runs on, and what the emulator that checks has found.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/train_network.h"
#include "cpu/backend.h"
#include "gpu/backend.h"
#include "gpu/counters.h"
#include <string.h>

static GpuKind
kind_of(const char *device)
{
    return strcmp(device, "gpu") == 0        ? GPU_DEVICE
           : strcmp(device, "emulator") == 0 ? GPU_EMULATOR
                                             : GPU_EMULATOR_CHECKED;
}

const Backend *
train_choose_backend(TrainRun *run, int *status, Error *error)
{
    const char *device = run->options.device;
    Error reason;
    if (strcmp(device, "cpu") == 0)
        return cpu_backend(run->options.kernels, error);
    const GpuKind kind = kind_of(device);
    const Backend *backend = gpu_backend(kind, &reason);
    *status = backend ? *status : STATUS_FAILED;
    if (!backend)
        error_set(error, "--device %s: %s%s", device, reason.text,
                  kind == GPU_DEVICE ? "; --device emulator runs the same kernels here" : "");
    run->gpu = backend ? gpu_library(kind, error) : NULL;
    return backend;
}

int
train_report_findings(const TrainRun *run, int status)
{
    GpuCounters counters;
    Error error;
    if (run->gpu == NULL || run->gpu->kind != GPU_EMULATOR_CHECKED)
        return status;
    if (!gpu_counters_open(&counters, run->gpu, &error)) {
        fprintf(stderr, "%s: %s\n", run->kind->command, error.text);
        return STATUS_FAILED;
    }
    if (counters.findings() == 0) {
        printf("checked   no mistake found in the kernels\n");
        return status;
    }
    counters.report_findings(stderr);
    return STATUS_FAILED;
}
