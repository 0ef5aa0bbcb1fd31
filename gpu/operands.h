/* The operands of a ladder's problem in device memory: what a GPU ladder's prepare, call and fetch are written with. They are
 * numbered from 0, each ladder names its own:
 *
 *     enum { A, B, C };
 *     prepare:  operand_copy(A, host, bytes);  operand_copy(B, ..);  operand_poison(C, bytes);
 *     call:     launch(.., operand(A), operand(B), operand(C), ..);  operands_wait();
 *     fetch:    operand_fetch(C, output, bytes);
 *
 * There is one set of operands, in the memory of the library in use. What goes wrong on the device is kept for
 * operands_failure; the result is then NaN, so that the driver calls it wrong.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_OPERANDS_H
#define GPU_OPERANDS_H

#include "gpu/library.h"

enum { OPERANDS = 16 };

/* From now on in this library's memory; NULL: none. Earlier operands are freed. */
void operands_use(const GpuLibrary *library);
const GpuLibrary *operands_library(void);

/* Makes the operand hold a copy of the host's bytes, or NaN in every float (every bit 1: as an int -1). */
void operand_copy(int i, const void *host, size_t bytes);
void operand_poison(int i, size_t bytes);

/* Its address in device memory; NULL if it holds nothing. */
void *operand(int i);

/* Waits for all launches. */
void operands_wait(void);

/* Copies its first bytes to the host. */
void operand_fetch(int i, void *host, size_t bytes);

/* The first thing that went wrong since the last operands_forget, a sentence; NULL: nothing. */
const char *operands_failure(void);
void operands_forget(void);

#endif
