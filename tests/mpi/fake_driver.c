/* A CUDA driver that is none: memory of a device that the host cannot touch, on a machine without one. Of the driver's interface
 * what mpi/dropin/device.c needs, and one for the test.
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int cuMemAlloc_v2(uint64_t *device, size_t bytes);
EXPORT int cuMemFreeAll(void); /* the test's alone */
EXPORT int cuPointerGetAttribute(void *data, int attribute, uint64_t pointer);
EXPORT int cuMemcpyDtoH_v2(void *host, uint64_t device, size_t bytes);
EXPORT int cuMemcpyHtoD_v2(uint64_t device, const void *host, size_t bytes);

enum { BYTES = 1 << 22 };

static char *memory; /* of the device: any access of the host ends the process */
static size_t used;

int
cuMemAlloc_v2(uint64_t *device, size_t bytes)
{
    if (memory == NULL)
        memory = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || bytes > BYTES - used)
        return 2; /* CUDA_ERROR_OUT_OF_MEMORY */
    *device = (uintptr_t)memory + used;
    used += (bytes + 255) / 256 * 256;
    return 0;
}

int
cuMemFreeAll(void)
{
    used = 0;
    return 0;
}

static int
is_on_device(uint64_t address, size_t bytes)
{
    const uint64_t begin = (uintptr_t)memory;
    return memory != NULL && address >= begin && address - begin < BYTES && bytes <= BYTES - (address - begin);
}

int
cuPointerGetAttribute(void *data, int attribute, uint64_t pointer)
{
    if (attribute != 2 || !is_on_device(pointer, 0))
        return 1; /* CUDA_ERROR_INVALID_VALUE: so does the real one speak of the host's memory */
    *(unsigned *)data = 2;
    return 0;
}

static int
copy(void *to, const void *from, uint64_t device, size_t bytes)
{
    if (!is_on_device(device, bytes) || mprotect(memory, BYTES, PROT_READ | PROT_WRITE) != 0)
        return 1;
    memcpy(to, from, bytes);
    return mprotect(memory, BYTES, PROT_NONE) != 0;
}

int
cuMemcpyDtoH_v2(void *host, uint64_t device, size_t bytes)
{
    return copy(host, (const void *)(uintptr_t)device, device, bytes);
}

int
cuMemcpyHtoD_v2(uint64_t device, const void *host, size_t bytes)
{
    return copy((void *)(uintptr_t)device, host, device, bytes);
}
