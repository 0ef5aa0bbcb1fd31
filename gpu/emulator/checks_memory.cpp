/* Regions of device and shared memory, and the protection of device memory: see checks_memory.h.
 *
 * On a machine with a GPU the host cannot read device memory. Here it could, so the pages are protected (PROT_NONE) while no
 * kernel and no copy runs. An access then, in any language, faults into the handler below, which reports it and unprotects the
 * pages, so that one run shows more than one mistake.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/checks_memory.h"
#include <execinfo.h>
#include <map>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

typedef std::map<uintptr_t, Region> Regions; /* by their begin */
/* Never destroyed: programs may free memory while they end. */
static Regions &device = *new Regions;
static Regions &shared = *new Regions;

/* ---- looking up ---------------------------------------------------------------------------------- */

static const Regions &
regions_of(bool of_shared)
{
    return of_shared ? shared : device;
}

const Region *
region_before(bool of_shared, uintptr_t address)
{
    const Regions &regions = regions_of(of_shared);
    auto it = regions.upper_bound(address);
    return it == regions.begin() ? NULL : &(--it)->second;
}

const Region *
region_at(bool of_shared, uintptr_t address)
{
    const Region *region = region_before(of_shared, address);
    return region != NULL && address - region->begin < region->bytes ? region : NULL;
}

const Region *
region_after(bool of_shared, uintptr_t address)
{
    const Regions &regions = regions_of(of_shared);
    auto it = regions.upper_bound(address);
    return it == regions.end() ? NULL : &it->second;
}

Callers
callers_now()
{
    Callers callers = {};
    callers.count = backtrace(callers.pcs, (int)(sizeof(callers.pcs) / sizeof(callers.pcs[0])));
    return callers;
}

/* ---- what memory.cpp and execution.cpp tell ----------------------------------------------------------- */

void
memory_allocated(void *address, size_t bytes)
{
    device[(uintptr_t)address] = Region{(uintptr_t)address, bytes, false, false, NULL, 0, callers_now()};
    shadow_reserve(&shadow_device, emulator_memory, emulator_memory_size);
    shadow_set(&shadow_device, address, bytes, STATE_WRITTEN, STATE_USABLE);
}

void
memory_freed(void *address, size_t bytes)
{
    device[(uintptr_t)address].freed = true;
    shadow_set(&shadow_device, address, bytes, STATE_USABLE, 0);
}

void
memory_released(void *address, size_t bytes)
{
    device.erase((uintptr_t)address);
    (void)bytes;
}

void
memory_written_by_host(void *address, size_t bytes)
{
    if ((uintptr_t)address - shadow_device.begin < shadow_device.bytes)
        shadow_set(&shadow_device, address, bytes, 0, STATE_WRITTEN);
}

void
memory_shared_begin(const char *arena, size_t bytes)
{
    shadow_reserve(&shadow_shared, arena, bytes);
    for (const auto &it : shared)
        shadow_set(&shadow_shared, (const void *)it.second.begin, it.second.bytes, STATE_USABLE | STATE_WRITTEN, 0);
    shared.clear();
}

void
memory_shared_declared(const void *address, size_t bytes, const char *file, int line)
{
    shared[(uintptr_t)address] = Region{(uintptr_t)address, bytes, false, false, file, line, {}};
    shadow_set(&shadow_shared, address, bytes, STATE_WRITTEN, STATE_USABLE);
}

int
memory_leaks(bool again)
{
    int leaks = 0;
    for (auto &it : device) {
        if (it.second.freed || (it.second.told && !again))
            continue;
        it.second.told = true;
        Sighting sighting = {};
        sighting.kind = FINDING_LEAK;
        sighting.callers = it.second.callers;
        sighting.text = std::to_string(it.second.bytes) + " bytes of device memory are never freed; call cudaFree";
        finding_add(&sighting);
        leaks++;
    }
    return leaks;
}

/* ---- protection --------------------------------------------------------------------------------------- */

static struct sigaction before;
static int open_count;
static bool handler_set;

static void *
faulting_instruction(void *context)
{
    const ucontext_t *where = (const ucontext_t *)context;
#if defined(__x86_64__)
    return (void *)where->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (void *)where->uc_mcontext.pc;
#else
    (void)where;
    return NULL;
#endif
}

static void
on_fault(int signal, siginfo_t *info, void *context)
{
    const uintptr_t address = (uintptr_t)info->si_addr;
    if (open_count == 0 && address - (uintptr_t)emulator_memory < emulator_memory_size) {
        mprotect(emulator_memory, emulator_memory_size, PROT_READ | PROT_WRITE);
        Callers callers = callers_now();
        callers.pcs[0] = (char *)faulting_instruction(context) + 1; /* as if it were a return address */
        place_host_access(address, &callers);
        return;
    }
    /* Not ours: for the previous handler; without one the access is repeated, and ends the program. */
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(signal, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(signal);
    else
        sigaction(signal, &before, NULL);
}

static void
set_handler()
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before);
    handler_set = true;
}

void
device_open()
{
    if (open_count++ == 0 && emulator_memory != NULL)
        mprotect(emulator_memory, emulator_memory_size, PROT_READ | PROT_WRITE);
}

void
device_close()
{
    if (--open_count > 0 || emulator_memory == NULL)
        return;
    if (!handler_set)
        set_handler();
    mprotect(emulator_memory, emulator_memory_size, PROT_NONE);
}
