/* What rung 10 of the matrix product prefetches: every line of the next panel once, and nothing far behind it.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/tiles.h"
#include "tests/testing.h"
#include <stdalign.h>

enum { ROWS = 5, LDB_MAX = 80, LINES = ROWS * LDB_MAX / TILE_LINE + 3 };

/* B begins `offset` floats behind a line; columns n .. of all its rows are prefetched by `tiles` tiles. */
static void
check_lines(int offset, int ldb, int N, int n, int columns, int tiles)
{
    static alignas(64) float memory[LINES * TILE_LINE];
    StridedGemm p = strided_gemm(false, false, 1, N, ROWS, 1, memory, ROWS, memory + offset, ldb, 0, memory, N);
    int asked[LINES] = {0}, wanted[LINES] = {0}, all = 0;
    const Prefetch ahead = prefetch_of_panel(&p, 0, n, columns);
    for (int k = 0; k < ROWS; k++) {
        for (int i = 0; i < tiles; i++) {
            const Prefetch share = prefetch_of_tile(ahead, i, tiles);
            for (int l = 0; l < share.lines; l++)
                asked[(share.first + k * ldb + l * TILE_LINE - memory) / TILE_LINE] = 1;
            all += share.lines;
        }
        for (int c = n; c < N && c < n + columns; c++)
            wanted[(offset + k * ldb + c) / TILE_LINE] = 1;
    }
    ck_assert_int_eq(all, ROWS * ahead.lines); /* no line twice, none forgotten between two tiles */
    ck_assert_int_le(ahead.lines, (columns - 1) / TILE_LINE + 2);
    for (int line = 0; line < LINES; line++)
        ck_assert_msg(asked[line] >= wanted[line], "offset %d, ldb %d, N %d, n %d, %d columns, %d tiles: line %d",
                      offset, ldb, N, n, columns, tiles, line);
}

TEST(every_line_of_the_next_panel_is_asked_for)
{
    for (int offset = 0; offset < TILE_LINE; offset++)
        for (int ldb = LDB_MAX - TILE_LINE; ldb <= LDB_MAX; ldb++)
            for (int columns = 8; columns <= 64; columns += 8)
                for (int tiles = 1; tiles <= 6; tiles++) {
                    check_lines(offset, ldb, LDB_MAX - TILE_LINE, 0, columns, tiles);
                    check_lines(offset, ldb, 50, 24, columns, tiles); /* fewer columns are left */
                }
}

TEST(whole_lines_are_asked_for_once_and_nothing_behind_the_last)
{
    static alignas(64) const float B[4 * TILE_LINE];
    const StridedGemm p = {.N = 2 * TILE_LINE, .K = 2, .B = B, .b_k = 2 * TILE_LINE, .b_column = 1};
    ck_assert_int_eq(prefetch_of_panel(&p, 0, 0, 2 * TILE_LINE).lines, 2);
    ck_assert_int_eq(prefetch_of_panel(&p, 1, TILE_LINE, 2 * TILE_LINE).lines, 1);
    ck_assert_ptr_eq(prefetch_of_panel(&p, 1, TILE_LINE, 2 * TILE_LINE).first, B + 3 * TILE_LINE);
    ck_assert_ptr_null(prefetch_of_panel(&p, 0, 2 * TILE_LINE, TILE_LINE).first);
    ck_assert_ptr_null(prefetch_of_tile((Prefetch){0}, 0, 1).first);
    ck_assert_ptr_null(
        prefetch_of_tile(prefetch_of_panel(&p, 0, 0, 2 * TILE_LINE), 2, 3).first); /* two lines, three tiles */
}

TEST_MAIN("panels of the matrix product")
