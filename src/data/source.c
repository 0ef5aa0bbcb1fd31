/* What all sources of batches have in common: see source.h.
 * SPDX-License-Identifier: MIT */
#include "data/source.h"

#include "core/checked.h"

size_t
source_rows(const Source *source, uint64_t step)
{
    if (step >= source->steps)
        return 0;
    const size_t left = source->samples - (size_t)step * source->batch;
    return left < source->batch ? left : source->batch;
}

bool
source_load(Source *source, uint64_t epoch, uint64_t step, size_t first, size_t count, Error *error)
{
    const size_t rows = source_rows(source, step);
    CHECK_THAT(first <= rows && count <= rows - first, "rows %zu to %zu of a batch that has %zu", first, first + count,
               rows);
    return source->kind->load(source, epoch, step, first, count, error);
}

bool
source_each(Source *source, SourceVisit *visit, void *context, Error *error)
{
    for (uint64_t step = 0; step < source->steps; step++) {
        const size_t rows = source_rows(source, step);
        if (!source_load(source, 0, step, 0, rows, error))
            return false;
        for (size_t row = 0; row < rows; row++)
            visit(context, source->x + row * source->features, source->labels[row]);
    }
    return true;
}

void
source_free(Source *source)
{
    if (source)
        source->kind->free(source);
}
