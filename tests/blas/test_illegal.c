/* Illegal arguments of the drop-in BLAS: the number of the first one arrives at the program's own xerbla_ or cblas_xerbla, and no
 * operand is looked at. Without such routines: test_no_handler.c.
 * SPDX-License-Identifier: MIT */
#include "cpu/blas/blas.h"
#include "tests/testing.h"

/* What the last report said. */
static struct {
    int reports, parameter;
    char routine[32];
} heard;

/* The names are the BLAS's. The library finds them because it is linked to this program. */
void xerbla_(const char *routine, const int *parameter, size_t length);
void cblas_xerbla(int parameter, const char *routine, const char *format, ...);
int RowMajorStrg; /* the reference's: cpu/blas/illegal.c tells its story */

static void
listen(int parameter, const char *routine, size_t length)
{
    heard.reports++;
    heard.parameter = parameter;
    snprintf(heard.routine, sizeof(heard.routine), "%.*s", (int)length, routine);
}

void
xerbla_(const char *routine, const int *parameter, size_t length)
{
    listen(*parameter, routine, length);
}

void
cblas_xerbla(int parameter, const char *routine, const char *format, ...)
{
    (void)format;
    listen(parameter, routine, strlen(routine));
}

/* Fails unless there was exactly one report since the last call, of this parameter of this routine; 0: unless there was none. */
static void
expect(int parameter, const char *routine, const char *what)
{
    ck_assert_msg(heard.reports == (parameter > 0), "%s: %d reports", what, heard.reports);
    if (parameter > 0) {
        ck_assert_msg(heard.parameter == parameter, "%s: reported %d, expected %d", what, heard.parameter, parameter);
        ck_assert_str_eq(heard.routine, routine);
    }
    memset(&heard, 0, sizeof heard);
}

static float *const forbidden = (float *)4096; /* not readable */
static const float alpha = 1, beta = 0;

/* ---- gemm. In every row exactly what is named is wrong; the dimensions of the stored matrices are told by lda, ldb, ldc. ---- */

typedef struct GemmCase {
    int parameter; /* as Fortran counts */
    char a, b;
    int M, N, K, lda, ldb, ldc;
} GemmCase;

static void
call_fortran_gemm(const GemmCase *c)
{
    sgemm_(&c->a, &c->b, &c->M, &c->N, &c->K, &alpha, forbidden, &c->lda, forbidden, &c->ldb, &beta, forbidden,
           &c->ldc);
}

static int
number_of(char letter)
{
    return letter == 'N'   ? BLAS_NO_TRANSPOSE
           : letter == 'T' ? BLAS_TRANSPOSE
           : letter == 'C' ? BLAS_CONJUGATE_TRANSPOSE
                           : 0;
}

static void
call_c_gemm(int order, const GemmCase *c)
{
    cblas_sgemm(order, number_of(c->a), number_of(c->b), c->M, c->N, c->K, alpha, forbidden, c->lda, forbidden, c->ldb,
                beta, forbidden, c->ldc);
}

/* Column-major: A is 3 x 5, B 5 x 4 and C 3 x 4, or the transposes of A and B; a column is as long as there are rows. */
static const GemmCase gemm_columns[] = {
    {1, 'X', 'N', 3, 4, 5, 3, 5, 3},   {2, 'N', ' ', 3, 4, 5, 3, 5, 3},  {3, 'N', 'N', -1, 4, 5, 3, 5, 3},
    {4, 'N', 'T', 3, -1, 5, 3, 4, 3},  {5, 'T', 'N', 3, 4, -1, 5, 5, 3}, {8, 'N', 'N', 3, 4, 5, 2, 5, 3},
    {8, 'T', 'N', 3, 4, 5, 4, 5, 3},   {8, 'C', 'N', 3, 4, 5, 4, 5, 3},  {10, 'N', 'N', 3, 4, 5, 3, 4, 3},
    {10, 'N', 'T', 3, 4, 5, 3, 3, 3},  {13, 'N', 'N', 3, 4, 5, 3, 5, 2}, {8, 'N', 'N', 0, 0, 0, 0, 1, 1},
    {10, 'N', 'N', 0, 0, 0, 1, 0, 1},  {13, 'N', 'N', 0, 0, 0, 1, 1, 0}, {1, 'X', 'Y', -1, -1, -1, 0, 0, 0},
    {3, 'N', 'N', -1, -1, -1, 0, 0, 0}};

/* Row-major: a row is as long as there are columns. */
static const GemmCase gemm_rows[] = {
    {1, 'X', 'N', 3, 4, 5, 5, 4, 4},  {2, 'N', ' ', 3, 4, 5, 5, 4, 4},  {3, 'N', 'N', -1, 4, 5, 5, 4, 4},
    {4, 'N', 'T', 3, -1, 5, 5, 5, 4}, {5, 'T', 'N', 3, 4, -1, 3, 4, 4}, {8, 'N', 'N', 3, 4, 5, 4, 4, 4},
    {8, 'T', 'N', 3, 4, 5, 2, 4, 4},  {8, 'C', 'N', 3, 4, 5, 2, 4, 4},  {10, 'N', 'N', 3, 4, 5, 5, 3, 4},
    {10, 'N', 'T', 3, 4, 5, 5, 4, 4}, {13, 'N', 'N', 3, 4, 5, 5, 4, 3}, {8, 'N', 'N', 0, 0, 0, 0, 1, 1},
    {10, 'N', 'N', 0, 0, 0, 1, 0, 1}, {13, 'N', 'N', 0, 0, 0, 1, 1, 0}, {3, 'N', 'N', -1, -1, -1, 0, 0, 0}};

enum { GEMM_COLUMNS = COUNT(gemm_columns), GEMM_ROWS = COUNT(gemm_rows) };

TEST(fortran_gemm_reports)
{
    for (int i = 0; i < GEMM_COLUMNS; i++) {
        call_fortran_gemm(&gemm_columns[i]);
        expect(gemm_columns[i].parameter, "SGEMM ", "sgemm_");
    }
}

TEST(c_gemm_reports)
{
    for (int i = 0; i < GEMM_COLUMNS; i++) {
        call_c_gemm(BLAS_COLUMN_MAJOR, &gemm_columns[i]);
        expect(1 + gemm_columns[i].parameter, "cblas_sgemm", "cblas_sgemm by columns");
    }
    for (int i = 0; i < GEMM_ROWS; i++) {
        call_c_gemm(BLAS_ROW_MAJOR, &gemm_rows[i]);
        expect(1 + gemm_rows[i].parameter, "cblas_sgemm", "cblas_sgemm by rows");
    }
    call_c_gemm(0, &gemm_rows[0]);
    expect(1, "cblas_sgemm", "an order that does not exist");
}

/* A listener that exchanges M with N and A with B back wants them exchanged. */
TEST(c_gemm_reports_exchanged_numbers_to_the_reference)
{
    static const int exchanged[] = {[2] = 2, [3] = 3, [4] = 5, [5] = 4, [6] = 6, [9] = 11, [11] = 9, [14] = 14};
    RowMajorStrg = 1;
    for (int i = 0; i < GEMM_ROWS; i++) {
        call_c_gemm(BLAS_ROW_MAJOR, &gemm_rows[i]);
        expect(exchanged[1 + gemm_rows[i].parameter], "cblas_sgemm", "exchanged");
    }
}

/* ---- gemv: A has 3 rows and 4 columns ---- */

typedef struct GemvCase {
    int parameter; /* as Fortran counts */
    char trans;
    int M, N, lda_columns, lda_rows, incx, incy; /* leading dimensions by columns and by rows */
} GemvCase;

static const GemvCase gemv_cases[] = {
    {1, 'X', 3, 4, 3, 4, 1, 1}, {2, 'N', -1, 4, 3, 4, 1, 1}, {3, 'T', 3, -1, 3, 4, 1, 1},
    {6, 'N', 3, 4, 2, 3, 1, 1}, {6, 'C', 3, 4, 2, 3, 1, 1},  {6, 'N', 0, 0, 0, 0, 1, 1},
    {8, 'N', 3, 4, 3, 4, 0, 1}, {11, 'N', 3, 4, 3, 4, 1, 0}, {2, 'N', -1, -1, 0, 0, 0, 0}};

static void
call_c_gemv(int order, const GemvCase *c)
{
    cblas_sgemv(order, number_of(c->trans), c->M, c->N, alpha, forbidden,
                order == BLAS_ROW_MAJOR ? c->lda_rows : c->lda_columns, forbidden, c->incx, beta, forbidden, c->incy);
}

TEST(gemv_reports)
{
    for (int i = 0; i < COUNT(gemv_cases); i++) {
        const GemvCase *c = &gemv_cases[i];
        sgemv_(&c->trans, &c->M, &c->N, &alpha, forbidden, &c->lda_columns, forbidden, &c->incx, &beta, forbidden,
               &c->incy);
        expect(c->parameter, "SGEMV ", "sgemv_");
        call_c_gemv(BLAS_COLUMN_MAJOR, c);
        expect(1 + c->parameter, "cblas_sgemv", "cblas_sgemv by columns");
        call_c_gemv(BLAS_ROW_MAJOR, c);
        expect(1 + c->parameter, "cblas_sgemv", "cblas_sgemv by rows");
    }
    call_c_gemv(100, &gemv_cases[0]);
    expect(1, "cblas_sgemv", "an order that does not exist");
    RowMajorStrg = 1;
    call_c_gemv(BLAS_ROW_MAJOR, &gemv_cases[1]);
    expect(4, "cblas_sgemv", "exchanged");
    call_c_gemv(BLAS_ROW_MAJOR, &gemv_cases[2]);
    expect(3, "cblas_sgemv", "exchanged");
}

/* Level 1 has no illegal arguments, and what is legal elsewhere is not reported. */
TEST(legal_calls_are_not_reported)
{
    float one[1] = {1}, y[1] = {2};
    cblas_sgemm(BLAS_ROW_MAJOR, BLAS_NO_TRANSPOSE, BLAS_TRANSPOSE, 1, 1, 1, 1, one, 1, one, 1, 0, y, 1);
    cblas_sgemv(BLAS_COLUMN_MAJOR, BLAS_TRANSPOSE, 1, 1, 1, one, 1, one, -5, 0, y, 7);
    cblas_saxpy(-1, 1, forbidden, 0, forbidden, 0);
    ck_assert_float_eq(cblas_sdot(-1, forbidden, 0, forbidden, 0), 0);
    expect(0, "", "legal calls");
    ck_assert_float_eq(y[0], 1);
}

TEST_MAIN("blas/illegal")
