/* May this address be used at all?
 *
 *     device memory   | .. | allocated | red zone | allocated | red zone | freed, kept aside | ..
 *     shared memory   | array | red zone | array | ..
 *
 * Bytes that were not allocated, or were freed, are not usable. So an index that is off by one lands in a red zone, where a
 * GPU would read its neighbour's data without an error.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/checks_memory.h"
#include "gpu/emulator/counters_log.h"
#include <algorithm>
#include <link.h>
#include <stdio.h>

static std::string
format_bytes(size_t bytes)
{
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

static bool
is_device(uintptr_t address)
{
    return address - (uintptr_t)emulator_memory < emulator_memory_size;
}

static bool
is_shared(uintptr_t address)
{
    return address - shadow_shared.begin < shadow_shared.bytes;
}

/* Where a region was declared or allocated; of device memory the lines are looked up on demand. */
static std::string
text_origin(const Region *region, Callers *allocated)
{
    if (region->file != NULL)
        return std::string(" declared at ") + short_path(region->file) + ":" + std::to_string(region->line);
    *allocated = region->callers;
    return region->callers.count > 0 ? "\1" : "";
}

/* "byte 12 of the 4096 bytes allocated at .." */
static std::string
text_within(const Region *region, uintptr_t address, Callers *allocated)
{
    return "byte " + std::to_string(address - region->begin) + " of the " + format_bytes(region->bytes) +
           text_origin(region, allocated);
}

std::string
memory_text(uintptr_t address, Callers *allocated)
{
    const bool shared = is_shared(address);
    const Region *region = region_at(shared, address);
    const std::string text = shared ? "shared memory" : "device memory";
    return region != NULL ? text + " (" + text_within(region, address, allocated) + ")" : text;
}

/* The nearest region before or after an address that is in none. */
static std::string
text_outside(uintptr_t address, bool shared, Callers *allocated)
{
    const Region *before = region_before(shared, address);
    const Region *after = region_after(shared, address);
    const bool behind =
        before != NULL && (after == NULL || address - (before->begin + before->bytes) < after->begin - address);
    const Region *near = behind ? before : after;
    if (near == NULL)
        return shared ? "shared memory that no array has" : "device memory that was not allocated";
    const size_t distance = behind ? address - (near->begin + near->bytes) : near->begin - address;
    const std::string text = (distance > 0 ? format_bytes(distance) + " " : "right ") +
                             (behind ? "behind the end of the " : "before the beginning of the ");
    return text + format_bytes(near->bytes) + (shared ? " of shared memory" : " of device memory") +
           text_origin(near, allocated);
}

void
place_outside(Shadow *shadow, const Access *access, uintptr_t word)
{
    const Region *region = shadow->shared ? NULL : region_at(false, word);
    const FindingKind kind = region != NULL && region->freed ? FINDING_AFTER_FREE : FINDING_OUT_OF_BOUNDS;
    if (finding_repeats(kind, access->pc, 0))
        return;
    uintptr_t address = std::max(access->address, word); /* the first byte that is wrong */
    while (address + 1 < access->address + access->bytes &&
           shadow->state[(address - shadow->begin) / 4] >> (4 + address % 4) & 1)
        address++;
    Sighting sighting = sighting_of(kind, access);
    sighting.text = (access->kind == ACCESS_READ ? "reads " : "writes ") + format_bytes(access->bytes) + ", ";
    if (kind == FINDING_AFTER_FREE)
        sighting.text +=
            text_within(region, address, &sighting.allocated) + ", which cudaFree has freed; free it later";
    else
        sighting.text +=
            text_outside(address, shadow->shared, &sighting.allocated) + "; check the index against the size";
    finding_add(&sighting);
}

/* ---- what is neither device nor shared memory ----------------------------------------------------------- */

struct Image {
    uintptr_t within, begin, end;
};

static int
find_image(struct dl_phdr_info *info, size_t size, void *context)
{
    Image *image = (Image *)context;
    uintptr_t begin = (uintptr_t)-1, end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        begin = std::min(begin, (uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
        end = std::max(end, (uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz));
    }
    (void)size;
    if (image->within < begin || image->within >= end)
        return 0;
    image->begin = begin;
    image->end = end;
    return 1;
}

/* The thread itself (threadIdx ..), and variables and constants of this library (__device__, __constant__). */
static bool
is_own(uintptr_t address)
{
    static Image image;
    if (image.end == 0) {
        image.within = (uintptr_t)&find_image;
        dl_iterate_phdr(find_image, &image);
    }
    if (address >= image.begin && address < image.end)
        return true;
    return address - (uintptr_t)emulator_thread < sizeof(Thread) ||
           address - (uintptr_t)&emulator_thread < sizeof(Thread *);
}

static void
host_pointer(const Access *access)
{
    char address[32];
    snprintf(address, sizeof(address), "%#zx", (size_t)access->address);
    Sighting sighting = sighting_of(FINDING_HOST_POINTER, access);
    if (access->address < 65536)
        sighting.text =
            std::string("uses address ") + address + ": a NULL pointer; did the allocation succeed, was it passed on?";
    else
        sighting.text = std::string("uses address ") + address +
                        ", which is not the device's (the host's memory, or another thread's " +
                        "local variable); copy the data with cudaMalloc and cudaMemcpy, and pass that pointer";
    if (!finding_repeats(FINDING_HOST_POINTER, access->pc, 0))
        finding_add(&sighting);
    emulator_stop("an illegal memory access was encountered");
}

static void
misaligned(const Access *access)
{
    Sighting sighting = sighting_of(FINDING_MISALIGNED, access);
    sighting.text = "uses " + format_bytes(access->bytes) + " at once, but " +
                    memory_text(access->address, &sighting.allocated) + " is no multiple of " +
                    std::to_string(access->bytes) + "; align the address, or use smaller accesses at the edges";
    if (!finding_repeats(FINDING_MISALIGNED, access->pc, 0))
        finding_add(&sighting);
    emulator_stop("misaligned address");
}

void
place_access(const Access *access)
{
    Shadow *shadow = is_device(access->address) ? &shadow_device : is_shared(access->address) ? &shadow_shared : NULL;
    if (shadow == NULL) {
        if (!is_own(access->address))
            host_pointer(access);
        return;
    }
    if (access->whole && access->address % access->bytes != 0)
        misaligned(access);
    if (access->address + access->bytes <= shadow->begin + shadow->bytes && check_words(shadow, access))
        log_access(access, shadow->shared);
}

void
place_host_access(uintptr_t address, const Callers *callers)
{
    Sighting sighting = {};
    sighting.kind = FINDING_DEVICE_POINTER;
    sighting.callers = *callers;
    sighting.text = "the host uses " + memory_text(address, &sighting.allocated) +
                    "; copy it with cudaMemcpy first. With a GPU the program ends here";
    finding_add(&sighting);
}
