/* Softmax of rows that fit a vector: see 04_vector.h. SPDX-License-Identifier: MIT */
#include "core/nontemporal.h"
#include "cpu/exp.h"
#include "cpu/softmax/04_vector.h"

enum { L = VECTOR_LANES };

/* Row r in v[r]. Full vectors, which reach into the next row, as far as the block goes. */
static void
load_rows(size_t rows, size_t classes, const float *z, Vector v[L])
{
    for (size_t r = 0; r < L; r++)
        if (r * classes + L <= rows * classes)
            v[r] = vector_load(z + r * classes);
        else
            v[r] = r < rows ? vector_load_first(z + r * classes, (int)classes) : (Vector){0};
}

/* In this order: what a whole vector writes into the next row, that row's own vector writes over. */
static void
store_rows(size_t rows, size_t classes, const Vector v[L], float *p)
{
    for (size_t r = 0; r < rows; r++)
        if (r * classes + L <= rows * classes)
            vector_store(p + r * classes, v[r]);
        else
            vector_store_first(p + r * classes, v[r], (int)classes);
}

/* Transposed, so that class c of all rows is one vector, no reduction is needed. */
Found
softmax_narrow_block(size_t rows, const Row *row, const float *z, const Room *room, float *p)
{
    Vector v[L], max = vector_splat(-INFINITY), sum = {0};
    load_rows(rows, row->classes, z, v);
    vector_transpose(v);
    for (size_t c = 0; c < row->classes; c++)
        max = vector_larger(max, v[c]);
    for (size_t c = 0; c < row->classes; c++)
        sum += v[c] = exp_of_negative(v[c] - max);
    const Vector scale = 1 / sum;
    for (size_t c = 0; c < row->classes; c++)
        v[c] *= scale;
    vector_transpose(v);
    store_rows(rows, row->classes, v, room->streamed ? room->e : p);
    if (room->streamed)
        nontemporal_copy(p, room->e, rows * row->classes * sizeof *p);
    return (Found){sum, max};
}
