/* The CUDA driver's interface, as far as it is needed, found in the process that has loaded it: NVIDIA's CUDA Driver API, Unified
 * Addressing and Memory Management. A program loads it before it has a pointer to ask about, but maybe after MPI_Init.
 * SPDX-License-Identifier: MIT */
#include "mpi/dropin/device.h"
#include "core/array.h"
#include "core/checked.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

typedef struct Driver {
    int (*pointer_get_attribute)(void *data, int attribute, uint64_t pointer);
    int (*copy_to_host)(void *host, uint64_t device, size_t bytes);
    int (*copy_to_device)(uint64_t device, const void *host, size_t bytes);
} Driver;

enum { MEMORY_TYPE = 2, MEMORY_OF_DEVICE = 2 }; /* CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_MEMORYTYPE_DEVICE */

/* Global: a process has one driver, and loads it once. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static Driver driver;
static atomic_bool driver_found;
static atomic_ullong libraries_seen; /* libraries ever loaded, when the driver was last looked for */

static int
count_libraries(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    *(unsigned long long *)count = info->dlpi_adds;
    return 1; /* the first knows */
}

/* A pointer to a function through memory: C has no conversion from void *. */
static void
look_up(void *library, const char *name, void *function)
{
    void *const found = dlsym(library, name);
    memcpy(function, &found, sizeof(found));
}

static void
look_for_driver(void)
{
    pthread_mutex_lock(&mutex);
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (library != NULL && !atomic_load(&driver_found)) {
        look_up(library, "cuPointerGetAttribute", &driver.pointer_get_attribute);
        look_up(library, "cuMemcpyDtoH_v2", &driver.copy_to_host);
        look_up(library, "cuMemcpyHtoD_v2", &driver.copy_to_device);
        atomic_store(&driver_found, driver.pointer_get_attribute != NULL && driver.copy_to_host != NULL &&
                                        driver.copy_to_device != NULL);
    }
    pthread_mutex_unlock(&mutex);
}

/* What most programs pay: a look at a count. */
static bool
driver_is_here(void)
{
    if (atomic_load_explicit(&driver_found, memory_order_acquire))
        return true;
    unsigned long long libraries = 0;
    dl_iterate_phdr(count_libraries, &libraries);
    if (atomic_exchange(&libraries_seen, libraries) != libraries)
        look_for_driver();
    return atomic_load(&driver_found);
}

static bool
is_on_device(const void *memory)
{
    unsigned type = 0;
    return driver_is_here() && driver.pointer_get_attribute(&type, MEMORY_TYPE, (uintptr_t)memory) == 0 &&
           type == MEMORY_OF_DEVICE;
}

Mirror
mirror_open(const void *memory, size_t bytes, bool read)
{
    Mirror mirror = {.host = (void *)(uintptr_t)memory, .bytes = bytes};
    if (memory == NULL || bytes == 0 || !is_on_device(memory))
        return mirror;
    mirror.device = mirror.host;
    mirror.host = array_create(bytes, 1);
    if (read)
        CHECK_THAT(driver.copy_to_host(mirror.host, (uintptr_t)mirror.device, bytes) == 0,
                   "the CUDA driver does not copy %zu bytes from %p to the host", bytes, mirror.device);
    return mirror;
}

void
mirror_close(Mirror *mirror, bool write)
{
    if (mirror->device == NULL)
        return;
    if (write)
        CHECK_THAT(driver.copy_to_device((uintptr_t)mirror->device, mirror->host, mirror->bytes) == 0,
                   "the CUDA driver does not copy %zu bytes from the host to %p", mirror->bytes, mirror->device);
    array_free(mirror->host);
}
