/* Fibers: see fiber.h. On x86-64 a switch is twelve instructions: what the calling convention lets a function keep goes to the old
 * stack and comes from the new one. Elsewhere the C library's swapcontext does it, which makes two system calls and is a hundred
 * times as long.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/fiber.h"
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

char *
fiber_stack_create(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *memory = mmap(NULL, page + FIBER_STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    /* Stacks grow down. Without the guard (the number of mappings of a process is limited) everything else still works. */
    (void)mprotect(memory, page, PROT_NONE);
    return (char *)memory + page;
}

#if defined(__x86_64__) && !defined(EMULATOR_UCONTEXT)

/* emulator_switch(void **from, void *to) */
asm(".text\n"
    ".local emulator_switch\n"
    ".type emulator_switch, @function\n"
    "emulator_switch:\n"
    "    pushq %rbp\n"
    "    pushq %rbx\n"
    "    pushq %r12\n"
    "    pushq %r13\n"
    "    pushq %r14\n"
    "    pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    popq %r15\n"
    "    popq %r14\n"
    "    popq %r13\n"
    "    popq %r12\n"
    "    popq %rbx\n"
    "    popq %rbp\n"
    "    ret\n"
    ".size emulator_switch, .-emulator_switch\n");
extern "C" void emulator_switch(FiberContext *from, FiberContext to);

FiberContext
fiber_prepare(char *stack, size_t shift, void (*function)(void))
{
    /* From the top: nobody to return to, the function that the first switch returns into, six registers. A function finds the
     * stack pointer 8 above a multiple of 16. */
    uintptr_t *top = (uintptr_t *)(stack + FIBER_STACK_BYTES - shift);
    top[-1] = 0;
    top[-2] = (uintptr_t)function;
    memset(&top[-8], 0, 6 * sizeof(*top));
    return &top[-8];
}

void
fiber_switch(FiberContext *from, FiberContext to)
{
    emulator_switch(from, to);
}

#else
#include <ucontext.h>

FiberContext
fiber_prepare(char *stack, size_t shift, void (*function)(void))
{
    /* The context itself is at the bottom of the stack. */
    ucontext_t *context = (ucontext_t *)stack;
    const size_t kept = (sizeof(*context) + 63) / 64 * 64;
    getcontext(context);
    context->uc_stack.ss_sp = stack + kept;
    context->uc_stack.ss_size = FIBER_STACK_BYTES - kept - shift;
    context->uc_link = NULL;
    makecontext(context, function, 0);
    return context;
}

void
fiber_switch(FiberContext *from, FiberContext to)
{
    ucontext_t here;
    *from = &here;
    swapcontext(&here, (const ucontext_t *)to);
}
#endif
