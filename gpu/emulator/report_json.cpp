/* The report as JSON: {"note", "findings": [..], "kernels": [{.., "lines": [..], "gpus": [..]}]}. See counters.h.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/counters.h"
#include "gpu/emulator/gpu_specs.h"

static void
put_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\": ", name);
    if (text == NULL) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", (unsigned char)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

static void
put_place(FILE *out, const char *name, const EmulatorPlace *place)
{
    fprintf(out, "\"%s\": {", name);
    put_text(out, "file", place->file);
    fprintf(out, ", \"line\": %d, \"block\": [%u, %u, %u], \"thread\": [%u, %u, %u]}", place->line, place->block[0],
            place->block[1], place->block[2], place->thread[0], place->thread[1], place->thread[2]);
}

static void
put_finding(FILE *out, const EmulatorFinding *finding)
{
    fputs("\n    {", out);
    put_text(out, "kind", emulator_finding_name(finding->kind));
    fputs(", ", out);
    put_text(out, "kernel", finding->kernel);
    fputs(", ", out);
    put_place(out, "here", &finding->here);
    if (finding->other.file != NULL) {
        fputs(", ", out);
        put_place(out, "other", &finding->other);
    }
    fprintf(out, ", \"count\": %llu, ", finding->count);
    put_text(out, "text", finding->text);
    fputc('}', out);
}

static void
put_counts(FILE *out, const EmulatorCounts *c)
{
    fprintf(out,
            "\"flops\": %llu, \"double_flops\": %llu, \"tensor_flops\": %llu, \"special\": %llu, "
            "\"loads\": %llu, \"load_sectors\": %llu, \"load_bytes\": %llu, "
            "\"stores\": %llu, \"store_sectors\": %llu, \"store_bytes\": %llu, "
            "\"shared\": %llu, \"shared_passes\": %llu, \"conflicts\": %llu, "
            "\"atomics\": %llu, \"collisions\": %llu, \"divergent\": %llu, \"barriers\": %llu",
            c->flops, c->double_flops, c->tensor_flops, c->special, c->loads, c->load_sectors, c->load_bytes, c->stores,
            c->store_sectors, c->store_bytes, c->shared, c->shared_passes, c->conflicts, c->atomics, c->collisions,
            c->divergent, c->barriers);
}

static void
put_gpu(FILE *out, const GpuSpecs *gpu, const EmulatorKernel *kernel)
{
    const char *limit;
    const int blocks = gpu_blocks_per_sm(gpu, kernel->threads_per_block, kernel->shared_per_block, &limit);
    fprintf(out, "{\"name\": \"%s\", \"blocks_per_sm\": %d, \"occupancy\": %.4f, \"limit\": \"%s\", ", gpu->name,
            blocks, gpu_occupancy(gpu, kernel->threads_per_block, kernel->shared_per_block), limit);
    const double least = emulator_seconds(kernel, gpu->name, true);
    if (least < 0.0)
        fprintf(out, "\"seconds_cached\": null, \"seconds_uncached\": null}");
    else
        fprintf(out, "\"seconds_cached\": %.6g, \"seconds_uncached\": %.6g}", least,
                emulator_seconds(kernel, gpu->name, false));
}

static void
put_kernel(FILE *out, const EmulatorKernel *kernel)
{
    fputs("\n    {", out);
    put_text(out, "name", kernel->name);
    fputs(", ", out);
    put_text(out, "file", kernel->file);
    fprintf(out, ", \"line\": %d, \"launches\": %llu, \"blocks\": %llu, \"threads\": %llu, ", kernel->line,
            kernel->launches, kernel->blocks, kernel->threads);
    fprintf(out, "\"threads_per_block\": %u, \"shared_per_block\": %zu, \"touched_sectors\": %llu, ",
            kernel->threads_per_block, kernel->shared_per_block, kernel->touched_sectors);
    put_counts(out, &kernel->total);
    fputs(", \"lines\": [", out);
    for (size_t i = 0; i < kernel->line_count; i++) {
        fputs(i > 0 ? ", {" : "{", out);
        put_text(out, "file", kernel->lines[i].file);
        fprintf(out, ", \"line\": %d, ", kernel->lines[i].line);
        put_counts(out, &kernel->lines[i].counts);
        fputc('}', out);
    }
    fputs("], \"gpus\": [", out);
    for (int i = 0; gpu_specs(i) != NULL; i++) {
        fputs(i > 0 ? ", " : "", out);
        put_gpu(out, gpu_specs(i), kernel);
    }
    fputs("]}", out);
}

void
emulator_report_json(FILE *out)
{
    fputs("{\n  \"note\": \"emulated GPU: results right, times meaningless\",\n  \"findings\": [", out);
    for (int i = 0; i < emulator_findings(); i++) {
        fputs(i > 0 ? "," : "", out);
        put_finding(out, emulator_finding(i));
    }
    fputs("],\n  \"kernels\": [", out);
    for (int i = 0; i < emulator_kernels(); i++) {
        fputs(i > 0 ? "," : "", out);
        put_kernel(out, emulator_kernel(i));
    }
    fputs("]\n}\n", out);
}
