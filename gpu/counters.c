/* See counters.h. SPDX-License-Identifier: MIT */
#include "gpu/counters.h"

bool
gpu_counters_open(GpuCounters *counters, const GpuLibrary *library, Error *error)
{
    const GpuFunction functions[] = {{"emulator_reset", &counters->reset},
                                     {"emulator_findings", &counters->findings},
                                     {"emulator_kernels", &counters->kernels},
                                     {"emulator_kernel", &counters->kernel},
                                     {"emulator_seconds", &counters->seconds},
                                     {"emulator_report", &counters->report},
                                     {"emulator_report_json", &counters->report_json},
                                     {"emulator_report_findings", &counters->report_findings},
                                     {"emulator_counts_exact", &counters->counts_exact}};
    if (library->kind != GPU_EMULATOR_CHECKED)
        return error_set(error, "only the emulator that checks counts: --device emulator-checked");
    return gpu_functions(library, functions, sizeof(functions) / sizeof(functions[0]), error);
}
