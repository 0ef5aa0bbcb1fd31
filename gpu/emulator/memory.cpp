/* Device memory: one range of addresses that only cudaMalloc gives out, so that a pointer says whose it is. The range is
 * reserved when it is first needed; the system gives it pages when they are touched. SPDX-License-Identifier: MIT */
#include "gpu/emulator/observe.h"
#include "gpu/emulator/runtime.h"
#include <deque>
#include <map>
#include <mutex>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

char *emulator_memory;
size_t emulator_memory_size;

/* Allocations begin at multiples of this, and at least that many bytes are between two. */
enum { MEMORY_ALIGNMENT = 256 };
/* So much freed memory is kept from being given out again where somebody watches for uses after it was freed. */
static const size_t MEMORY_KEPT = (size_t)256 << 20;

struct Allocation {
    size_t bytes;
    bool freed;
};

/* Never destroyed: programs may free memory while they end. */
static std::map<char *, Allocation> &allocations = *new std::map<char *, Allocation>;
static std::deque<char *> &kept = *new std::deque<char *>;
static size_t kept_bytes, used_bytes;
static std::recursive_mutex &lock = *new std::recursive_mutex;
typedef std::lock_guard<std::recursive_mutex> Locked;

/* As long as one lives, the host may use device memory: observe.h, host_begin. */
struct HostAccess {
    HostAccess()
    {
        EMULATOR_TELL(host_begin);
    }
    ~HostAccess()
    {
        EMULATOR_TELL(host_end);
    }
};

/* Half of the machine's memory; less if the system gives no such range. */
static bool
memory_reserve()
{
    if (emulator_memory != NULL)
        return true;
    const size_t least = (size_t)1 << 20;
    for (size_t bytes = (size_t)sysconf(_SC_PHYS_PAGES) / 2 * (size_t)sysconf(_SC_PAGESIZE); bytes >= least;
         bytes /= 2) {
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            continue;
        emulator_memory = (char *)memory;
        emulator_memory_size = bytes;
        return true;
    }
    return false;
}

static size_t
room_of(size_t bytes)
{
    return (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT + MEMORY_ALIGNMENT;
}

/* The first gap that is large enough; NULL: there is none. */
static char *
memory_find(size_t bytes)
{
    char *begin = emulator_memory + MEMORY_ALIGNMENT;
    for (const auto &entry : allocations) {
        if ((size_t)(entry.first - begin) >= room_of(bytes))
            break;
        begin = entry.first + room_of(entry.second.bytes);
    }
    return (size_t)(emulator_memory + emulator_memory_size - begin) >= room_of(bytes) ? begin : NULL;
}

/* Unused pages are returned to the system. */
static void
memory_release(char *address, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = ((uintptr_t)address + page - 1) / page * page,
                    end = ((uintptr_t)address + bytes) / page * page;
    if (end > begin)
        (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
    EMULATOR_TELL(released, address, bytes);
    allocations.erase(address);
}

/* Gives back what was freed first, until no more than `most` bytes of freed memory are kept. */
static void
memory_forget(size_t most)
{
    while (kept_bytes > most) {
        char *address = kept.front();
        kept.pop_front();
        kept_bytes -= allocations[address].bytes;
        memory_release(address, allocations[address].bytes);
    }
}

cudaError_t
cudaMalloc(void **address, size_t bytes)
{
    Locked locked(lock);
    *address = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (!memory_reserve() || bytes > emulator_memory_size)
        return runtime_error(cudaErrorMemoryAllocation);
    char *found = memory_find(bytes);
    if (found == NULL) {
        memory_forget(0);
        found = memory_find(bytes);
    }
    if (found == NULL)
        return runtime_error(cudaErrorMemoryAllocation);
    allocations[found] = {bytes, false};
    used_bytes += bytes;
    {
        HostAccess access;
        memset(found, 0xff, bytes);
    }
    EMULATOR_TELL(allocated, found, bytes);
    *address = found;
    return cudaSuccess;
}

cudaError_t
cudaFree(void *address)
{
    Locked locked(lock);
    if (address == NULL)
        return cudaSuccess;
    const auto entry = allocations.find((char *)address);
    if (entry == allocations.end() || entry->second.freed)
        return runtime_error(cudaErrorInvalidValue);
    entry->second.freed = true;
    used_bytes -= entry->second.bytes;
    kept_bytes += entry->second.bytes;
    kept.push_back(entry->first);
    EMULATOR_TELL(freed, address, entry->second.bytes);
    memory_forget(emulator_observer.freed != NULL ? MEMORY_KEPT : 0);
    return cudaSuccess;
}

cudaError_t
cudaMallocHost(void **address, size_t bytes)
{
    *address = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096 + (bytes == 0) * 4096);
    return *address != NULL ? cudaSuccess : runtime_error(cudaErrorMemoryAllocation);
}

cudaError_t
cudaFreeHost(void *address)
{
    free(address);
    return cudaSuccess;
}

cudaError_t
cudaMemGetInfo(size_t *available, size_t *total)
{
    Locked locked(lock);
    if (!memory_reserve())
        return runtime_error(cudaErrorMemoryAllocation);
    *total = emulator_memory_size;
    *available = emulator_memory_size - used_bytes;
    return cudaSuccess;
}

/* ---- copies ------------------------------------------------------------------------------------------ */

static bool
is_device(const void *address)
{
    return emulator_memory != NULL && (const char *)address >= emulator_memory &&
           (const char *)address < emulator_memory + emulator_memory_size;
}

/* All of it belongs to one allocation that is not freed. */
static bool
is_allocated(const void *address, size_t bytes)
{
    auto entry = allocations.upper_bound((char *)address);
    if (entry == allocations.begin())
        return false;
    --entry;
    return !entry->second.freed && (const char *)address + bytes <= entry->first + entry->second.bytes;
}

static bool
side_ok(const void *address, size_t bytes, bool device)
{
    return device ? is_device(address) && is_allocated(address, bytes) : !is_device(address);
}

cudaError_t
cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    Locked locked(lock);
    if (bytes == 0)
        return runtime_pending();
    const bool any = kind == cudaMemcpyDefault;
    const bool to_device = any ? is_device(to) : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = any ? is_device(from) : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (to == NULL || from == NULL || !side_ok(to, bytes, to_device) || !side_ok(from, bytes, from_device))
        return runtime_error(cudaErrorInvalidValue);
    if (runtime_pending() != cudaSuccess)
        return runtime_pending();
    {
        HostAccess access;
        memmove(to, from, bytes);
    }
    if (from_device)
        EMULATOR_TELL(read_by_host, from, bytes);
    if (to_device)
        EMULATOR_TELL(written_by_host, to, bytes);
    return cudaSuccess;
}

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t
cudaMemset(void *address, int byte, size_t bytes)
{
    Locked locked(lock);
    if (bytes > 0 && !side_ok(address, bytes, true))
        return runtime_error(cudaErrorInvalidValue);
    if (bytes > 0) {
        HostAccess access;
        memset(address, byte, bytes);
        EMULATOR_TELL(written_by_host, address, bytes);
    }
    return runtime_pending();
}

cudaError_t
cudaMemsetAsync(void *address, int byte, size_t bytes, cudaStream_t)
{
    return cudaMemset(address, byte, bytes);
}

cudaError_t
emulator_copy_symbol(void *to, const void *from, size_t bytes, size_t symbol_bytes, size_t offset)
{
    if (offset > symbol_bytes || bytes > symbol_bytes - offset)
        return runtime_error(cudaErrorInvalidValue);
    memcpy(to, from, bytes);
    return cudaSuccess;
}
