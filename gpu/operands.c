/* A ladder's operands in device memory: see operands.h. SPDX-License-Identifier: MIT */
#include "gpu/operands.h"
#include "core/checked.h"
#include <stdio.h>
#include <string.h>

static const GpuLibrary *library;
static struct {
    void *memory;
    size_t bytes;
} operands[OPERANDS];
static char failure[256];

/* Keeps the first: what follows is often its consequence. */
static void
note(const char *what)
{
    if (what != NULL && failure[0] == '\0')
        snprintf(failure, sizeof failure, "%s", what);
}

const char *
operands_failure(void)
{
    return failure[0] != '\0' ? failure : NULL;
}

void
operands_forget(void)
{
    failure[0] = '\0';
}

static void
release(int i)
{
    if (operands[i].memory != NULL)
        library->free(operands[i].memory);
    operands[i].memory = NULL;
    operands[i].bytes = 0;
}

void
operands_use(const GpuLibrary *next)
{
    for (int i = 0; i < OPERANDS; i++)
        release(i);
    library = next;
    operands_forget();
}

const GpuLibrary *
operands_library(void)
{
    return library;
}

/* Exactly this size, so that the checked emulator sees an access of one byte too many. */
static bool
reserve(int i, size_t bytes)
{
    char text[96];
    CHECK_THAT(i >= 0 && i < OPERANDS && library != NULL, "operand %d", i);
    /* cppcheck-suppress [arrayIndexOutOfBoundsCond, negativeIndex] ; CHECK_THAT() ends the program */
    if (operands[i].bytes == bytes)
        return bytes > 0;
    release(i);
    if (bytes == 0)
        return false;
    operands[i].memory = library->allocate(bytes);
    if (operands[i].memory != NULL) {
        operands[i].bytes = bytes;
        return true;
    }
    snprintf(text, sizeof text, "the device has no %zu bytes left: give a smaller size", bytes);
    note(text);
    return false;
}

void
operand_copy(int i, const void *host, size_t bytes)
{
    if (reserve(i, bytes))
        note(library->copy_in(operands[i].memory, host, bytes));
}

void
operand_poison(int i, size_t bytes)
{
    if (reserve(i, bytes))
        note(library->fill(operands[i].memory, 0xff, bytes));
}

void *
operand(int i)
{
    return operands[i].memory;
}

void
operands_wait(void)
{
    note(library->synchronize());
}

void
operand_fetch(int i, void *host, size_t bytes)
{
    if (failure[0] != '\0' || operands[i].bytes < bytes)
        memset(host, 0xff, bytes);
    else if (bytes > 0)
        note(library->copy_out(host, operands[i].memory, bytes));
}
