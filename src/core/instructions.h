/* Vector instructions: those of the processor that runs this, and those that this build was compiled for. They differ where a
 * build is moved to another machine, or was made for another one (make MARCH=..).
 *
 * A program that uses instructions which the processor lacks would die of "Illegal instruction": as a program begins, this
 * module ends it with a sentence instead.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_INSTRUCTIONS_H
#define CORE_INSTRUCTIONS_H

#include <stdbool.h>

typedef struct Instructions {
    int vector_bits; /* widest vectors: 512, 256, 128 */
    bool vnni;       /* multiply-add of four pairs of bytes, exact: vpdpbusd of AVX-512 VNNI or AVX-VNNI */
    bool bf16;       /* multiply-add of two pairs of bf16: vdpbf16ps of AVX-512 */
} Instructions;

/* On other processors than x86 what the build has is taken for what the processor has. */
Instructions instructions_of_processor(void);
Instructions instructions_of_build(void);

enum { INSTRUCTIONS_SIZE = 64 };
/* "512-bit vectors, VNNI, bf16"; "256-bit vectors, no VNNI, no bf16" */
const char *instructions_text(Instructions instructions, char text[INSTRUCTIONS_SIZE]);

#endif
