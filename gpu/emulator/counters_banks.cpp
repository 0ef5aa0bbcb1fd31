/* What one request of a warp costs, by two rules of NVIDIA's documents.
 *
 * Global memory moves in sectors of 32 bytes: a request costs one transfer per sector touched (CUDA C++ Best Practices Guide,
 * "Coalesced Access to Global Memory"; Nsight Compute, "Memory Tables", sectors/request).
 *
 * Shared memory has 32 banks; word w (4 bytes) is in bank w % 32, and a bank delivers one word a pass, to all lanes that want it
 * (CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later):
 *
 *     float tile[32][32], lane l reads tile[l][0]:   words 0, 32, 64 ..   all in bank 0: 32 passes
 *     float tile[32][33], lane l reads tile[l][0]:   words 0, 33, 66 ..   banks 0, 1, 2 ..: 1 pass
 *
 * 8-byte accesses are served for half a warp at a time and 16-byte accesses for a quarter, in at least 2 and 4 passes
 * at best.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/counters.h"
#include <algorithm>

enum { WARP = 32, SECTOR = 32, BANKS = 32, WORD = 4 };

static unsigned
count_different(unsigned long long *x, size_t n)
{
    std::sort(x, x + n);
    return (unsigned)(std::unique(x, x + n) - x);
}

unsigned
emulator_sectors(const unsigned long long address[32], unsigned bytes, unsigned active)
{
    unsigned long long sectors[2 * WARP]; /* an access of at most 16 bytes touches one sector or two */
    size_t n = 0;
    for (int lane = 0; lane < WARP; lane++) {
        if (!(active >> lane & 1))
            continue;
        const unsigned long long first = address[lane] / SECTOR, last = (address[lane] + bytes - 1) / SECTOR;
        sectors[n++] = first;
        if (last != first)
            sectors[n++] = last;
    }
    return count_different(sectors, n);
}

/* The passes for some of the lanes: the most different words in one bank. */
static unsigned
passes_of(const unsigned long long *address, unsigned bytes, unsigned active, int begin, int end)
{
    unsigned long long words[WARP * 2];
    size_t n = 0;
    for (int lane = begin; lane < end; lane++)
        for (unsigned long long at = address[lane] / WORD;
             (active >> lane & 1) && at <= (address[lane] + bytes - 1) / WORD; at++)
            words[n++] = at;
    n = count_different(words, n);
    unsigned in_bank[BANKS] = {0}, most = 0;
    for (size_t i = 0; i < n; i++)
        most = std::max(most, ++in_bank[words[i] % BANKS]);
    return most;
}

unsigned
emulator_bank_passes(const unsigned long long address[32], unsigned bytes, unsigned active, unsigned *ideal)
{
    const int together = bytes <= WORD ? WARP : bytes <= 2 * WORD ? WARP / 2 : WARP / 4;
    unsigned passes = 0, least = 0;
    for (int begin = 0; begin < WARP; begin += together) {
        const unsigned now = passes_of(address, bytes, active, begin, begin + together);
        passes += now;
        least += now > 0;
    }
    if (ideal != NULL)
        *ideal = least;
    return passes;
}
