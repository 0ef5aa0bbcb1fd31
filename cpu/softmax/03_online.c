/* softmax, rung 3: online.
 * Idea      maximum and sum in one pass (Milakov and Gimelshein 2018): the sum is kept relative to the largest number so far, and
 *           when a larger one comes, what was summed is scaled down to it.
 *
 *               m' = max(m, z)      s' = s e^(m - m') + e^(z - m')
 *
 * Before    z read for the maximum, read again for e^z, which is written, read for the division and written: five transfers for
 *           a row that does not stay in a cache.
 * Now       three: z read for m and s, read again for p = e^(z - m) / s, p written. The price is a second e^ for each element
 *           (not a third: of m - m' and z - m', one is always 0).
 *           In the cache, where rows of networks are, passes cost little and e^ much: this rung is no faster there than rung 2.
 *           Attention in tiles is built on it: there the complete row never exists.
 * Wants     nothing.
 * SPDX-License-Identifier: MIT */
#include "cpu/softmax/softmax.h"
#include <math.h>
#include <stddef.h>

typedef struct Running {
    float max, sum; /* of e^(z - max) */
} Running;

/* A NaN is never larger: it comes into the sum as its own exponential. Minus infinity adds nothing, also before there is a maximum
 * to subtract from it. */
static Running
take(Running so_far, float z)
{
    if (z == -INFINITY)
        return so_far;
    if (z > so_far.max)
        return (Running){z, so_far.sum * expf(so_far.max - z) + 1};
    return (Running){so_far.max, so_far.sum + expf(z - so_far.max)};
}

double
softmax_loss_online(int rows, int classes, const float *z, const int *labels, float *p)
{
    const size_t C = (size_t)classes;
    double loss = 0;
    for (size_t r = 0; r < (size_t)rows; r++, z += C, p += C) {
        Running row = {-INFINITY, 0};
        for (size_t c = 0; c < C; c++)
            row = take(row, z[c]);
        loss += labels ? log(row.sum) - (double)(z[labels[r]] - row.max) : 0; /* before p, which may be z, is written */
        const float scale = 1 / row.sum;
        for (size_t c = 0; c < C; c++)
            p[c] = expf(z[c] - row.max) * scale;
    }
    return labels ? loss : NAN;
}
