/* See lab_05_kernels.h. SPDX-License-Identifier: MIT */
#include "lab_05_kernels.h"
#include "core/array.h"
#include "core/checked.h"
#include "gpu/counters.h"
#include "gpu/gemm/gemm.h"
#include "grade.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The emulator reserves as much as it may when it is opened, and for each word of it a shadow of several times that size. */
#define DEVICE_MEMORY ((size_t)64 << 20)

/* A test's process opens one function. */
static const GpuLibrary *gpu;
static LibraryFunction *opened;
static GpuCounters counters;
static const EmulatorFinding *(*finding)(int i);
static const char *(*finding_name)(FindingKind kind);

LibraryFunction *
lab_05_open(const char *name)
{
    Error error = {{0}};
    grade_limit_memory(DEVICE_MEMORY);
    gpu = gpu_library(GPU_EMULATOR_CHECKED, &error);
    CHECK_THAT(gpu != NULL, "%s", error.text);
    grade_limit_memory(GRADE_MEMORY);
    CHECK_THAT(gpu_counters_open(&counters, gpu, &error), "%s", error.text);
    finding = (const EmulatorFinding *(*)(int))gpu_function(gpu, "emulator_finding", &error);
    finding_name = (const char *(*)(FindingKind))gpu_function(gpu, "emulator_finding_name", &error);
    CHECK_THAT(finding != NULL && finding_name != NULL, "%s", error.text);
    opened = gpu_function(gpu, name, &error);
    grade_that(opened != NULL, "your files have no function %s: it must keep its name, and extern \"C\" by its header",
               name);
    return opened;
}

void
lab_05_order(int i)
{
    static const char *const orders[LAB_05_ORDERS] = {"forward", "reverse", "17"};
    setenv("RUNGS_EMULATOR_ORDER", orders[i], 1);
}

float *
lab_05_to_device(const float *x, size_t n)
{
    float *device = gpu->allocate(n * sizeof(float));
    CHECK_THAT(device != NULL || n == 0, "no device memory for %zu floats", n);
    const char *failure = x != NULL && n > 0 ? gpu->copy_in(device, x, n * sizeof(float)) : NULL;
    CHECK_THAT(failure == NULL, "%s", failure);
    return device;
}

void
lab_05_from_device(float *x, const float *device, size_t n)
{
    const char *failure = n > 0 ? gpu->copy_out(x, device, n * sizeof(float)) : NULL;
    CHECK_THAT(failure == NULL, "%s", failure);
}

void
lab_05_free(float *device)
{
    gpu->free(device);
}

/* "exercises/05-gemm-gpu/row_sums.cu:41: race in a block: row_sums, block (0,0,0), thread (0,0,0): ..", or "". */
static const char *
first_finding(void)
{
    static char text[700];
    const EmulatorFinding *f = counters.findings() > 0 ? finding(0) : NULL;
    if (f == NULL)
        return "";
    const EmulatorPlace *at = &f->here;
    char others[48] = "";
    if (counters.findings() > 1)
        snprintf(others, sizeof(others), " (%d more after this one)", counters.findings() - 1);
    snprintf(text, sizeof(text), "%s:%d: %s: %s, block (%u,%u,%u), thread (%u,%u,%u): %s%s", at->file ? at->file : "?",
             at->line, finding_name(f->kind), f->kernel, at->block[0], at->block[1], at->block[2], at->thread[0],
             at->thread[1], at->thread[2], f->text, others);
    return text;
}

void
lab_05_wait(const char *what)
{
    const char *failure = gpu->synchronize();
    const char *found = failure != NULL ? first_finding() : "";
    grade_that(failure == NULL, "%s: %s%s%s", what, failure, *found ? ": " : "", found);
}

void
lab_05_gemm(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
            const float *B, int ldb, float beta, float *C, int ldc)
{
    CHECK_THAT(!transpose_a && !transpose_b, "the kernels do not transpose");
    const size_t a = (size_t)M * (size_t)lda, b = (size_t)K * (size_t)ldb, c = (size_t)M * (size_t)ldc;
    float *dA = lab_05_to_device(A, a), *dB = lab_05_to_device(B, b), *dC = lab_05_to_device(C, c);
    ((GpuGemm *)opened)(M, N, K, alpha, dA, lda, dB, ldb, beta, dC, ldc);
    char what[64];
    snprintf(what, sizeof(what), "M = %d, N = %d, K = %d", M, N, K);
    lab_05_wait(what);
    lab_05_from_device(C, dC, c);
    lab_05_free(dA);
    lab_05_free(dB);
    lab_05_free(dC);
}

void
lab_05_watch(void)
{
    counters.reset();
}

void
lab_05_no_findings(const char *what)
{
    grade_that(counters.findings() == 0, "%s: %s", what, first_finding());
}

const EmulatorKernel *
lab_05_counted(double flops)
{
    grade_that(counters.kernels() == 1, "%d different kernels were launched, expected one", counters.kernels());
    const EmulatorKernel *kernel = counters.kernel(0);
    const double done = (double)kernel->total.flops;
    grade_that(done >= flops || !counters.counts_exact(),
               "the kernel did %.0f additions and multiplications, its result takes at least %.0f", done, flops);
    return kernel;
}

double
lab_05_for_each(unsigned long long all, double one)
{
    return !counters.counts_exact() ? (double)NAN : one > 0 ? (double)all / one : (double)INFINITY;
}
