/* Views and copies: see host_view.h. SPDX-License-Identifier: MIT */
#include "nn/host_view.h"
#include "core/array.h"

float *
host_view_begin(const Memory *memory, float *x, size_t n)
{
    if (!memory->separate)
        return x;
    float *view = ARRAY(float, n);
    memory->copy_out(view, x, n * sizeof(float));
    return view;
}

void
host_view_end(const Memory *memory, float *x, float *view, size_t n)
{
    if (!memory->separate)
        return;
    memory->copy_in(x, view, n * sizeof(float));
    array_free(view);
}
