/* Variants: one program, compiled several times for processors with shorter and longer vectors, and joined in one file
 * (make FAT=1, tools/variants.mk). As it starts it takes the widest that the processor and the operating system support:
 *
 *     v2        x86-64-v2: SSE4.2, 128-bit vectors
 *     v3        x86-64-v3: AVX2, FMA, BMI, 256-bit vectors
 *     v4        x86-64-v4: AVX-512 F, BW, CD, DQ, VL
 *     v4-bf16   that, with AVX-512 VNNI and BF16
 *
 * (System V ABI, AMD64 supplement 1.0, 3.1.1). RUNGS_ISA=v3 in the environment names another. A plain build ignores RUNGS_ISA.
 *
 * This module is in each variant, where it says which that is. Compiled for any x86-64, it stands before them all, and chooses.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_VARIANTS_H
#define CORE_VARIANTS_H

#include <stdbool.h>

typedef void VariantFunction(void);
typedef void VariantConstructor(int argc, char **argv, char **environment);

typedef struct Variant {
    const char *name;
    VariantFunction *const *functions; /* a program's main; what a library exports, in the order of all its variants */
    VariantConstructor **constructors; /* called before the functions; NULL if there are none */
    VariantConstructor **constructors_end;
} Variant;

/* Written by tools/variants.awk: the variants of this file from narrow to wide, and an end that has no name. */
typedef struct VariantTable {
    const Variant *list, *in_use;
} VariantTable;
extern VariantTable variant_table __attribute__((weak)); /* not in a plain build: its address is NULL there */

enum { VARIANTS_TEXT_SIZE = 160 };
/* "v3 of v2, v3, v4"; in a plain build the MARCH that it was made with: "native". */
const char *variants_text(char text[VARIANTS_TEXT_SIZE]);

/* The widest of a list that runs here or, unless it is NULL or empty, the one that is `wanted`. NULL if there is none: the
 * sentence then says why, and which there are. */
enum { VARIANTS_SENTENCE_SIZE = 320 };
const Variant *variants_choose(const Variant *list, const char *wanted, char sentence[VARIANTS_SENTENCE_SIZE]);

/* Chooses what variant_table is to have in use, by RUNGS_ISA, and calls its constructors. Where none runs, the process ends with a
 * sentence and status 1. Where RUNGS_ISA is wrong, a program ends with status 2, while a library, which must not end another's
 * program for that, takes the widest after the sentence. */
void variants_start(const char *name, bool library, int argc, char **argv);

#endif
