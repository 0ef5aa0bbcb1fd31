/* For the tests of the emulator's checks and counters: a library of kernels that watches, and what it offers for that.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_GPU_CHECKED_H
#define TESTS_GPU_CHECKED_H

#include "gpu/emulator/counters.h"
#include "gpu/library.h"
#include "tests/testing.h"
#include <unistd.h>

typedef struct Checked {
    const GpuLibrary *library;
    void (*reset)(void);
    int (*findings)(void);
    const EmulatorFinding *(*finding)(int i);
    const char *(*name)(FindingKind kind);
    int (*leaks)(void);
    const EmulatorKernel *(*kernel_named)(const char *prefix);
    double (*seconds)(const EmulatorKernel *kernel, const char *gpu, int cached);
    void (*report)(FILE *out, const char *gpu);
    void (*report_json)(FILE *out);
} Checked;

static inline LibraryFunction *
function_of(const GpuLibrary *library, const char *name)
{
    LibraryFunction *function = gpu_function(library, name, &error);
    if (function == NULL)
        ck_abort_msg("%s", error.text);
    return function;
}

/* The library of this name beside this program, or `up` folders above. */
static inline Checked
checked_open(const char *file, int up)
{
    char path[4096] = "";
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);
    ck_assert_int_gt(length, 0);
    for (int i = 0; i < up; i++)
        *strrchr(path, '/') = '\0';
    snprintf(strrchr(path, '/'), 64, "/%s", file);
    if (access(path, R_OK) != 0)
        skip_test("%s was not built: no C++ compiler", file);
#ifndef HAVE_DLOPEN
    skip_test("this build opens no libraries (BLAS=0, SANITIZE=1)");
#endif
    /* Libraries are never closed: a leak checker must see that this one is in use. */
    static const GpuLibrary *volatile kept;
    kept = gpu_library_open(path, &error);
    Checked c = {.library = kept};
    if (c.library == NULL)
        ck_abort_msg("%s", error.text);
    const GpuFunction functions[] = {{"emulator_reset", &c.reset},
                                     {"emulator_findings", &c.findings},
                                     {"emulator_finding", &c.finding},
                                     {"emulator_finding_name", &c.name},
                                     {"emulator_leaks", &c.leaks},
                                     {"emulator_kernel_named", &c.kernel_named},
                                     {"emulator_seconds", &c.seconds},
                                     {"emulator_report", &c.report},
                                     {"emulator_report_json", &c.report_json}};
    if (!gpu_functions(c.library, functions, COUNT(functions), &error))
        ck_abort_msg("%s", error.text);
    return c;
}

#endif
