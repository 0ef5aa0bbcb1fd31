/* The ladders of the CPU: `rungs bench NAME` measures them. SPDX-License-Identifier: MIT */
#ifndef CPU_LADDERS_H
#define CPU_LADDERS_H

#include "ladder/ladder.h"

extern const Ladder gemv_ladder; /* cpu/gemv/ladder.c */

#endif
