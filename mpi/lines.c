/* A vector partitioned at cache lines: chunk.c is the lab's file, so this is another one.
 *
 *     n = 40 floats, p = 2      | line 0 | line 1 | line 2 |        40 = 16 + 16 + 8
 *                               '--- chunk 0 -----' chunk 1'        32 and 8 floats
 * SPDX-License-Identifier: MIT */
#include "mpi/chunk.h"

Chunk
chunk_of_lines(size_t n, size_t element, int p, int i)
{
    const size_t line = CHUNK_LINE / element, lines = n / line + (n % line > 0);
    const Chunk part = chunk_of(lines, p, i);
    const size_t first = part.first * line < n ? part.first * line : n, end = (part.first + part.count) * line;
    return (Chunk){first, (end < n ? end : n) - first};
}
