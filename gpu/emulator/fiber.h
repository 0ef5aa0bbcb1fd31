/* Fibers: functions that run on stacks of their own and yield to each other. SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_FIBER_H
#define GPU_EMULATOR_FIBER_H

#include <stddef.h>

enum { FIBER_STACK_BYTES = 128 * 1024 };

/* Where a fiber stands while another runs. Opaque: on x86-64 its stack pointer. */
typedef void *FiberContext;

/* Memory for one stack, with a page behind its end that faults. NULL: none left. It is kept for the life of the process. */
char *fiber_stack_create(void);

/* A context that begins to run function on the stack. shift: bytes left free at the stack's top, a multiple of 64: stacks that
 * begin at the same offset of their pages would compete for the same sets of the cache. function must not return. */
FiberContext fiber_prepare(char *stack, size_t shift, void (*function)(void));

/* Goes on with `to`; returns when somebody goes on with *from. */
void fiber_switch(FiberContext *from, FiberContext to);

#endif
