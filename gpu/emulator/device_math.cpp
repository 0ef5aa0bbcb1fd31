/* Sums and products that are rounded on their own: this file is compiled with -ffp-contract=off. SPDX-License-Identifier: MIT */
#include "gpu/emulator/device_math.h"

float
__fadd_rn(float a, float b)
{
    return a + b;
}

float
__fsub_rn(float a, float b)
{
    return a - b;
}

float
__fmul_rn(float a, float b)
{
    return a * b;
}

double
__dadd_rn(double a, double b)
{
    return a + b;
}

double
__dmul_rn(double a, double b)
{
    return a * b;
}
