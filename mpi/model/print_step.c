/* Predicted steps for people. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/units.h"
#include "mpi/model/merge.h"
#include <math.h>

static int
all_reduces(const Step *step)
{
    int count = 0;
    for (int g = 0; g < step->groups; g++)
        count += step->group[g].bytes > 0;
    return count;
}

static void
print_mode(FILE *out, const char *mode, const Step *step, const double *measured)
{
    char predicted[UNITS_SIZE], seconds[UNITS_SIZE] = "-", ratio[UNITS_SIZE] = "-", hidden[UNITS_SIZE] = "-";
    if (step->communication > 0)
        snprintf(hidden, sizeof hidden, "%.0f %%", 100 * (1 - step->exposed / step->communication));
    fprintf(out, "  %-10s %11d %12s %12s", mode, all_reduces(step), units_format(predicted, step->seconds, "s"),
            hidden);
    if (measured != NULL && !isnan(*measured)) {
        units_format(seconds, *measured, "s");
        snprintf(ratio, sizeof ratio, "%.2f", *measured / step->seconds);
    }
    if (measured != NULL)
        fprintf(out, " %12s %8s", seconds, ratio);
    fprintf(out, "\n");
}

void
step_print(FILE *out, const StepCase *what, double first_bucket, double bucket, const double *measured)
{
    Step *step = ARRAY(Step, 1);
    fprintf(out, "  %-10s %11s %12s %12s", "a step", "all-reduces", "predicted", "hidden");
    if (measured != NULL)
        fprintf(out, " %12s %8s", "measured", "ratio");
    fprintf(out, "\n");
    for (int m = 0; m < STEP_MODES; m++) {
        step_of_mode(step_modes[m], what, first_bucket, bucket, step);
        print_mode(out, step_modes[m], step, measured == NULL ? NULL : &measured[m]);
    }
    array_free(step);
}
