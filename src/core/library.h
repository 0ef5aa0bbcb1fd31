/* Libraries that may be there or not, looked for when they are first needed. The benchmarks load their peers in this way: several
 * of them define the same names (cblas_sgemm), and linked into one program the first would answer for all.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_LIBRARY_H
#define CORE_LIBRARY_H

#include "core/error.h"

/* Some function of a library: cast it to its type before calling it. */
typedef void LibraryFunction(void);

/* Loads the first of these names that is found; NULL ends them. Its symbols are local. NULL with a sentence if
 * none is found, or in a build without (make BLAS=0). Call it outside parallel regions: threads that the library starts may run
 * on all cores, and so may the caller from then on, until host_set_threads pins it again. */
void *library_open(const char *const *names, Error *error);

/* NULL if it has no such function, and neither have the libraries that it needs itself. */
LibraryFunction *library_function(void *library, const char *name);

/* For a library that is to be loaded again with another setting. Nothing of it may be in use. */
void library_close(void *library);

#endif
