/* gemm, peer: cblas_sgemm of BLIS, if it is here.
 *
 * BLIS chooses its kernels by the processor's name, and takes its portable ones, some ten times slower, where it does not know
 * that name: 0.9.0 knows no AMD processor after Zen 3. It is then loaded again with BLIS_ARCH_TYPE set to the best that the
 * processor can run. Functions and numbers: blis.h of 0.9.0.
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "core/host.h"
#include "core/library.h"
#include "cpu/gemm/peers.h"
#include "cpu/openblas.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fedora calls the build with OpenMP libbliso; Debian links libblis to the one that is chosen. */
static const char *const names[] = {"libbliso.so.4", "libblis.so.4", "libblis.4.dylib", NULL};
static const char variable[] = "BLIS_ARCH_TYPE";

/* Loaded once, for the whole program. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static CblasSgemm *sgemm;
static void (*set_threads)(long threads);
static int (*has_openmp)(void);
static char description[160];
static Error why_not;

/* The name of the best set of kernels in BLIS 0.9.0 that this processor can run, or NULL. */
static const char *
best_kernels(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        return "skx";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "haswell";
#endif
    return NULL;
}

/* The number that BLIS_ARCH_TYPE wants for this name; the two that we ask for are among the first. -1: none. */
static int
kernels_by_name(const char *(*name_of)(int kernels), const char *name)
{
    for (int i = 0; i < 8 && name != NULL; i++)
        if (strcmp(name_of(i), name) == 0)
            return i;
    return -1;
}

/* Asks which kernels would be used; if it is the portable ones and there are better, sets the variable and loads BLIS again. */
static void *
load_with_best_kernels(bool *set)
{
    void *library = library_open(names, &why_not);
    if (library == NULL || getenv(variable) != NULL)
        return library;
    int (*kernels)(void) = (int (*)(void))library_function(library, "bli_arch_query_id");
    const char *(*name_of)(int) = (const char *(*)(int))library_function(library, "bli_arch_string");
    if (kernels == NULL || name_of == NULL || strcmp(name_of(kernels()), "generic") != 0)
        return library;
    const int best = kernels_by_name(name_of, best_kernels());
    char number[8];
    snprintf(number, sizeof number, "%d", best);
    if (best < 0 || setenv(variable, number, 1) != 0)
        return library;
    *set = true;
    library_close(library);
    return library_open(names, &why_not);
}

static void
load(void)
{
    bool set = false;
    void *library = load_with_best_kernels(&set);
    if (library == NULL)
        return;
    void (*start)(void) = (void (*)(void))library_function(library, "bli_init");
    int (*kernels)(void) = (int (*)(void))library_function(library, "bli_arch_query_id");
    const char *(*name_of)(int) = (const char *(*)(int))library_function(library, "bli_arch_string");
    const char *(*version)(void) = (const char *(*)(void))library_function(library, "bli_info_get_version_str");
    set_threads = (void (*)(long))library_function(library, "bli_thread_set_num_threads");
    has_openmp = (int (*)(void))library_function(library, "bli_info_get_enable_openmp");
    CblasSgemm *const found = (CblasSgemm *)library_function(library, "cblas_sgemm");
    if (!start || !kernels || !name_of || !version || !set_threads || !has_openmp || !found) {
        error_set(&why_not, "the library that is installed as BLIS lacks functions that it should have");
        return;
    }
    start(); /* reads the variable */
    if (set)
        unsetenv(variable);
    sgemm = found;
    snprintf(description, sizeof description, "BLIS %.16s%s, %s%s", version(), has_openmp() ? " with OpenMP" : "",
             name_of(kernels()), set ? " (by BLIS_ARCH_TYPE: it does not know this processor)" : "");
}

bool
blis_accepts(const int *size, Error *reason)
{
    (void)size;
    pthread_once(&once, load);
    if (sgemm == NULL)
        return error_set(reason, "%s", why_not.text);
    return host_threads() == 1 || has_openmp() ||
           error_set(reason,
                     "this BLIS starts threads at each call, all on the caller's core; install libblis4-openmp");
}

const char *
blis_describe(void)
{
    pthread_once(&once, load);
    return sgemm != NULL ? description : why_not.text;
}

void
blis_use_threads(int threads)
{
    pthread_once(&once, load);
    if (sgemm != NULL)
        set_threads(threads);
}

void
gemm_blis(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda, const float *B,
          int ldb, float beta, float *C, int ldc)
{
    CHECK_THAT(sgemm != NULL, "BLIS is not here, or blis_accepts was not asked");
    sgemm(CBLAS_ROWS, transpose_a ? CBLAS_TRANSPOSED : CBLAS_AS_STORED,
          transpose_b ? CBLAS_TRANSPOSED : CBLAS_AS_STORED, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
