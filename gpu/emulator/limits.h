/* The limits of a launch: those of compute capability 9.0 (CUDA C++ Programming Guide, table of technical specifications).
 * SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_LIMITS_H
#define GPU_EMULATOR_LIMITS_H

enum {
    EMULATOR_WARP = 32,
    EMULATOR_MAX_THREADS = 1024, /* of a block; also in x and in y */
    EMULATOR_MAX_Z = 64,
    EMULATOR_MAX_GRID = 0x7fffffff, /* blocks in x */
    EMULATOR_MAX_GRID_YZ = 65535,
    EMULATOR_SHARED = 48 * 1024,        /* bytes of a block, */
    EMULATOR_SHARED_OPTIN = 227 * 1024, /* and with cudaFuncSetAttribute */
    EMULATOR_ARGUMENTS = 32764          /* bytes of a kernel's arguments */
};

#endif
