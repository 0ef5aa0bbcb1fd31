/* What was found and counted, in words and tables: see counters.h.
 *
 * Predicted times are a roofline (S. Williams, A. Waterman, D. Patterson, CACM 52(4), 2009): the longest of computing at the
 * peak, of moving the bytes at the full bandwidth, and of the passes through shared memory, one a cycle in each SM. It is
 * given twice: with each sector fetched once (caches keep everything), and with each request's sectors fetched again (caches
 * keep nothing). A device is between the two, if it has blocks enough to be busy.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/checks.h"
#include "gpu/emulator/gpu_specs.h"
#include <algorithm>
#include <string>

/* ---- findings ------------------------------------------------------------------------------------------- */

static std::string
format_triple(const unsigned x[3])
{
    return "(" + std::to_string(x[0]) + "," + std::to_string(x[1]) + "," + std::to_string(x[2]) + ")";
}

static std::string
format_line(const EmulatorPlace *place)
{
    return place->file != NULL ? std::string(place->file) + ":" + std::to_string(place->line)
                               : "a line that is not known";
}

static void
print_finding(FILE *out, const EmulatorFinding *finding)
{
    fprintf(out, "%s: %s: ", format_line(&finding->here).c_str(), emulator_finding_name(finding->kind));
    if (finding->kernel[0] != '\0')
        fprintf(out, "%s, block %s, thread %s: ", finding->kernel, format_triple(finding->here.block).c_str(),
                format_triple(finding->here.thread).c_str());
    fprintf(out, "%s", finding->text);
    if (finding->count > 1)
        fprintf(out, " (seen %llu times)", finding->count);
    fprintf(out, "\n");
}

void
emulator_report_findings(FILE *out)
{
    for (int i = 0; i < emulator_findings(); i++)
        print_finding(out, emulator_finding(i));
}

/* ---- counts ------------------------------------------------------------------------------------------------ */

/* "12.3" as text, or "-" where there is nothing to divide. */
static std::string
format_ratio(unsigned long long a, unsigned long long b)
{
    char text[32];
    snprintf(text, sizeof(text), "%.1f", b > 0 ? (double)a / (double)b : 0.0);
    return b > 0 ? text : "-";
}

static void
print_line(FILE *out, const char *name, const EmulatorCounts *c)
{
    fprintf(out, "  %-28s %12llu %10llu %7s %10llu %7s %10llu %9s %9llu %8llu %8llu\n", name,
            c->flops + c->double_flops + c->tensor_flops, c->loads, format_ratio(c->load_sectors, c->loads).c_str(),
            c->stores, format_ratio(c->store_sectors, c->stores).c_str(), c->shared,
            format_ratio(c->conflicts, c->shared).c_str(), c->divergent, c->barriers, c->atomics);
}

static void
print_lines(FILE *out, const EmulatorKernel *kernel)
{
    fprintf(out, "  %-28s %12s %10s %7s %10s %7s %10s %9s %9s %8s %8s\n", "line", "flops", "loads", "sectors", "stores",
            "sectors", "shared", "conflicts", "divergent", "barriers", "atomics");
    for (size_t i = 0; i < kernel->line_count; i++) {
        const EmulatorLine *line = &kernel->lines[i];
        const std::string file = line->file;
        print_line(out, (file.substr(file.rfind('/') + 1) + ":" + std::to_string(line->line)).c_str(), &line->counts);
    }
    print_line(out, "all", &kernel->total);
    if (kernel->total.collisions > 0)
        fprintf(out, "  atomics: %llu lanes met another lane of their warp at the same address\n",
                kernel->total.collisions);
    if (kernel->total.special > 0)
        fprintf(out, "  special functions (exp, sin ..): %llu, not among the flops\n", kernel->total.special);
}

double
emulator_seconds(const EmulatorKernel *kernel, const char *name, int cached)
{
    const GpuSpecs *gpu = gpu_specs_named(name);
    if (gpu == NULL)
        return -1;
    const EmulatorCounts *c = &kernel->total;
    const double sectors = (double)(cached ? kernel->touched_sectors
                                           : std::max(kernel->touched_sectors, c->load_sectors + c->store_sectors));
    const double half = (double)(c->tensor_flops - c->tf32_flops), tf32 = (double)c->tf32_flops;
    if ((half > 0.0 && gpu->dense_tensor == 0.0) || (tf32 > 0.0 && gpu->dense_tf32 == 0.0))
        return -1;
    const double compute = (double)c->flops / gpu_peak(gpu) + (double)c->double_flops / gpu_peak_double(gpu) +
                           (half > 0.0 ? half / gpu->dense_tensor : 0.0) + (tf32 > 0.0 ? tf32 / gpu->dense_tf32 : 0.0);
    const double shared = (double)c->shared_passes / (gpu->sms * gpu->clock);
    return std::max({compute, shared, sectors * 32.0 / gpu_bandwidth(gpu)});
}

static void
print_gpu(FILE *out, const GpuSpecs *gpu, const EmulatorKernel *kernel)
{
    const char *limit;
    const int blocks = gpu_blocks_per_sm(gpu, kernel->threads_per_block, kernel->shared_per_block, &limit);
    const double occupancy = gpu_occupancy(gpu, kernel->threads_per_block, kernel->shared_per_block);
    if (emulator_seconds(kernel, gpu->name, true) < 0.0) {
        fprintf(out, "  %-5s has no tensor cores for this kernel\n", gpu->name);
        return;
    }
    fprintf(
        out,
        "  %-5s %3d blocks on an SM, occupancy %3.0f %% (limit: %s; registers not known)   %.3g to %.3g us, roofline\n",
        gpu->name, blocks, 100.0 * occupancy, limit, 1e6 * emulator_seconds(kernel, gpu->name, true),
        1e6 * emulator_seconds(kernel, gpu->name, false));
}

static void
print_kernel(FILE *out, const EmulatorKernel *kernel, const char *gpu)
{
    fprintf(out,
            "\n%s: %llu %s, %llu blocks of %u threads, %zu bytes of shared memory a block; %llu sectors of memory "
            "touched\n",
            kernel->name, kernel->launches, kernel->launches == 1 ? "launch" : "launches", kernel->blocks,
            kernel->threads_per_block, kernel->shared_per_block, kernel->touched_sectors);
    print_lines(out, kernel);
    for (int i = 0; gpu_specs(i) != NULL; i++)
        if (gpu == NULL || gpu_specs(i) == gpu_specs_named(gpu))
            print_gpu(out, gpu_specs(i), kernel);
}

int
emulator_counts_exact(void)
{
#ifdef __clang__
    return 0;
#else
    return 1;
#endif
}

void
emulator_report(FILE *out, const char *gpu)
{
    const int findings = emulator_findings();
    fprintf(out, "GPU emulator: results right, times meaningless; ");
    if (findings == 0)
        fprintf(out, "no mistakes found\n");
    else
        fprintf(out, "%d %s found\n", findings, findings == 1 ? "mistake" : "mistakes");
    emulator_report_findings(out);
    if (!emulator_counts_exact())
        fprintf(out, "The kernels were compiled by clang: counts are rough (make CXX=g++ counts exactly)\n");
    if (gpu != NULL && gpu_specs_named(gpu) == NULL) {
        fprintf(out, "GPU \"%s\" is not known, expected one of %s\n", gpu, gpu_specs_names());
        gpu = NULL;
    }
    for (int i = 0; i < emulator_kernels(); i++)
        print_kernel(out, emulator_kernel(i), gpu);
}
