/* MPI's types and operations in our words, and data of any type as bytes. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/dropin/parts.h"
#include <limits.h>

/* ---- reductions ---- */

#define WHOLE(type) (sizeof(type) == 8 ? ELEMENT_INT64 : ELEMENT_INT32)

/* Sums and products do not see a sign, minimum and maximum do: those of types whose sign is not their element's are left out. */
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
may_be_packed(MPI_Datatype type, MPI_Comm mpi)
{
    char nothing = 0, space = 0;
    int position = 0;
    return PMPI_Pack(&nothing, 0, type, &space, 1, &position, mpi) == MPI_SUCCESS;
}

bool
layout_of(Layout *layout, MPI_Datatype type, int count, const Comm *comm)
{
    if (count < 0 || type == MPI_DATATYPE_NULL)
        return false;
    *layout = (Layout){.type = type, .mpi = comm->mpi, .count = count, .plain = true};
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
    return layout->plain || may_be_packed(type, layout->mpi);
}

bool
layout_has(const Layout *layout, const void *buffer)
{
    return buffer != NULL || layout->bytes == 0 || !layout->plain;
}

/* MPI packs into at most INT_MAX bytes: as many items at a time as fit. */
static void
convert(const Layout *layout, int blocks, char *buffer, char *bytes, bool pack)
{
    CHECK_THAT(layout->item <= INT_MAX, "one item of a derived type has %zu bytes; at most %d can be packed",
               layout->item, INT_MAX);
    const size_t items = (size_t)layout->count * (size_t)blocks, most = INT_MAX / layout->item;
    MPI_Aint lower, extent;
    CHECK_MPI(PMPI_Type_get_extent(layout->type, &lower, &extent));
    for (size_t first = 0; first < items; first += most) {
        const int n = (int)(items - first < most ? items - first : most), size = n * (int)layout->item;
        char *part = bytes + first * layout->item;
        void *item = (void *)((MPI_Aint)buffer + (MPI_Aint)first * extent);
        int position = 0;
        if (pack)
            CHECK_MPI(PMPI_Pack(item, n, layout->type, part, size, &position, layout->mpi));
        else
            CHECK_MPI(PMPI_Unpack(part, size, &position, item, n, layout->type, layout->mpi));
    }
}

void *
layout_open(const Layout *layout, int blocks, const void *buffer, bool read)
{
    if (layout->plain || layout->bytes == 0)
        return (void *)(size_t)buffer;
    void *bytes = array_create(layout->bytes, (size_t)blocks);
    if (read)
        convert(layout, blocks, (char *)(size_t)buffer, bytes, true);
    return bytes;
}

void
layout_close(const Layout *layout, int blocks, void *buffer, void *bytes, bool write)
{
    if (layout->plain || layout->bytes == 0)
        return;
    if (write)
        convert(layout, blocks, buffer, bytes, false);
    array_free(bytes);
}
