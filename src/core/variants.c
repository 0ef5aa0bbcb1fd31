/* Variants: which this file has, and which of them runs. What is called before the choice must run on any processor: before all
 * variants this file is compiled for plain x86-64, and uses nothing of the project.
 * SPDX-License-Identifier: MIT */
#include "core/variants.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef RUNGS_MARCH
#define RUNGS_MARCH "plain" /* in libraries, which do not say it */
#endif

/* The names of a list, ", " between them; of all, or of those that run here. */
static void
names(const Variant *list, bool (*accept)(const char *name), char *text, size_t size)
{
    text[0] = '\0';
    for (size_t length = 0; list->name != NULL; list++)
        if (accept(list->name) && length < size)
            length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "", list->name);
}

static bool
any(const char *name)
{
    return name != NULL;
}

/* NULL in a plain build. Other linkers than those of ELF take no weak name that nobody defines. */
static VariantTable *
table(void)
{
#if defined(__ELF__)
    return &variant_table;
#else
    return NULL;
#endif
}

const char *
variants_text(char text[VARIANTS_TEXT_SIZE])
{
    const VariantTable *here = table();
    if (here == NULL || here->in_use == NULL)
        return RUNGS_MARCH;
    char all[VARIANTS_TEXT_SIZE / 2];
    names(here->list, any, all, sizeof(all));
    snprintf(text, VARIANTS_TEXT_SIZE, "%s of %s", here->in_use->name, all);
    return text;
}

/* __builtin_cpu_supports also looks whether the operating system saves the registers (XGETBV). It does not know F16C, LZCNT and
 * MOVBE, which are in v3, in every compiler; each processor with AVX2, FMA and BMI2 has them. */
static bool
runs(const char *name)
{
#if defined(__x86_64__)
    __builtin_cpu_init(); /* constructors may come before the compiler's own */
    const bool v2 = __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
                    __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    const bool v3 = v2 && __builtin_cpu_supports("avx") && __builtin_cpu_supports("avx2") &&
                    __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    const bool bf16 = v4 && __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bf16");
    return strcmp(name, "v2") == 0   ? v2
           : strcmp(name, "v3") == 0 ? v3
           : strcmp(name, "v4") == 0 ? v4
                                     : strcmp(name, "v4-bf16") == 0 && bf16;
#else
    return name == NULL;
#endif
}

const Variant *
variants_choose(const Variant *list, const char *wanted, char sentence[VARIANTS_SENTENCE_SIZE])
{
    const Variant *chosen = NULL;
    bool known = false;
    if (wanted == NULL)
        wanted = "";
    for (const Variant *variant = list; variant->name != NULL; variant++) {
        const bool named = wanted[0] == '\0' || strcmp(wanted, variant->name) == 0;
        known = known || named;
        if (named && runs(variant->name))
            chosen = variant;
    }
    char all[VARIANTS_TEXT_SIZE / 2], possible[VARIANTS_TEXT_SIZE / 2];
    names(list, any, all, sizeof(all));
    names(list, runs, possible, sizeof(possible));
    if (chosen == NULL && possible[0] == '\0')
        snprintf(sentence, VARIANTS_SENTENCE_SIZE,
                 "this processor runs none of the variants that are here (%s): run make, which compiles for it", all);
    else if (chosen == NULL)
        snprintf(sentence, VARIANTS_SENTENCE_SIZE, "RUNGS_ISA is \"%.40s\", %s; expected one of %s, or unset it",
                 wanted, known ? "which this processor cannot run" : "which is no variant of this build", possible);
    return chosen;
}

#if defined(__ELF__)
void
variants_start(const char *name, bool library, int argc, char **argv)
{
    char sentence[VARIANTS_SENTENCE_SIZE], other[VARIANTS_SENTENCE_SIZE];
    VariantTable *const here = &variant_table;
    const Variant *chosen = variants_choose(here->list, getenv("RUNGS_ISA"), sentence);
    if (chosen == NULL) {
        fprintf(stderr, "%s: %s\n", name, sentence);
        chosen = variants_choose(here->list, NULL, other);
        if (chosen == NULL || !library)
            _exit(chosen == NULL ? 1 : 2);
    }
    here->in_use = chosen;
    for (VariantConstructor **each = chosen->constructors; each != chosen->constructors_end; each++)
        (*each)(argc, argv, environ);
}
#endif
