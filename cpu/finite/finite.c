/* Looking for what is not finite: see finite.h. SPDX-License-Identifier: MIT */
#include "cpu/finite/finite.h"
#include <stdint.h>
#include <string.h>

/* A float is infinite or NaN exactly if all bits of its exponent are 1. Testing the bits keeps the loop free of branches, so
 * that it is vectorised and its cost beside a training step is negligible. */
bool
all_finite(size_t n, const float *x)
{
    const uint32_t exponent = 0x7f800000;
    uint32_t found = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof(bits));
        found |= (bits & exponent) == exponent;
    }
    return !found;
}
