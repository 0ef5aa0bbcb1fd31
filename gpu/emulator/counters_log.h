/* Inside the counters: what is written down while a kernel runs, and what becomes of it.
 *
 *     lane 0    a  a  a  b  |          a, b: places in the code where memory is used
 *     lane 1    a  a  a  b  |          The emulator runs one lane after the other, a GPU all at once. So the n-th time that each
 *     ..                    |          lane comes to a since the last barrier is one request of the warp.
 *               1  2  3  1  barrier    At barriers the requests are counted and forgotten, so that memory stays bounded.
 *
 * Where lanes go round inner loops different numbers of times, the n-th times of later rounds do not quite belong together; the
 * counts of such a line are then estimates.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_COUNTERS_LOG_H
#define GPU_EMULATOR_COUNTERS_LOG_H

#include "gpu/emulator/checks.h"
#include <map>
#include <string>
#include <utility>
#include <vector>

/* A number for each code address, in the order in which they come: 0, 1, .. An open hash table with linear probing. */
struct PcNumbers {
    std::vector<uint32_t> pcs;   /* by number */
    std::vector<uint32_t> slots; /* number + 1, or 0 */
};
uint32_t pc_number(PcNumbers *numbers, uint32_t pc);

enum SiteKind : uint8_t { SITE_LOAD, SITE_STORE, SITE_ATOMIC, SITE_SHARED, SITE_SHARED_ATOMIC, SITE_KINDS };

/* A place in a kernel: kind and code address, and its counts. */
struct Site {
    EmulatorCounts counts;
};

/* A basic block of a kernel: how often a lane ran it, how often a warp diverged at the branch at its end. */
struct BasicBlock {
    unsigned long long runs, divergent;
};

struct KernelLog {
    std::string name, file;
    int line;
    unsigned long long launches, blocks, threads, touched_sectors;
    unsigned threads_per_block;
    size_t shared_per_block;
    PcNumbers site_numbers; /* of pc * SITE_KINDS + kind: see counters_log.cpp */
    std::vector<Site> sites;
    PcNumbers block_numbers;
    std::vector<BasicBlock> basic_blocks;
    std::map<std::pair<const char *, int>, unsigned long long> barriers;
    std::map<uint32_t, unsigned long long> tensor_flops, tf32_flops;
};

/* What the lanes of a warp ask for together. */
struct Request {
    unsigned active; /* lanes, a bit each */
    unsigned bytes;
    unsigned long long address[EMULATOR_WARP];
};

/* The paths of the lanes at the end of a basic block, when each reached it the same number of times. */
struct Parting {
    uint32_t next; /* the first lane's path */
    bool divergent;
};

/* A list that keeps its memory when it is emptied, and how often each lane has added to it. */
template <typename T> struct Times {
    uint32_t seen[EMULATOR_WARP];
    size_t used;
    std::vector<T> items;
};

struct WarpLog {
    std::vector<Times<Request>> sites;
    std::vector<Times<Parting>> blocks;
    std::vector<uint32_t> used_sites, used_blocks; /* indices of those that are not empty */
    int ended;                                     /* lanes that have returned */
};

/* counters_warp.cpp: counts what the warp has written down, and empties it. */
void count_warp(KernelLog *kernel, WarpLog *warp);
void touched_begin(); /* a new launch */

extern std::vector<KernelLog *> &kernel_logs;
extern bool kernel_logs_changed;

void log_forget();
void log_launch_begin(const Launch *launch);
void log_launch_end();
void log_block_begin();
void log_block_end();
void log_thread_begin();
void log_thread_end();
void log_shared(size_t bytes);
void log_barrier(const char *file, int line);
void log_warp_barrier(int warp, unsigned mask);
void log_matrix_product(int m, int n, int k, const void *pc);
void log_access(const Access *access, bool shared); /* valid ones of the running thread */
void log_basic_block(const void *pc);
void log_function_entry();
void log_function_exit();

/* counters_code.cpp: what a basic block computes, read from the machine code once. */
struct Instruction {
    uint32_t offset; /* one behind its first byte: what line_of wants */
    unsigned flops, double_flops, special;
};
struct BlockCode {
    std::vector<Instruction> instructions; /* those that compute with floating-point numbers */
    uint32_t branch;                       /* the conditional jump at its end, or its beginning */
};
const BlockCode *block_code(uint32_t pc); /* NULL: not known */

void counts_add(EmulatorCounts *sum, const EmulatorCounts *one);

#endif
