/* What a container or a batch system lets this process use (Linux control groups). For host.c, and for the drop-in BLAS,
 * which must not change what a program has set; others call host_get().
 * SPDX-License-Identifier: MIT */
#ifndef CORE_HOST_LIMITS_H
#define CORE_HOST_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

/* Lowers *cores and *memory (bytes) to the limits of this process's control group and of all groups above it. Version 2 has
 * one tree, which is walked upwards; of version 1, what a container sees as its root is looked at. */
void host_limits(int *cores, size_t *memory);

/* First line of a file in /proc or /sys, without its end; false if there is none. */
bool host_read_line(const char *path, char *line, size_t size);

#endif
