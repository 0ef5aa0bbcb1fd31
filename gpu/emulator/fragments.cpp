/* Fragments of matrices: see fragments.h. SPDX-License-Identifier: MIT */
#include "gpu/emulator/fragments.h"
#include "gpu/emulator/block.h"
#include "gpu/emulator/narrow_float.h"
#include <stdio.h>
#include <string.h>

enum { MAX_SIDE = 32 };

static size_t
element_bytes(EmulatorElement element)
{
    return element == ELEMENT_HALF || element == ELEMENT_BFLOAT ? 2 : 4;
}

/* Where the lane's i-th element stands in the matrix. */
static void
element_place(const EmulatorFragment *fragment, int lane, int i, int *row, int *column)
{
    const int number = i * EMULATOR_WARP + lane;
    *row = fragment->along_columns ? number % fragment->rows : number / fragment->columns;
    *column = fragment->along_columns ? number / fragment->rows : number % fragment->columns;
}

/* ---- loads and stores -------------------------------------------------------------------------------- */

static void
check_alignment(const void *memory, unsigned step, size_t bytes, void *pc)
{
    char text[160];
    if ((uintptr_t)memory % 32 == 0 && step * bytes % 16 == 0)
        return;
    snprintf(text, sizeof(text),
             "a fragment at %p, %u elements from row to row: the address must be a multiple of 32 bytes, a row of 16",
             memory, step);
    EMULATOR_TELL(finding, FINDING_MISALIGNED, emulator_thread, pc, NULL, 0, text);
    emulator_stop(text);
}

static size_t
element_offset(const EmulatorFragment *fragment, int i, unsigned step, bool along_columns)
{
    int row, column;
    element_place(fragment, emulator_thread->lane, i, &row, &column);
    return along_columns ? (size_t)column * step + (size_t)row : (size_t)row * step + (size_t)column;
}

void
emulator_fragment_load(const EmulatorFragment *fragment, void *x, const void *memory, unsigned step,
                       bool memory_along_columns)
{
    const size_t bytes = element_bytes(fragment->element);
    void *pc = __builtin_return_address(0);
    check_alignment(memory, step, bytes, pc);
    for (int i = 0; i < fragment->rows * fragment->columns / EMULATOR_WARP; i++) {
        const char *from = (const char *)memory + bytes * element_offset(fragment, i, step, memory_along_columns);
        EMULATOR_TELL(access, from, bytes, false, pc);
        memcpy((char *)x + (size_t)i * bytes, from, bytes);
    }
}

void
emulator_fragment_store(const EmulatorFragment *fragment, const void *x, void *memory, unsigned step,
                        bool memory_along_columns)
{
    const size_t bytes = element_bytes(fragment->element);
    void *pc = __builtin_return_address(0);
    check_alignment(memory, step, bytes, pc);
    for (int i = 0; i < fragment->rows * fragment->columns / EMULATOR_WARP; i++) {
        char *to = (char *)memory + bytes * element_offset(fragment, i, step, memory_along_columns);
        EMULATOR_TELL(access, to, bytes, true, pc);
        memcpy(to, (const char *)x + (size_t)i * bytes, bytes);
    }
}

/* ---- products ---------------------------------------------------------------------------------------- */

float
emulator_to_tf32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    if ((bits & 0x7f800000) != 0x7f800000)
        bits = (bits + 0x1000) & ~(uint32_t)0x1fff;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static float
element_get(const void *x, int i, EmulatorElement element)
{
    uint32_t wide;
    uint16_t narrow;
    float value;
    if (element_bytes(element) == 2) {
        memcpy(&narrow, (const char *)x + 2 * i, sizeof(narrow));
        return element == ELEMENT_HALF ? emulator_half_value(narrow) : emulator_bfloat_value(narrow);
    }
    memcpy(&wide, (const char *)x + 4 * i, sizeof(wide));
    if (element == ELEMENT_TF32)
        wide &= ~(uint32_t)0x1fff; /* without __float_to_tf32 these bits are lost: tensor cores ignore them */
    memcpy(&value, &wide, sizeof(value));
    return value;
}

static void
element_put(void *x, int i, EmulatorElement element, float value)
{
    const uint16_t narrow = emulator_half_bits(value);
    if (element == ELEMENT_HALF)
        memcpy((char *)x + 2 * i, &narrow, sizeof(narrow));
    else
        memcpy((char *)x + 4 * i, &value, sizeof(value));
}

/* A matrix from the fragments of all lanes. */
static void
gather(const EmulatorFragment *fragment, const void *const *lanes, float matrix[MAX_SIDE][MAX_SIDE])
{
    for (int lane = 0; lane < EMULATOR_WARP; lane++) {
        for (int i = 0; i < fragment->rows * fragment->columns / EMULATOR_WARP; i++) {
            int row, column;
            element_place(fragment, lane, i, &row, &column);
            matrix[row][column] = element_get(lanes[lane], i, fragment->element);
        }
    }
}

static void
multiply_warp(void *const *lanes)
{
    static thread_local float a[MAX_SIDE][MAX_SIDE], b[MAX_SIDE][MAX_SIDE], c[MAX_SIDE][MAX_SIDE];
    const void *of_lane[3][EMULATOR_WARP];
    EmulatorProduct *const *products = (EmulatorProduct *const *)lanes;
    for (int lane = 0; lane < EMULATOR_WARP; lane++) {
        if (products[lane] == NULL)
            emulator_stop(
                "fragments are multiplied by a warp of which some threads have returned, or that has fewer than 32");
        of_lane[0][lane] = products[lane]->a;
        of_lane[1][lane] = products[lane]->b;
        of_lane[2][lane] = products[lane]->c;
    }
    const EmulatorProduct *first = products[0];
    gather(&first->a_kind, of_lane[0], a);
    gather(&first->b_kind, of_lane[1], b);
    gather(&first->c_kind, of_lane[2], c);
    for (int row = 0; row < first->a_kind.rows; row++)
        for (int k = 0; k < first->a_kind.columns; k++)
            for (int column = 0; column < first->b_kind.columns; column++)
                c[row][column] += a[row][k] * b[k][column];
    for (int lane = 0; lane < EMULATOR_WARP; lane++) {
        for (int i = 0; i < first->d_kind.rows * first->d_kind.columns / EMULATOR_WARP; i++) {
            int row, column;
            element_place(&first->d_kind, lane, i, &row, &column);
            element_put(products[lane]->d, i, first->d_kind.element, c[row][column]);
        }
    }
    EMULATOR_TELL(matrix_product, first->a_kind.rows, first->b_kind.columns, first->a_kind.columns, first->pc);
}

void
emulator_multiply(EmulatorProduct *mine)
{
    mine->pc = __builtin_return_address(0);
    emulator_together(multiply_warp, mine);
}
