/* Types of stored numbers. All arithmetic is done in float: a 2-byte number is converted to float when it is read, and rounded
 * when it is written.
 *
 *     float   s eeeeeeee fffffffffffffffffffffff      4 bytes
 *     bf16    s eeeeeeee fffffff                      2 bytes     core/bf16.h
 *     fp16    s eeeee ffffffffff                      2 bytes     core/fp16.h
 *
 * SPDX-License-Identifier: MIT */
#ifndef CORE_NUMBER_H
#define CORE_NUMBER_H

#include <stddef.h>

#define NUMBER_NAMES "fp32|bf16|fp16" /* in the order of the types */
typedef enum NumberType { NUMBER_FP32, NUMBER_BF16, NUMBER_FP16 } NumberType;

static inline size_t
number_bytes(NumberType type)
{
    return type == NUMBER_FP32 ? 4 : 2;
}

static inline const char *
number_name(NumberType type)
{
    return type == NUMBER_FP32 ? "fp32" : type == NUMBER_BF16 ? "bf16" : "fp16";
}

#endif
