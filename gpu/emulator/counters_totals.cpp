/* Counts of places in the code become counts of lines and of kernels: see counters.h.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/counters_log.h"
#include <string.h>

struct LineOrder {
    bool
    operator()(const Line &a, const Line &b) const
    {
        const int files = strcmp(a.file, b.file);
        return files != 0 ? files < 0 : a.line < b.line;
    }
};
typedef std::map<Line, EmulatorCounts, LineOrder> Lines;

/* A kernel as it is returned. */
struct Total {
    EmulatorKernel kernel;
    std::vector<EmulatorLine> lines;
};
static std::vector<Total *> &totals = *new std::vector<Total *>; /* never destroyed: returned pointers stay valid */

void
counts_add(EmulatorCounts *sum, const EmulatorCounts *one)
{
    static_assert(sizeof(EmulatorCounts) % sizeof(unsigned long long) == 0, "counts only");
    unsigned long long *to = (unsigned long long *)sum;
    const unsigned long long *from = (const unsigned long long *)one;
    for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
        to[i] += from[i];
}

static void
add_to(Lines *lines, uint32_t pc, const EmulatorCounts *counts)
{
    Line line = line_of(code_address(pc));
    if (line.file == NULL)
        line = Line{"?", 0};
    counts_add(&(*lines)[line], counts);
}

/* All code addresses of a kernel at once: addr2line needs as long for one as for a thousand. */
static void
prepare_lines(const KernelLog *log)
{
    std::vector<const void *> pcs;
    for (uint32_t key : log->site_numbers.pcs)
        pcs.push_back(code_address(key / SITE_KINDS));
    for (const auto &it : log->tensor_flops)
        pcs.push_back(code_address(it.first));
    for (uint32_t pc : log->block_numbers.pcs) {
        const BlockCode *code = block_code(pc);
        if (code == NULL)
            continue;
        pcs.push_back(code_address(code->branch));
        for (const Instruction &it : code->instructions)
            pcs.push_back(code_address(it.offset));
    }
    lines_prepare(pcs.data(), pcs.size());
}

static void
add_basic_block(Lines *lines, uint32_t pc, const BasicBlock *block)
{
    const BlockCode *code = block_code(pc);
    EmulatorCounts counts = {};
    counts.divergent = block->divergent;
    if (block->divergent > 0)
        add_to(lines, code != NULL ? code->branch : pc, &counts);
    if (code == NULL)
        return;
    for (const Instruction &it : code->instructions) {
        counts = EmulatorCounts{};
        counts.flops = it.flops * block->runs;
        counts.double_flops = it.double_flops * block->runs;
        counts.special = it.special * block->runs;
        add_to(lines, it.offset, &counts);
    }
}

static Lines
lines_of(const KernelLog *log)
{
    Lines lines;
    prepare_lines(log);
    for (size_t i = 0; i < log->sites.size(); i++)
        add_to(&lines, log->site_numbers.pcs[i] / SITE_KINDS, &log->sites[i].counts);
    for (size_t i = 0; i < log->basic_blocks.size(); i++)
        add_basic_block(&lines, log->block_numbers.pcs[i], &log->basic_blocks[i]);
    for (const auto &it : log->tensor_flops) {
        EmulatorCounts counts = {};
        counts.tensor_flops = it.second;
        add_to(&lines, it.first, &counts);
    }
    for (const auto &it : log->tf32_flops) {
        EmulatorCounts counts = {};
        counts.tf32_flops = it.second;
        add_to(&lines, it.first, &counts);
    }
    for (const auto &it : log->barriers) {
        EmulatorCounts counts = {};
        counts.barriers = it.second;
        counts_add(&lines[Line{line_name(it.first.first), it.first.second}], &counts);
    }
    return lines;
}

static Total *
total_of(const KernelLog *log)
{
    Total *out = new Total();
    EmulatorKernel *kernel = &out->kernel;
    kernel->name = log->name.c_str();
    kernel->file = log->file.c_str();
    kernel->line = log->line;
    kernel->launches = log->launches;
    kernel->blocks = log->blocks;
    kernel->threads = log->threads;
    kernel->threads_per_block = log->threads_per_block;
    kernel->shared_per_block = log->shared_per_block;
    kernel->touched_sectors = log->touched_sectors;
    for (const auto &it : lines_of(log)) {
        out->lines.push_back(EmulatorLine{it.first.file, it.first.line, it.second});
        counts_add(&kernel->total, &it.second);
    }
    kernel->lines = out->lines.data();
    kernel->line_count = out->lines.size();
    return out;
}

static void
make_totals()
{
    if (!kernel_logs_changed)
        return;
    for (Total *it : totals)
        delete it;
    totals.clear();
    for (const KernelLog *log : kernel_logs)
        totals.push_back(total_of(log));
    kernel_logs_changed = false;
}

int
emulator_kernels(void)
{
    make_totals();
    return (int)totals.size();
}

const EmulatorKernel *
emulator_kernel(int i)
{
    make_totals();
    return i >= 0 && (size_t)i < totals.size() ? &totals[(size_t)i]->kernel : NULL;
}

const EmulatorKernel *
emulator_kernel_named(const char *prefix)
{
    make_totals();
    for (const Total *it : totals)
        if (strncmp(it->kernel.name, prefix, strlen(prefix)) == 0)
            return &it->kernel;
    return NULL;
}
