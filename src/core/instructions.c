/* Vector instructions of the processor and of the build. On x86 the functions here that run on any processor must be compiled for
 * any: without AVX and what came with it, whatever the flags of the build are.
 * SPDX-License-Identifier: MIT */
#include "core/instructions.h"
#include <stdio.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

Instructions
instructions_of_build(void)
{
    Instructions build = {.vector_bits = 128};
#if defined(__AVX512F__)
    build.vector_bits = 512;
#elif defined(__AVX__)
    build.vector_bits = 256;
#endif
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
    build.vnni = true;
#endif
#if defined(__AVX512BF16__)
    build.bf16 = true;
#endif
    return build;
}

const char *
instructions_text(Instructions instructions, char text[INSTRUCTIONS_SIZE])
{
    snprintf(text, INSTRUCTIONS_SIZE, "%d-bit vectors, %sVNNI, %sbf16", instructions.vector_bits,
             instructions.vnni ? "" : "no ", instructions.bf16 ? "" : "no ");
    return text;
}

#if defined(__x86_64__)

#define FOR_ANY_PROCESSOR __attribute__((target("no-avx,no-bmi,no-bmi2")))

/* Bits of CPUID leaf 7, subleaf 1, EAX (Intel, Software Developer's Manual 2, CPUID). __builtin_cpu_supports, which also asks
 * whether the system saves the registers, does not know AVX-VNNI in every compiler. */
enum { AVX_VNNI = 1 << 4, AVX512_BF16 = 1 << 5 };

FOR_ANY_PROCESSOR static unsigned
leaf_7_1(void)
{
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) ? eax : 0;
}

FOR_ANY_PROCESSOR Instructions
instructions_of_processor(void)
{
    __builtin_cpu_init(); /* constructors may come before the compiler's own */
    const bool wide = __builtin_cpu_supports("avx512f"), half = __builtin_cpu_supports("avx2");
    return (Instructions){
        .vector_bits = wide                            ? 512
                       : __builtin_cpu_supports("avx") ? 256
                                                       : 128,
        .vnni = (wide && __builtin_cpu_supports("avx512vnni")) || (half && (leaf_7_1() & AVX_VNNI) != 0),
        .bf16 = wide && (leaf_7_1() & AVX512_BF16) != 0,
    };
}

/* The oldest instruction set of the build that the processor lacks; NULL if it has them all. */
FOR_ANY_PROCESSOR static const char *
missing(void)
{
    const char *first = NULL;
#define NEEDS(feature, name)                                                                                           \
    if (first == NULL && !__builtin_cpu_supports(feature))                                                             \
        first = name;
    __builtin_cpu_init();
#if defined(__SSE4_2__)
    NEEDS("sse4.2", "SSE4.2")
#endif
#if defined(__AVX__)
    NEEDS("avx", "AVX")
#endif
#if defined(__AVX2__)
    NEEDS("avx2", "AVX2")
#endif
#if defined(__FMA__)
    NEEDS("fma", "FMA")
#endif
#if defined(__BMI2__)
    NEEDS("bmi2", "BMI2")
#endif
#if defined(__AVX512F__)
    NEEDS("avx512f", "AVX-512")
#endif
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
    NEEDS("avx512bw", "AVX-512 BW")
    NEEDS("avx512dq", "AVX-512 DQ")
    NEEDS("avx512vl", "AVX-512 VL")
#endif
#if defined(__AVX512VNNI__)
    NEEDS("avx512vnni", "AVX-512 VNNI")
#endif
#undef NEEDS
#if defined(__AVX512BF16__)
    if (first == NULL && (leaf_7_1() & AVX512_BF16) == 0)
        first = "AVX-512 BF16";
#endif
#if defined(__AVXVNNI__)
    if (first == NULL && (leaf_7_1() & AVX_VNNI) == 0)
        first = "AVX-VNNI";
#endif
    return first;
}

/* Before main, whose first line may already be such an instruction. */
FOR_ANY_PROCESSOR __attribute__((constructor)) static void
refuse_to_run(void)
{
    const char *lacks = missing();
    if (lacks == NULL)
        return;
    fprintf(stderr,
            "rungs: this program was compiled for processors with %s, which this one lacks; run make clean and make "
            "here, or make MARCH=x86-64-v2, whose programs run on nearly all of them\n",
            lacks);
    _exit(1);
}

#else

Instructions
instructions_of_processor(void)
{
    return instructions_of_build();
}

#endif
