/* What the host reads and writes in place of an array in a backend's memory (nn/backend.h): the array itself where both
 * have one memory, else a copy of it.
 *
 *     float *w = host_view_begin(memory, x, n);
 *     w[0] = 1;
 *     host_view_end(memory, x, w, n);              a copy is written back, and freed
 *
 * SPDX-License-Identifier: MIT */
#ifndef NN_HOST_VIEW_H
#define NN_HOST_VIEW_H

#include "nn/backend.h"

float *host_view_begin(const Memory *memory, float *x, size_t n);
void host_view_end(const Memory *memory, float *x, float *view, size_t n);

#endif
