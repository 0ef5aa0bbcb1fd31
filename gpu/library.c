/* Finding and opening the libraries of kernels: see library.h. SPDX-License-Identifier: MIT */
#include "gpu/library.h"
#include "core/checked.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLDER_MAX = 3072, PATH_MAX_HERE = 4096, FOLDERS_UP = 2 };

static const struct {
    const char *name, *file, *make;
} kinds[GPU_KINDS] = {
    [GPU_DEVICE] = {"device", "librungs_gpu.so", "'make gpu' makes it where nvcc is"},
    [GPU_EMULATOR] = {"emulator", "librungs_emulator.so", "'make' makes it where g++ is"},
    [GPU_EMULATOR_CHECKED] = {"emulator-checked", "librungs_emulator_checked.so", "'make' makes it where g++ is"},
};

const char *
gpu_kind_name(GpuKind kind)
{
    return kinds[kind].name;
}

LibraryFunction *
gpu_function(const GpuLibrary *library, const char *name, Error *error)
{
    LibraryFunction *function = library_function(library->handle, name);
    if (function == NULL)
        error_set(error, "the library of the %s has no function %s: build it again (make)", kinds[library->kind].name,
                  name);
    return function;
}

bool
gpu_functions(const GpuLibrary *library, const GpuFunction *functions, size_t count, Error *error)
{
    for (size_t i = 0; i < count; i++) {
        LibraryFunction *function = gpu_function(library, functions[i].name, error);
        if (function == NULL)
            return false;
        memcpy(functions[i].pointer, &function, sizeof(function)); /* all pointers to functions have one size (POSIX) */
    }
    return true;
}

/* ---- where is it? ------------------------------------------------------------------------------------ */

/* Removes the last part of a path; false if none is left. */
static bool
one_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path)
        return false;
    *slash = '\0';
    return true;
}

static bool
find_file(const char *file, char path[PATH_MAX_HERE])
{
    char folder[FOLDER_MAX] = "";
    const char *chosen = getenv("RUNGS_GPU_LIBRARIES");
    if (chosen != NULL && *chosen != '\0') {
        snprintf(path, PATH_MAX_HERE, "%s/%s", chosen, file);
        return access(path, R_OK) == 0;
    }
    if (readlink("/proc/self/exe", folder, sizeof(folder) - 1) <= 0)
        return false;
    for (int up = 0; up <= FOLDERS_UP && one_up(folder); up++) {
        snprintf(path, PATH_MAX_HERE, "%s/%s", folder, file);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* ---- opening ----------------------------------------------------------------------------------------- */

static void
describe(GpuLibrary *library)
{
    const GpuProperties *p = &library->properties;
    if (p->emulated)
        snprintf(library->about, sizeof(library->about), "emulator%s: results right, times meaningless",
                 p->checked ? " that checks" : "");
    else
        snprintf(library->about, sizeof(library->about), "%s, %d multiprocessors, %.0f GB", p->name, p->multiprocessors,
                 (double)p->memory * 1e-9);
}

static bool
load_functions(GpuLibrary *library, Error *error)
{
    const GpuFunction functions[] = {{"gpu_allocate", &library->allocate}, {"gpu_free", &library->free},
                                     {"gpu_copy_in", &library->copy_in},   {"gpu_copy_out", &library->copy_out},
                                     {"gpu_copy", &library->copy},         {"gpu_fill", &library->fill},
                                     {"gpu_seconds", &library->seconds},   {"gpu_synchronize", &library->synchronize}};
    return gpu_functions(library, functions, sizeof(functions) / sizeof(functions[0]), error);
}

/* In a handout of the labs the kernels are built from a student's files: one that has no solution yet says so as C does. */
static void
note_unsolved(const char *exercise, const char *file, int line)
{
    if (checked_unsolved_hook != NULL)
        checked_unsolved_hook(exercise, file, line);
}

static void
watch_unsolved(void *handle)
{
    typedef void Hook(const char *exercise, const char *file, int line);
    void (*on_unsolved)(Hook *) = (void (*)(Hook *))library_function(handle, "gpu_on_unsolved");
    if (on_unsolved != NULL)
        on_unsolved(note_unsolved);
}

static bool
open_library(GpuLibrary *library, const char *path, Error *error)
{
    char reason[256];
    const char *const names[] = {path, NULL};
    Error why;
    library->handle = library_open(names, &why);
    if (library->handle == NULL)
        return error_set(error, "the library of kernels cannot be opened: %s", why.text);
    bool (*available)(char *, size_t) = (bool (*)(char *, size_t))gpu_function(library, "gpu_available", error);
    void (*properties)(GpuProperties *) = (void (*)(GpuProperties *))gpu_function(library, "gpu_properties", error);
    if (available == NULL || properties == NULL || !load_functions(library, error))
        return false;
    if (!available(reason, sizeof(reason)))
        return error_set(error, "%s", reason);
    properties(&library->properties);
    describe(library);
    watch_unsolved(library->handle);
    return true;
}

const GpuLibrary *
gpu_library_open(const char *path, Error *error)
{
    GpuLibrary *library = calloc(1, sizeof(*library));
    CHECK_POINTER(library);
    if (open_library(library, path, error)) {
        library->kind = !library->properties.emulated ? GPU_DEVICE
                        : library->properties.checked ? GPU_EMULATOR_CHECKED
                                                      : GPU_EMULATOR;
        return library;
    }
    free(library);
    return NULL;
}

const GpuLibrary *
gpu_library(GpuKind kind, Error *error)
{
    static const GpuLibrary *opened[GPU_KINDS];
    char path[PATH_MAX_HERE];
    if (opened[kind] != NULL)
        return opened[kind];
    if (!find_file(kinds[kind].file, path)) {
        error_set(error, "there is no %s beside this program: %s", kinds[kind].file, kinds[kind].make);
        return NULL;
    }
    return opened[kind] = gpu_library_open(path, error);
}

const GpuLibrary *
gpu_library_any(Error *why)
{
    Error device, emulator;
    const GpuLibrary *library = gpu_library(GPU_DEVICE, &device);
    if (library != NULL) {
        error_set(why, "%s", library->about);
        return library;
    }
    library = gpu_library(GPU_EMULATOR, &emulator);
    if (library != NULL)
        error_set(why, "the emulator (results right, times meaningless), for: %s", device.text);
    else
        error_set(why, "no kernels for a GPU can run here: %s; %s", device.text, emulator.text);
    return library;
}
