/* SPDX-License-Identifier: MIT */
#include "nn/rate_scale.h"
#include "core/checked.h"
#include <math.h>
#include <string.h>

bool
rate_scale_from_name(const char *name, RateScale *scale, Error *error)
{
    static const char *const names[] = {"none", "linear", "sqrt"};
    for (int i = 0; i <= RATE_SCALE_SQRT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *scale = (RateScale)i;
            return true;
        }
    }
    return error_set(error, "there is no scaling of the rate called \"%s\": use none, linear or sqrt", name);
}

double
rate_for_batch(RateScale scale, double rate, int workers)
{
    CHECK_THAT(workers >= 1, "rate_for_batch: %d workers; there is at least one", workers);
    switch (scale) {
    case RATE_SCALE_LINEAR:
        return rate * workers;
    case RATE_SCALE_SQRT:
        return rate * sqrt(workers);
    case RATE_SCALE_NONE:
        break;
    }
    return rate;
}
