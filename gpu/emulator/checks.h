/* Inside the checks: how the files that watch a kernel work together.
 *
 *     kernel, compiled with callbacks      instrument.cpp    every access and every basic block of the running thread
 *     execution.cpp, memory.cpp            checks_observer.cpp    launches, barriers, allocations (observe.h)
 *                |
 *                +--> checks_places.cpp    may this address be used at all?        -> out of bounds, after free, host pointer ..
 *                +--> checks.cpp           has it been written? is it a race?      -> uninitialised, races
 *                +--> counters_log.cpp     what would the warp have requested?     -> counters.h
 *     checks_findings.cpp collects what is wrong, checks_symbols.cpp turns addresses of code into lines.
 *
 * All of it runs in the one thread of the operating system that launches kernels.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_CHECKS_H
#define GPU_EMULATOR_CHECKS_H

#include "gpu/emulator/counters.h"
#include "gpu/emulator/limits.h"
#include "gpu/emulator/observe.h"
#include <stdint.h>
#include <string>

enum AccessKind : uint8_t { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };

struct Access {
    uintptr_t address;
    size_t bytes;
    AccessKind kind;
    bool whole; /* one instruction of the device: the address must be a multiple of bytes */
    const void *pc;
};

/* ---- shadow memory: what is known about each 4-byte word of device or shared memory ------------------ */

/* One access to a word, as it is remembered: thread, time, place in the code. clock 0: there was none. */
struct Stamp {
    uint32_t clock, block; /* block: its index in the grid, x fastest */
    uint32_t pc;           /* as code_offset() gives it */
    uint16_t thread;       /* index in the block */
    uint8_t bytes;         /* the bytes of the word, a bit each */
};

struct Cell {
    Stamp write, atomic, read[2];
};

/* state of a word: bit i + 4: its byte i may be used; bit i: it has been written. */
struct Shadow {
    uintptr_t begin;
    size_t bytes;
    uint8_t *state;
    Cell *cells;
    uint32_t since; /* accesses before this clock are over: an earlier launch (device), an earlier block (shared) */
    bool shared;
};

extern Shadow shadow_device, shadow_shared;

/* checks.cpp: the word-by-word checks of an access within `shadow`. False: it uses bytes that it may not use. */
bool check_words(Shadow *shadow, const Access *access);
/* checks_shadow.cpp */
void *shadow_memory(size_t bytes); /* zeros, never freed */
void shadow_reserve(Shadow *shadow, const void *begin, size_t bytes);
void shadow_set(Shadow *shadow, const void *begin, size_t bytes, uint8_t clear, uint8_t set);

/* Which bytes of the word that begins at `word` are in [begin, end): a bit each. */
static inline uint8_t
bytes_within(uintptr_t word, uintptr_t begin, uintptr_t end)
{
    const unsigned first = begin > word ? (unsigned)(begin - word) : 0;
    const unsigned last = end < word + 4 ? (unsigned)(end - word) : 4;
    return (uint8_t)((0xfu << first) & (0xfu >> (4 - last)));
}

/* Bits of state, for all four bytes. */
enum { STATE_WRITTEN = 0x0f, STATE_USABLE = 0xf0 };

/* Synchronisation: what orders accesses. */
void check_launch_begin(const Launch *launch);
void check_launch_end();
void check_block_begin(uint3 block);
void check_block_end();
void check_barrier();
void check_warp_barrier(int warp, unsigned mask);

/* checks_fence.cpp: order between blocks, through __threadfence and atomics. */
void fence_launch_begin();
void fence_block_begin(uint32_t block);
void fence_thread_begin(int thread);
void fence_passed(int thread, uint32_t clock, uint32_t barrier_clock);
void fence_atomic(uintptr_t address, int thread);
/* Does the running block know of what `stamp`, of another block, did? */
bool fence_orders(const Stamp *stamp);
void check_fence();

/* Who called whom, the innermost first. The line that matters is the first that is not the emulator's own. */
struct Callers {
    void *pcs[12];
    int count;
};
Callers callers_now();

/* checks_places.cpp */
void place_access(const Access *access);                                  /* of the running thread; calls check_words */
void place_outside(Shadow *shadow, const Access *access, uintptr_t word); /* a byte that may not be used */
void place_host_access(uintptr_t address, const Callers *callers);        /* the host uses device memory */
std::string memory_text(uintptr_t address, Callers *allocated); /* "device memory (byte 12 of the 4096 bytes\1)" */

/* Device memory is open (readable, writable) while a kernel or a copy uses it, and closed else. Pairs may nest. */
void device_open();
void device_close();

/* instrument.cpp: an instruction of the host at pc uses device memory. */
void instrument_host(uintptr_t address, const void *pc);

/* ---- findings --------------------------------------------------------------------------------------- */

/* What is wrong and where. Names of lines are looked up on demand. */
struct Sighting {
    FindingKind kind;
    const void *pc; /* the instruction; NULL: file and line say it, or callers */
    const char *file;
    int line;
    Callers callers;
    std::string text; /* a '\1' in it becomes " allocated at FILE:LINE" */
    Callers allocated;
    bool race;
    Stamp other; /* races: the first access, and what to do */
    bool other_writes;
    std::string advice;
};

static inline Sighting
sighting_of(FindingKind kind, const Access *access)
{
    Sighting sighting = {};
    sighting.kind = kind;
    sighting.pc = access->pc;
    return sighting;
}

/* The running thread, or the host, has made a mistake. */
void finding_add(const Sighting *sighting);
/* Has this been seen at this code already? Then it is counted, and the caller need not describe it again. */
bool finding_repeats(FindingKind kind, const void *pc, uint32_t other_pc);
/* Fixes which thread is running, for sightings that are added later. */
struct Running {
    std::string kernel;
    uint3 block, thread;
    dim3 grid_shape, block_shape;
};
Running finding_running(const Thread *thread);
void finding_add_of(const Running *running, const Sighting *sighting);
void finding_launch(const Launch *launch); /* NULL: over */
void findings_forget();
bool findings_unreported();

/* ---- code addresses --------------------------------------------------------------------------------- */

struct Line {
    const char *file; /* NULL: not known */
    int line;
};

/* Code of this library as 32 bits, and back. */
uint32_t code_offset(const void *pc);
const void *code_address(uint32_t offset);
const char *code_library();
std::string short_path(const char *path); /* without the current folder */
const char *line_name(const char *path);  /* the same, kept for ever; one pointer for one name */

/* The lines of return addresses: of the calls before them. Many are looked up at once (one run of addr2line), and remembered. */
void lines_prepare(const void *const *pcs, size_t n);
Line line_of(const void *pc);

/* The grid's and the block's shape of the running launch, and an index as coordinates. */
extern dim3 running_grid, running_block;
uint3 coordinates(uint32_t index, dim3 shape);
uint32_t linear(uint3 at, dim3 shape);

#endif
