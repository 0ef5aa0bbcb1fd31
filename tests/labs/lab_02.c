/* Lab 02: feed-forward, error backpropagation, the SGD step, and the gradient of the softmax loss; exercises/02-backpropagation.
 * What an exercise starts from (z, a, delta) is filled in by the grader, so that each can be solved and graded alone.
 * Derivatives are compared with finite differences of the cost, which need no formula.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "cpu/softmax/softmax.h"
#include "grade.h"
#include "gradient_check.h"
#include "lab_02_nets.h"
#include <math.h>
#include <string.h>

/* ---- 02.1 ---------------------------------------------------------------------------------------------------------- */

START_TEST(forward_golden)
{
    Mlp *mlp = lab_02_golden_net();
    const double *out = mlp_forward(mlp, lab_02_golden_x);
    grade_doubles(mlp->z[2], (double[]){0.3775, 0.3925}, 2, 1, 1e-9, "z^2");
    grade_doubles(mlp->a[2], (double[]){0.5932699921, 0.5968843783}, 2, 1, 1e-9, "a^2");
    grade_that(out == mlp->a[3], "the returned pointer is not that of a^L");
    grade_doubles(out, (double[]){0.7513650696, 0.7729284653}, 2, 1, 1e-9, "a^3");
    mlp_free(mlp);
}
END_TEST

START_TEST(forward_random)
{
    Rng rng = grade_rng();
    for (int which = 0; which < LAB_02_NETS; which++) {
        Mlp *mlp = lab_02_random_net(&rng, which), *want = mlp_create(mlp->L, &mlp->size[1], 1);
        double x[MOST];
        grade_fill(&rng, x, (size_t)mlp->size[1], -2, 2);
        for (int l = 2; l <= mlp->L; l++) {
            memcpy(want->w[l], mlp->w[l], lab_02_weights(mlp, l) * sizeof(double));
            memcpy(want->b[l], mlp->b[l], (size_t)mlp->size[l] * sizeof(double));
        }
        lab_02_forward(want, x);
        mlp_forward(mlp, x);
        for (int l = 2; l <= mlp->L; l++) {
            grade_doubles(mlp->z[l], want->z[l], (size_t)mlp->size[l], 1, 1e-12, "z^%d, network with %d layers", l,
                          mlp->L);
            grade_doubles(mlp->a[l], want->a[l], (size_t)mlp->size[l], 1, 1e-12, "a^%d, network with %d layers", l,
                          mlp->L);
        }
        mlp_free(mlp);
        mlp_free(want);
    }
}
END_TEST

/* ---- 02.2 ---------------------------------------------------------------------------------------------------------- */

START_TEST(output_golden)
{
    Mlp *mlp = lab_02_golden_net();
    lab_02_forward(mlp, lab_02_golden_x);
    mlp_output_error(mlp, lab_02_golden_y);
    grade_doubles(mlp->delta[3], (double[]){0.1384985616, -0.0380982365}, 2, 1, 1e-9, "delta^3");
    mlp_free(mlp);
}
END_TEST

START_TEST(output_random)
{
    Rng rng = grade_rng();
    for (int which = 0; which < LAB_02_NETS; which++) {
        Mlp *mlp = lab_02_random_net(&rng, which);
        double x[MOST], y[MOST], differences[MOST];
        grade_fill(&rng, x, (size_t)mlp->size[1], -2, 2);
        grade_fill(&rng, y, (size_t)mlp->size[mlp->L], 0, 1);
        lab_02_forward(mlp, x);
        lab_02_differences_z(mlp, mlp->L, y, differences);
        mlp_output_error(mlp, y);
        grade_gradient(mlp->delta[mlp->L], differences, (size_t)mlp->size[mlp->L], 1, "delta^%d = dC/dz^%d", mlp->L,
                       mlp->L);
        mlp_free(mlp);
    }
}
END_TEST

/* ---- 02.3 ---------------------------------------------------------------------------------------------------------- */

START_TEST(errors_random)
{
    Rng rng = grade_rng();
    for (int which = 0; which < LAB_02_NETS; which++) {
        Mlp *mlp = lab_02_random_net(&rng, which);
        double x[MOST], y[MOST], differences[MOST];
        grade_fill(&rng, x, (size_t)mlp->size[1], -2, 2);
        grade_fill(&rng, y, (size_t)mlp->size[mlp->L], 0, 1);
        lab_02_forward(mlp, x);
        lab_02_differences_z(mlp, mlp->L, y, mlp->delta[mlp->L]);
        mlp_backpropagate(mlp);
        for (int l = mlp->L - 1; l >= 2; l--) {
            lab_02_differences_z(mlp, l, y, differences);
            grade_gradient(mlp->delta[l], differences, (size_t)mlp->size[l], 1,
                           "delta^%d = dC/dz^%d, network with %d layers", l, l, mlp->L);
        }
        grade_that(!isnan(mlp->delta[mlp->L][0]), "delta^L was overwritten");
        mlp_free(mlp);
    }
}
END_TEST

START_TEST(gradients_add)
{
    Rng rng = grade_rng();
    for (int which = 0; which < LAB_02_NETS; which++) {
        Mlp *mlp = lab_02_random_net(&rng, which);
        double want_w[MOST * MOST], want_b[MOST], x[MOST];
        grade_fill(&rng, x, (size_t)mlp->size[1], -2, 2);
        lab_02_forward(mlp, x);
        for (int l = 2; l <= mlp->L; l++) {
            grade_fill(&rng, mlp->delta[l], (size_t)mlp->size[l], -1, 1);
            grade_fill(&rng, mlp->dw[l], lab_02_weights(mlp, l), -1, 1);
            grade_fill(&rng, mlp->db[l], (size_t)mlp->size[l], -1, 1);
        }
        int l = 2 + (int)rng_below(&rng, (uint64_t)mlp->L - 1);
        size_t in = (size_t)mlp->size[l - 1];
        for (size_t i = 0; i < lab_02_weights(mlp, l); i++)
            want_w[i] = mlp->dw[l][i] + mlp->delta[l][i / in] * mlp->a[l - 1][i % in];
        for (int j = 0; j < mlp->size[l]; j++)
            want_b[j] = mlp->db[l][j] + mlp->delta[l][j];
        mlp_add_gradients(mlp);
        grade_doubles(mlp->dw[l], want_w, (size_t)mlp->size[l], in, 1e-12, "dw^%d after adding a sample to other sums",
                      l);
        grade_doubles(mlp->db[l], want_b, (size_t)mlp->size[l], 1, 1e-12, "db^%d after adding a sample to other sums",
                      l);
        mlp_free(mlp);
    }
}
END_TEST

START_TEST(gradients_chain)
{
    Rng rng = grade_rng();
    for (int which = 0; which < LAB_02_NETS; which++) {
        Mlp *mlp = lab_02_random_net(&rng, which);
        double x[MOST], y[MOST], differences[MOST * MOST];
        grade_fill(&rng, x, (size_t)mlp->size[1], 0.2, 2);
        grade_fill(&rng, y, (size_t)mlp->size[mlp->L], 0, 1);
        mlp_clear_gradients(mlp);
        mlp_forward(mlp, x);
        mlp_output_error(mlp, y);
        mlp_backpropagate(mlp);
        mlp_add_gradients(mlp);
        for (int l = 2; l <= mlp->L; l++) {
            lab_02_differences_w(mlp, l, x, y, differences);
            grade_gradient(mlp->dw[l], differences, (size_t)mlp->size[l], (size_t)mlp->size[l - 1], "dC/dw^%d [j][k]",
                           l);
            lab_02_differences_b(mlp, l, x, y, differences);
            grade_gradient(mlp->db[l], differences, (size_t)mlp->size[l], 1, "dC/db^%d [j]", l);
        }
        mlp_free(mlp);
    }
}
END_TEST

/* ---- 02.4 ---------------------------------------------------------------------------------------------------------- */

START_TEST(step_random)
{
    Rng rng = grade_rng();
    for (int which = 0; which < LAB_02_NETS; which++) {
        Mlp *mlp = lab_02_random_net(&rng, which);
        double want_w[6][MOST * MOST], want_b[6][MOST], eta = grade_uniform(&rng, 0.1, 2);
        size_t m = 1 + rng_below(&rng, 32);
        for (int l = 2; l <= mlp->L; l++) {
            grade_fill(&rng, mlp->dw[l], lab_02_weights(mlp, l), -3, 3);
            grade_fill(&rng, mlp->db[l], (size_t)mlp->size[l], -3, 3);
            for (size_t i = 0; i < lab_02_weights(mlp, l); i++)
                want_w[l][i] = mlp->w[l][i] - mlp->dw[l][i] * eta / (double)m;
            for (int j = 0; j < mlp->size[l]; j++)
                want_b[l][j] = mlp->b[l][j] - mlp->db[l][j] * eta / (double)m;
        }
        mlp_step(mlp, eta, m);
        for (int l = 2; l <= mlp->L; l++) {
            grade_doubles(mlp->w[l], want_w[l], (size_t)mlp->size[l], (size_t)mlp->size[l - 1], 1e-12,
                          "w^%d after a step with eta = %.3f, m = %zu", l, eta, m);
            grade_doubles(mlp->b[l], want_b[l], (size_t)mlp->size[l], 1, 1e-12,
                          "b^%d after a step with eta = %.3f, m = %zu", l, eta, m);
        }
        mlp_free(mlp);
    }
}
END_TEST

/* ---- 02.5 ---------------------------------------------------------------------------------------------------------- */

/* The cross-entropy of one row as a function of its logits; context is the label. */
static double
row_loss(const double *z, size_t classes, void *context)
{
    double sum = 0;
    for (size_t c = 0; c < classes; c++)
        sum += exp(z[c]);
    return log(sum) - z[*(const int *)context];
}

static void
check_softmax(Rng *rng, int rows, int classes)
{
    size_t count = (size_t)rows * (size_t)classes;
    float *p = ARRAY(float, count), *got = ARRAY(float, count + 1), scale = (float)grade_uniform(rng, 0.1, 2);
    double *z = ARRAY(double, count), *want = ARRAY(double, count);
    int *labels = ARRAY(int, (size_t)rows);
    const float guard = 12345;
    grade_fill(rng, z, count, -3, 3);
    for (size_t r = 0; r < (size_t)rows; r++) {
        double sum = 0, *row = &z[r * (size_t)classes];
        labels[r] = (int)rng_below(rng, (uint64_t)classes);
        for (int c = 0; c < classes; c++)
            sum += exp(row[c]);
        for (int c = 0; c < classes; c++)
            p[r * (size_t)classes + (size_t)c] = (float)(exp(row[c]) / sum);
        gradient_numeric(row_loss, &labels[r], row, (size_t)classes, &want[r * (size_t)classes]);
    }
    for (size_t i = 0; i < count; i++) {
        got[i] = NAN;
        want[i] *= scale;
    }
    got[count] = guard;
    softmax_loss_backward(rows, classes, p, labels, scale, got);
    grade_floats(got, want, (size_t)rows, (size_t)classes, 1e-5,
                 "dz = scale * dloss/dz by finite differences, scale = %.3f", scale);
    grade_that(got[count] == guard, "rows = %d, classes = %d: the element behind dz was overwritten", rows, classes);
    array_free(p);
    array_free(got);
    array_free(z);
    array_free(want);
    array_free(labels);
}

START_TEST(softmax_random)
{
    Rng rng = grade_rng();
    check_softmax(&rng, 1, 2);
    check_softmax(&rng, 3, 10);
    check_softmax(&rng, 37, 7);
    check_softmax(&rng, 5, 1);
    check_softmax(&rng, 64, 10);
}
END_TEST

START_TEST(softmax_empty)
{
    float dz = 1;
    softmax_loss_backward(0, 10, &dz, NULL, 1, &dz);
    grade_that(dz == 1, "rows = 0: nothing may be written");
    Rng rng = grade_rng();
    check_softmax(&rng, 2, 3);
}
END_TEST

GRADE_LAB("02", "error backpropagation", {"02.1", "the golden network 2-2-2", 10, &forward_golden, 2},
          {"02.1", "every z and a of random networks", 10, &forward_random, 2},
          {"02.2", "delta^L of the golden network", 5, &output_golden, 2},
          {"02.2", "delta^L against finite differences", 10, &output_random, 2},
          {"02.3", "delta^l against finite differences", 15, &errors_random, 2},
          {"02.3", "gradients of a sample are added", 10, &gradients_add, 2},
          {"02.3", "dC/dw, dC/db, all together (uses 02.1, 02.2)", 5, &gradients_chain, 2},
          {"02.4", "w and b after a step", 15, &step_random, 2},
          {"02.5", "dz against finite differences", 15, &softmax_random, 2},
          {"02.5", "no rows, few classes", 5, &softmax_empty, 2})
