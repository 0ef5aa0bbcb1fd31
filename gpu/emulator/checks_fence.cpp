/* Order between the blocks of one launch.
 *
 * Blocks are not ordered, but for this pattern, by which the last block to finish adds up what the others left:
 *
 *     block 0                          block 1 (the last)
 *     partial[0] = sum
 *     __threadfence()
 *     atomicAdd(&done, 1)  -------->   atomicAdd(&done, 1) == 1
 *                                      reads partial[0]
 *
 * A thread that passes a fence and then does an atomic operation on a word releases what it knows: its own accesses before
 * the fence, and those of its block before the block's last barrier. A later atomic operation on the same word acquires it,
 * here for all of the acquiring block (a missing barrier within that block is a race on the variable that tells the others).
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/checks.h"
#include <unordered_map>
#include <vector>

struct Release {
    uint32_t own, of_block; /* clocks: the thread's accesses before `own`, its block's before `of_block` */
    int thread;
};

/* By the atomic's address, then by block. */
static std::unordered_map<uintptr_t, std::unordered_map<uint32_t, Release>> releases;
static std::vector<uintptr_t> acquired;      /* by the running block */
static Release passed[EMULATOR_MAX_THREADS]; /* each thread's last fence; own 0: none */
static uint32_t running;

void
fence_launch_begin()
{
    releases.clear();
}

void
fence_block_begin(uint32_t block)
{
    running = block;
    acquired.clear();
}

void
fence_thread_begin(int thread)
{
    passed[thread] = Release{0, 0, thread};
}

void
fence_passed(int thread, uint32_t clock, uint32_t barrier_clock)
{
    passed[thread] = Release{clock, barrier_clock, thread};
}

void
fence_atomic(uintptr_t address, int thread)
{
    bool known = false;
    for (uintptr_t it : acquired)
        known |= it == address;
    const auto found = releases.find(address);
    if (!known && found != releases.end())
        acquired.push_back(address);
    if (passed[thread].own != 0)
        releases[address][running] = passed[thread];
}

bool
fence_orders(const Stamp *stamp)
{
    for (uintptr_t address : acquired) {
        const auto &blocks = releases[address];
        const auto release = blocks.find(stamp->block);
        if (release == blocks.end())
            continue;
        if (stamp->clock < (stamp->thread == release->second.thread ? release->second.own : release->second.of_block))
            return true;
    }
    return false;
}
