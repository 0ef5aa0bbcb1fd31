/* OpenBLAS as a peer: see openblas.h. SPDX-License-Identifier: MIT */
#include "cpu/openblas.h"
#include "core/library.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Debian's name is one link to the build with threads; Fedora tells its builds apart by a letter. */
static const char *const names[] = {"libopenblasp.so.0", "libopenblaso.so.0", "libopenblas.so.0", "libopenblas.dylib",
                                    NULL};

/* Loaded once, for the whole program. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static Openblas openblas;
static void (*set_threads)(int threads);
static char description[96];
static Error why_not;

/* "OpenBLAS 0.3.21 NO_LAPACKE .." and "Cooperlake": the version is the second word. */
static void
describe(const char *config, const char *core)
{
    const char *space = strchr(config, ' ');
    const size_t length = space ? (size_t)(space + 1 - config) + strcspn(space + 1, " ") : strlen(config);
    snprintf(description, sizeof(description), "%.*s, %.32s", (int)(length < 48 ? length : 48), config, core);
}

static void
load(void)
{
    void *library = library_open(names, &why_not);
    if (library == NULL)
        return;
    char *(*config)(void) = (char *(*)(void))library_function(library, "openblas_get_config");
    char *(*core)(void) = (char *(*)(void))library_function(library, "openblas_get_corename");
    set_threads = (void (*)(int))library_function(library, "openblas_set_num_threads");
    openblas.sgemm = (CblasSgemm *)library_function(library, "cblas_sgemm");
    openblas.sgemv = (CblasSgemv *)library_function(library, "cblas_sgemv");
    if (config && core && set_threads && openblas.sgemm && openblas.sgemv) {
        describe(config(), core());
    } else {
        openblas = (Openblas){0};
        error_set(&why_not, "the library that is installed as OpenBLAS lacks functions that it should have");
    }
}

const Openblas *
openblas_get(Error *error)
{
    pthread_once(&once, load);
    if (openblas.sgemm != NULL)
        return &openblas;
    error_set(error, "%s", why_not.text);
    return NULL;
}

bool
openblas_accepts(const int *size, Error *reason)
{
    (void)size;
    return openblas_get(reason) != NULL;
}

const char *
openblas_describe(void)
{
    return openblas_get(NULL) != NULL ? description : why_not.text;
}

void
openblas_use_threads(int threads)
{
    if (openblas_get(NULL) != NULL)
        set_threads(threads);
}
