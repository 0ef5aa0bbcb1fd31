/* The matrix product with an epilogue: bias, residual and ReLU follow the last of each sum, whatever algorithm the product
 * takes.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/gemm/gemm.h"
#include "tests/cpu/gemm_case.h"
#include "tests/testing.h"

static double
finished(const Epilogue *e, size_t n, size_t at, double sum)
{
    sum += (e->bias != NULL ? e->bias[n] : 0.0) + (e->residual != NULL ? e->residual[at] : 0.0);
    return e->relu && sum < 0.0 ? 0.0 : sum;
}

/* bias, residual, ReLU, all eight combinations. */
static void
check_epilogue(const Case *c)
{
    Operands o = operands_create(c);
    double *sums = reference(c, &o), *want = ARRAY(double, o.c_size + 1);
    float *bias = ARRAY(float, (size_t)c->N + 1), *residual = ARRAY(float, o.c_size + 1);
    rng_fill_uniform(7, 4, 0, bias, (size_t)c->N, -1, 1);
    rng_fill_uniform(7, 5, 0, residual, o.c_size, -1, 1);
    for (int which = 0; which < 8; which++) {
        const Epilogue e = {which & 1 ? bias : NULL, which & 2 ? residual : NULL, which & 4};
        Guarded got = guarded_create(o.c_size);
        memcpy(got.x, o.C, o.c_size * sizeof(float));
        gemm_expert_epilogue(c->transpose_a, c->transpose_b, c->M, c->N, c->K, c->alpha, o.A, (int)o.lda, o.B,
                             (int)o.ldb, c->beta, got.x, (int)o.ldc, &e);
        for (size_t m = 0; m < (size_t)c->M; m++) {
            const size_t at = m * o.ldc;
            for (size_t n = 0; n < (size_t)c->N; n++)
                want[at + n] = finished(&e, n, at + n, sums[at + n]);
            const double atol = 6e-8 * (c->K + 4) * (fabs(c->alpha) * sqrt(c->K) + fabs(c->beta) + 3);
            const Verdict verdict = verify_against(got.x + at, want + at, (size_t)c->N, atol, 0);
            ck_assert_verdict(verdict, "epilogue %d, M %d N %d K %d, row %zu", which, c->M, c->N, c->K, m);
        }
        ck_assert_msg(guarded_intact(&got), "epilogue %d wrote outside C", which);
        guarded_free(&got);
    }
    array_free(bias);
    array_free(residual);
    array_free(sums);
    array_free(want);
    operands_free(&o);
}

/* One row, in place, in panels, in several blocks of k, transposed, shared by rows and by columns. */
TEST(epilogue_follows_the_last_of_the_sum)
{
    const int before = host_threads();
    for (int threads = 1; threads <= 3; threads++) {
        host_set_threads(threads);
        check_epilogue(&(Case){false, false, 0, 5, 3, 1, 0});
        check_epilogue(&(Case){false, false, 3, 5, 0, 1, 0});
        check_epilogue(&(Case){false, false, 1, 4111, 300, 1, 0});
        check_epilogue(&(Case){false, false, 17, 35, 40, -1, 0.5F});
        check_epilogue(&(Case){false, false, 13, 1500, 137, 1, 0});
        check_epilogue(&(Case){false, false, 201, 67, 130, 1, 1});
        check_epilogue(&(Case){false, false, 20, 256 - GAP, 1030, 1, 0});
        check_epilogue(&(Case){false, true, 30, 131, 1100, 1, 0});
        check_epilogue(&(Case){true, false, 31, 70, 2100, 2, 0});
        check_epilogue(&(Case){false, true, 2100, 3, 1025, 1, 2});
        check_epilogue(&(Case){false, false, 401, 256 - GAP, 1025, 1, 0});
    }
    host_set_threads(before);
}

TEST_MAIN("gemm with an epilogue")
