/* Fragments of matrices that a warp holds and multiplies (wmma), behind include/mma.h. SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_FRAGMENTS_H
#define GPU_EMULATOR_FRAGMENTS_H

#include <stddef.h>

enum EmulatorElement { ELEMENT_HALF, ELEMENT_BFLOAT, ELEMENT_TF32, ELEMENT_FLOAT };

/* Which elements a lane holds: its i-th is number 32 i + lane, counted along rows (of `columns` elements each), or along columns.
 *
 *     16 x 16, along rows     0  1  2 .. 15      lane 0 holds (0,0), (2,0), (4,0) ..
 *                            16 17 18 .. 31      lane 17 holds (1,1), (3,1) ..
 *                             0  1  2 .. 15      A device's layout is another one, which CUDA does not specify.
 *                            ..
 */
struct EmulatorFragment {
    int rows, columns;
    EmulatorElement element;
    bool along_columns;
};

/* Loads, or stores, what this lane holds. memory: element (0,0); step: elements from one row, or column, to the next. */
void emulator_fragment_load(const EmulatorFragment *fragment, void *x, const void *memory, unsigned step,
                            bool memory_along_columns);
void emulator_fragment_store(const EmulatorFragment *fragment, const void *x, void *memory, unsigned step,
                             bool memory_along_columns);

/* The warp's d = a b + c, each of m n sums in float. Each lane contributes its own fragments. */
struct EmulatorProduct {
    EmulatorFragment a_kind, b_kind, c_kind, d_kind;
    const void *a, *b, *c;
    void *d, *pc;
};
void emulator_multiply(EmulatorProduct *mine);

/* To nearest, ties away from zero, 10 bits of fraction kept (cvt.rna.tf32.f32). */
float emulator_to_tf32(float value);

#endif
