/* Loading libraries while the program runs: see library.h. SPDX-License-Identifier: MIT */
#include "core/library.h"
#include "core/pin.h"
#include <stddef.h>

#ifdef HAVE_DLOPEN
#include <dlfcn.h>

void *
library_open(const char *const *names, Error *error)
{
    pin_release(); /* a thread starts where its parent may run */
    for (const char *const *name = names; *name != NULL; name++) {
        void *library = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
        if (library != NULL)
            return library;
    }
    error_set(error, "%s is not here; ./setup.sh installs it", names[0]);
    return NULL;
}

LibraryFunction *
library_function(void *library, const char *name)
{
    return (LibraryFunction *)dlsym(library, name);
}

void
library_close(void *library)
{
    if (library != NULL)
        dlclose(library);
}

#else

void *
library_open(const char *const *names, Error *error)
{
    error_set(error, "%s is not looked for: this build loads no libraries (BLAS=0)", names[0]);
    return NULL;
}

LibraryFunction *
library_function(void *library, const char *name)
{
    (void)library, (void)name;
    return NULL;
}

void
library_close(void *library)
{
    (void)library;
}

#endif
