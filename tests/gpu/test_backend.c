/* Each function of the device's table on arrays and matrices against the CPU's naive one: odd shapes, the emulator in one order of
 * threads (in three with test_thorough()), and the device where there is one. Images and normalisation: test_backend_layers.c.
 * SPDX-License-Identifier: MIT */
#include "tests/gpu/backend_arrays.h"

/* ---- arrays and matrices ------------------------------------------------------------------------------ */

static void
check_gemm(void)
{
    static const int shapes[][3] = {{0, 5, 3}, {5, 0, 3}, {5, 3, 0}, {1, 1, 1}, {7, 33, 13}, {33, 7, 32}, {37, 41, 65}};
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (int variant = 0; variant < 8; variant++) {
            const bool ta = variant & 1, tb = variant & 2;
            const int M = shapes[i][0], N = shapes[i][1], K = shapes[i][2], more = variant & 4 ? 3 : 0;
            const int lda = (ta ? M : K) + more, ldb = (tb ? K : N) + more, ldc = N + more;
            Array A = random_array((size_t)(ta ? K : M) * (size_t)lda, 1);
            Array B = random_array((size_t)(tb ? N : K) * (size_t)ldb, 2);
            Array C = more ? random_array((size_t)M * (size_t)ldc, 3) : poisoned_array((size_t)M * (size_t)ldc);
            const float beta = more ? -0.5f : 0;
            ON_BOTH(gemm(ta, tb, M, N, K, 1.5f, A.x[s], lda, B.x[s], ldb, beta, C.x[s], ldc));
            expect_equal(&C, 1e-5, "gemm");
            expect_unchanged(&A);
            expect_unchanged(&B);
        }
}

static void
check_elements(void)
{
    for (int i = 0; i < SIZES; i++) {
        const size_t n = (size_t)sizes[i];
        Array x = random_array(n, 1), y = random_array(n, 2), z = poisoned_array(n);
        ON_BOTH(add(n, x.x[s], y.x[s]));
        ON_BOTH(clear(n, z.x[s]));
        expect_equal(&y, 0, "add");
        expect_equal(&z, 0, "clear");
        y = poisoned_array(n);
        ON_BOTH(dropout(n, x.x[s], y.x[s], 0.3f, 0x123456789abcdef0U, (uint64_t)7 << 40, ((uint64_t)3 << 48) + 5));
        expect_equal(&y, 1e-7, "dropout");
        expect_unchanged(&x);
    }
}

/* Narrow numbers, widened again: from below the smallest fp16 to beyond the largest. The narrow array is in a float one. */
static void
check_types(void)
{
    for (int i = 0; i < SIZES; i++)
        for (NumberType type = NUMBER_FP32; type <= NUMBER_FP16; type++) {
            const size_t n = (size_t)sizes[i];
            Array x = random_array(n, 1), narrow = constant_array(n, 0), wide = poisoned_array(n);
            for (size_t e = 0; e < n; e++)
                x.x[CPU][e] = ldexpf(x.x[CPU][e], (int)(e % 45) - 26);
            table[GPU]->memory->copy_in(x.x[GPU], x.x[CPU], n * sizeof(float));
            ON_BOTH(narrow(type, n, x.x[s], narrow.x[s]));
            ON_BOTH(widen(type, n, narrow.x[s], wide.x[s]));
            expect_unchanged(&narrow);
            expect_unchanged(&wide);
            expect_unchanged(&x);
        }
}

static void
check_activations(void)
{
    for (int i = 0; i < SIZES; i++)
        for (Activation kind = ACTIVATION_SIGMOID; kind <= ACTIVATION_RELU; kind++) {
            const size_t n = (size_t)sizes[i];
            Array x = random_array(n, 1), y = poisoned_array(n), dy = random_array(n, 2);
            for (size_t e = 0; e < n; e++)
                x.x[CPU][e] *= e % 7 == 0 ? 200 : 4; /* beyond expf's range, too */
            table[GPU]->memory->copy_in(x.x[GPU], x.x[CPU], n * sizeof(float));
            ON_BOTH(activation_forward(kind, n, x.x[s], y.x[s]));
            ON_BOTH(activation_backward(kind, n, y.x[s], dy.x[s], dy.x[s]));
            expect_equal(&y, 2e-6, "activation");
            expect_equal(&dy, 2e-6, "its gradient");
            expect_unchanged(&x);
        }
}

static void
check_rows(void)
{
    for (int i = 0; i < MATRICES; i++) {
        const int rows = matrices[i][0], columns = matrices[i][1];
        const size_t R = (size_t)rows, C = (size_t)columns;
        Array bias = random_array(C, 1), y = poisoned_array(R * C), dbias = random_array(C, 2);
        ON_BOTH(bias_fill(rows, columns, bias.x[s], y.x[s]));
        ON_BOTH(bias_gradient(rows, columns, y.x[s], dbias.x[s]));
        Array wide = random_array(R * (C + 3), 3);
        ON_BOTH(copy(R, C, y.x[s], C, wide.x[s], C + 3));
        expect_equal(&wide, 0, "copy");
        expect_equal(&y, 0, "bias_fill");
        expect_equal(&dbias, 1e-5, "bias_gradient");
        expect_unchanged(&bias);
    }
}

static void
check_finite(void)
{
    static const float wrong[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < SIZES; i++) {
        const size_t n = (size_t)sizes[i];
        Array x = random_array(n, 1);
        ck_assert(table[GPU]->all_finite(n, x.x[GPU]));
        expect_unchanged(&x);
        for (int w = 0; n > 0 && w < 3; w++) {
            x = constant_array(n, 3e38f);
            table[GPU]->memory->copy_in(x.x[GPU] + n - 1, &wrong[w], sizeof(float));
            ck_assert(!table[GPU]->all_finite(n, x.x[GPU]));
            x.x[CPU][n - 1] = wrong[w];
            expect_unchanged(&x);
        }
    }
}

/* ---- losses and steps --------------------------------------------------------------------------------- */

static void
check_softmax(void)
{
    for (int i = 0; i < MATRICES; i++) {
        const int rows = matrices[i][0], classes = matrices[i][1] > 0 ? matrices[i][1] : 1;
        const size_t n = (size_t)rows * (size_t)classes;
        Array z = random_array(n, 1), labels = random_labels(rows, classes), p = poisoned_array(n),
              dz = poisoned_array(n);
        double loss[2];
        for (int s = CPU; s <= GPU; s++) {
            const int *label = (const int *)labels.x[s];
            loss[s] = table[s]->softmax_loss(rows, classes, z.x[s], label, p.x[s]);
            table[s]->softmax_loss_backward(rows, classes, p.x[s], label, 0.25f, dz.x[s]);
        }
        ck_assert_double_eq_tol(loss[GPU], loss[CPU], 1e-5 * (1 + fabs(loss[CPU])));
        expect_equal(&p, 1e-6, "softmax");
        expect_equal(&dz, 1e-6, "its gradient");
        ck_assert(isnan(table[GPU]->softmax_loss(rows, classes, z.x[GPU], NULL, z.x[GPU]))); /* in place */
        table[CPU]->softmax_loss(rows, classes, z.x[CPU], NULL, z.x[CPU]);
        expect_equal(&z, 1e-6, "softmax in place");
        expect_unchanged(&labels);
    }
}

static void
check_mse(void)
{
    for (int i = 0; i <= SIZES; i++) {
        const size_t n = i < SIZES ? (size_t)sizes[i] : (1 << 18) + 300; /* the last: more than its grid has threads */
        Array x = random_array(n, 1), target = random_array(n, 2), dx = poisoned_array(n);
        double loss[2];
        for (int s = CPU; s <= GPU; s++) {
            loss[s] = table[s]->mse_loss(n, x.x[s], target.x[s]);
            table[s]->mse_loss_backward(n, x.x[s], target.x[s], 0.5f, dx.x[s]);
        }
        ck_assert_double_eq_tol(loss[GPU], loss[CPU], 1e-12 * (1 + loss[CPU]));
        expect_equal(&dx, 1e-7, "mse gradient");
        expect_unchanged(&x);
        expect_unchanged(&target);
    }
}

static void
check_steps(void)
{
    for (int i = 0; i < SIZES; i++) {
        const size_t n = (size_t)sizes[i];
        Array w = random_array(n, 1), dw = random_array(n, 2), m = constant_array(n, 0), v = constant_array(n, 0);
        ON_BOTH(sgd_step(n, w.x[s], dw.x[s], 0.1f, 0.01f));
        ON_BOTH(momentum_step(n, w.x[s], dw.x[s], m.x[s], 0.1f, 0.9f, 0.01f, false));
        ON_BOTH(momentum_step(n, w.x[s], dw.x[s], m.x[s], 0.1f, 0.9f, 0.01f, true));
        expect_equal(&m, 1e-6, "velocity");
        m = constant_array(n, 0);
        for (int t = 1; t <= 3; t++)
            ON_BOTH(adam_step(n, w.x[s], dw.x[s], m.x[s], v.x[s], 0.01f, 0.9, 0.999, 1e-8f, 0.01f, 1 - pow(0.9, t),
                              1 - pow(0.999, t)));
        expect_equal(&m, 1e-6, "m");
        expect_equal(&v, 1e-6, "v");
        expect_equal(&w, 1e-5, "weights after all steps");
        expect_unchanged(&dw);
    }
}

CHECKED(gemm, test_thorough())
CHECKED(elements, test_thorough())
CHECKED(types, test_thorough())
CHECKED(activations, test_thorough())
CHECKED(rows, test_thorough())
CHECKED(finite, test_thorough())
CHECKED(softmax, test_thorough())
CHECKED(mse, test_thorough())
CHECKED(steps, test_thorough())

TEST_MAIN("gpu backend")
