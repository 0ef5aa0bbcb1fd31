/* MPI's types and operations in our words, and data of any type as bytes. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/dropin/device.h"
#include "mpi/dropin/internal.h"
#include <limits.h>

/* ---- reductions ---- */

#define WHOLE(type) (sizeof(type) == 8 ? ELEMENT_INT64 : ELEMENT_INT32)

/* What is promised: integers are added and multiplied modulo 2^bits, minimum and maximum see the sign of the type as C has it, and
 * floating-point results are the same bits on all ranks, rounded in an order of our own. The library's need not be the same: of its
 * versions some add MPI_UINT8_T with saturation where they have vector instructions for it (Open MPI 4.1 with AVX: 200 + 100 is
 * 255 in
 * some elements of a vector and 44 in the rest), or compare MPI_OFFSET without its sign.
 *
 * Sums and products modulo 2^bits do not see a sign, minimum and maximum do: those of types whose sign is not their element's are
 * left
 * out. */
static const struct {
    MPI_Datatype datatype;
    Element type;
    bool other_sign;
} numbers[] = {
    {MPI_FLOAT, ELEMENT_FLOAT, false},
    {MPI_DOUBLE, ELEMENT_DOUBLE, false},
    {MPI_INT, WHOLE(int), false},
    {MPI_LONG, WHOLE(long), false},
    {MPI_INT32_T, ELEMENT_INT32, false},
    {MPI_INT64_T, ELEMENT_INT64, false},
    {MPI_LONG_LONG, WHOLE(long long), false},
    {MPI_UINT8_T, ELEMENT_BYTE, false},
    {MPI_UNSIGNED_CHAR, ELEMENT_BYTE, false},
    {MPI_AINT, WHOLE(MPI_Aint), false},
    {MPI_OFFSET, WHOLE(MPI_Offset), false},
    {MPI_COUNT, WHOLE(MPI_Count), false},
    {MPI_UNSIGNED, WHOLE(unsigned), true},
    {MPI_UNSIGNED_LONG, WHOLE(unsigned long), true},
    {MPI_UNSIGNED_LONG_LONG, WHOLE(unsigned long long), true},
    {MPI_UINT32_T, ELEMENT_INT32, true},
    {MPI_UINT64_T, ELEMENT_INT64, true},
    {MPI_INT8_T, ELEMENT_BYTE, true},
    {MPI_SIGNED_CHAR, ELEMENT_BYTE, true},
};
enum { NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };

static int
number_of(MPI_Datatype datatype)
{
    for (int i = 0; i < NUMBERS; i++)
        if (numbers[i].datatype == datatype)
            return i;
    return NUMBERS;
}

static bool
reduction_of(MPI_Op op, Reduction *reduction)
{
    for (int i = 0; i < REDUCTIONS; i++) {
        *reduction = (Reduction)i;
        if (reduction_mpi(*reduction) == op)
            return true;
    }
    return false;
}

bool
dropin_reduction(MPI_Datatype datatype, MPI_Op op, Element *type, Reduction *reduction)
{
    const int i = number_of(datatype);
    if (i == NUMBERS || !reduction_of(op, reduction))
        return false;
    *type = numbers[i].type;
    return !numbers[i].other_sign || *reduction == REDUCTION_SUM || *reduction == REDUCTION_PROD;
}

/* ---- bytes ---- */

/* MPI's own types but pairs such as MPI_DOUBLE_INT, which may have gaps. A derived type without gaps may still have its parts in
 * another order, so all derived types are packed. */
static bool
is_plain(MPI_Datatype type, size_t item)
{
    int integers, addresses, types, combiner;
    MPI_Aint lower, extent;
    CHECK_MPI(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
    CHECK_MPI(PMPI_Type_get_extent(type, &lower, &extent));
    return combiner == MPI_COMBINER_NAMED && lower == 0 && extent == (MPI_Aint)item;
}

/* Packing nothing is refused if the type is not committed. */
static bool
may_be_packed(MPI_Datatype type)
{
    char nothing = 0, space = 0;
    int position = 0;
    return PMPI_Pack(&nothing, 0, type, &space, 1, &position, dropin_quiet()) == MPI_SUCCESS;
}

bool
layout_of(Layout *layout, MPI_Datatype type, int count)
{
    if (count < 0 || type == MPI_DATATYPE_NULL || dropin_quiet() == MPI_COMM_NULL)
        return false;
    *layout = (Layout){.type = type, .count = count, .plain = true};
    const int i = number_of(type);
    if (i < NUMBERS) {
        layout->item = element_size(numbers[i].type);
    } else {
        MPI_Count item;
        CHECK_MPI(PMPI_Type_size_x(type, &item));
        layout->item = (size_t)item;
        layout->plain = is_plain(type, layout->item);
    }
    layout->bytes = layout->item * (size_t)count;
    return layout->plain || may_be_packed(type);
}

bool
layout_has(const Layout *layout, const void *buffer)
{
    return buffer != NULL || layout->bytes == 0 || !layout->plain;
}

/* All of a buffer from its first byte to its last, gaps too, as the host sees it. */
static Mirror
span_open(const Layout *layout, MPI_Aint items, MPI_Aint extent, const char *buffer, MPI_Aint *begin)
{
    MPI_Aint lower, length;
    CHECK_MPI(PMPI_Type_get_true_extent(layout->type, &lower, &length));
    const MPI_Aint last = (items - 1) * extent;
    *begin = (MPI_Aint)buffer + lower + (last < 0 ? last : 0);
    return mirror_open((void *)*begin, (size_t)(length + (last < 0 ? -last : last)), true);
}

/* MPI packs into at most INT_MAX bytes: as many items at a time as fit. */
static void
convert(const Layout *layout, int blocks, const char *buffer, char *bytes, bool pack)
{
    CHECK_THAT(layout->item <= INT_MAX, "one item of a derived type has %zu bytes; at most %d can be packed",
               layout->item, INT_MAX);
    const size_t items = (size_t)layout->count * (size_t)blocks, most = INT_MAX / layout->item;
    MPI_Aint lower, extent, begin;
    CHECK_MPI(PMPI_Type_get_extent(layout->type, &lower, &extent));
    Mirror span = span_open(layout, (MPI_Aint)items, extent, buffer, &begin);
    const MPI_Aint host = (MPI_Aint)buffer + ((MPI_Aint)span.host - begin);
    for (size_t first = 0; first < items; first += most) {
        const int n = (int)(items - first < most ? items - first : most), size = n * (int)layout->item;
        char *part = bytes + first * layout->item;
        void *item = (void *)(host + (MPI_Aint)first * extent);
        int position = 0;
        if (pack)
            CHECK_MPI(PMPI_Pack(item, n, layout->type, part, size, &position, dropin_quiet()));
        else
            CHECK_MPI(PMPI_Unpack(part, size, &position, item, n, layout->type, dropin_quiet()));
    }
    mirror_close(&span, !pack);
}

void *
layout_open(const Layout *layout, int blocks, const void *buffer, bool read)
{
    if (layout->plain || layout->bytes == 0)
        return mirror_open(buffer, layout->bytes * (size_t)blocks, read).host;
    void *bytes = array_create(layout->bytes, (size_t)blocks);
    if (read)
        convert(layout, blocks, buffer, bytes, true);
    return bytes;
}

void
layout_close(const Layout *layout, int blocks, const void *buffer, void *bytes, bool write)
{
    if (layout->plain || layout->bytes == 0) {
        Mirror mirror = {bytes, bytes == buffer ? NULL : (void *)(size_t)buffer, layout->bytes * (size_t)blocks};
        mirror_close(&mirror, write);
        return;
    }
    if (write)
        convert(layout, blocks, buffer, bytes, false);
    array_free(bytes);
}
