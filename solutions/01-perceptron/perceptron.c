/* Lab 01: the reference is the solution. SPDX-License-Identifier: MIT */
#include "src/perceptron.c"
