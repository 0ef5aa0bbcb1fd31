/* Lab 02: feed-forward, error backpropagation, the SGD step, and the gradient of the softmax loss; exercises/02-backpropagation.
 * What an exercise starts from (z, a, delta) is filled in by the grader, so that each can be solved and graded alone. What is
 * right comes from automatic differentiation, from finite differences of the cost, or was chosen before: no formula of the lab
 * is written here once more.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "cpu/softmax/softmax.h"
#include "grade.h"
#include "gradient_check.h"
#include "lab_02_nets.h"
#include <math.h>
#include <string.h>

/* ---- 02.1 ---------------------------------------------------------------------------------------------------------- */

TEST(forward_golden)
{
    Mlp *mlp = lab_02_golden_net();
    const double *out = mlp_forward(mlp, lab_02_golden_x);
    grade_doubles(mlp->z[2], (double[]){0.3775, 0.3925}, 2, 1, 1e-9, "z^2");
    grade_doubles(mlp->a[2], (double[]){0.5932699921, 0.5968843783}, 2, 1, 1e-9, "a^2");
    grade_that(out == mlp->a[3], "the returned pointer is not that of a^L");
    grade_doubles(out, (double[]){0.7513650696, 0.7729284653}, 2, 1, 1e-9, "a^3");
    mlp_free(mlp);
}

TEST(forward_random)
{
    Rng rng = grade_rng();
    for (int which = 0; which < LAB_02_NETS; which++) {
        Case c = case_create(&rng, which);
        mlp_forward(c.mlp, c.x);
        for (int l = 2; l <= c.L; l++) {
            grade_doubles(c.mlp->z[l], c.truth->z[l], neurons(&c, l), 1, 1e-12, "z^%d, network with %d layers", l, c.L);
            grade_doubles(c.mlp->a[l], c.truth->a[l], neurons(&c, l), 1, 1e-12, "a^%d, network with %d layers", l, c.L);
        }
        case_free(&c);
    }
}

/* ---- 02.2 ---------------------------------------------------------------------------------------------------------- */

TEST(output_golden)
{
    Mlp *mlp = lab_02_golden_net(), *truth = lab_02_truth(mlp, lab_02_golden_x, lab_02_golden_y);
    lab_02_give_activations(mlp, truth);
    mlp_output_error(mlp, lab_02_golden_y);
    grade_doubles(mlp->delta[3], (double[]){0.1384985616, -0.0380982365}, 2, 1, 1e-9, "delta^3");
    mlp_free(mlp);
    mlp_free(truth);
}

TEST(output_random)
{
    Rng rng = grade_rng();
    for (int which = 0; which < LAB_02_NETS; which++) {
        Case c = case_create(&rng, which);
        lab_02_give_activations(c.mlp, c.truth);
        mlp_output_error(c.mlp, c.y);
        grade_doubles(c.mlp->delta[c.L], c.truth->delta[c.L], neurons(&c, c.L), 1, 1e-12, "delta^%d = dC/dz^%d", c.L,
                      c.L);
        case_free(&c);
    }
}

/* ---- 02.3 ---------------------------------------------------------------------------------------------------------- */

TEST(errors_random)
{
    Rng rng = grade_rng();
    for (int which = 0; which < LAB_02_NETS; which++) {
        Case c = case_create(&rng, which);
        lab_02_give_activations(c.mlp, c.truth);
        lab_02_give_error(c.mlp, c.truth, c.L);
        mlp_backpropagate(c.mlp);
        for (int l = c.L - 1; l >= 2; l--)
            grade_doubles(c.mlp->delta[l], c.truth->delta[l], neurons(&c, l), 1, 1e-12,
                          "delta^%d = dC/dz^%d, network with %d layers", l, l, c.L);
        grade_doubles(c.mlp->delta[c.L], c.truth->delta[c.L], neurons(&c, c.L), 1, 0, "delta^L, which is given");
        case_free(&c);
    }
}

/* Another sample's sums are in x already: what is new is x - before. */
static void
check_added(const double *x, double *before, const double *want, size_t rows, size_t columns, const char *name, int l)
{
    for (size_t i = 0; i < rows * columns; i++)
        before[i] = x[i] - before[i];
    grade_doubles(before, want, rows, columns, 1e-12, "what was added to %s^%d", name, l);
}

TEST(gradients_add)
{
    Rng rng = grade_rng();
    for (int which = 0; which < LAB_02_NETS; which++) {
        Case c = case_create(&rng, which);
        double dw[6][MOST * MOST], db[6][MOST];
        lab_02_give_activations(c.mlp, c.truth);
        for (int l = 2; l <= c.L; l++) {
            lab_02_give_error(c.mlp, c.truth, l);
            grade_fill(&rng, dw[l], lab_02_weights(c.mlp, l), -1, 1);
            grade_fill(&rng, db[l], neurons(&c, l), -1, 1);
            memcpy(c.mlp->dw[l], dw[l], lab_02_weights(c.mlp, l) * sizeof(double));
            memcpy(c.mlp->db[l], db[l], neurons(&c, l) * sizeof(double));
        }
        mlp_add_gradients(c.mlp);
        for (int l = 2; l <= c.L; l++) {
            check_added(c.mlp->dw[l], dw[l], c.truth->dw[l], neurons(&c, l), neurons(&c, l - 1), "dw", l);
            check_added(c.mlp->db[l], db[l], c.truth->db[l], neurons(&c, l), 1, "db", l);
        }
        case_free(&c);
    }
}

typedef struct Moved {
    Case *c;
    double *parameters; /* in c->mlp */
} Moved;

/* The student's own cost when these parameters have other values. */
static double
moved_cost(const double *values, size_t n, void *context)
{
    Moved *moved = context;
    double kept[MOST * MOST];
    memcpy(kept, moved->parameters, n * sizeof(double));
    memcpy(moved->parameters, values, n * sizeof(double));
    mlp_forward(moved->c->mlp, moved->c->x);
    memcpy(moved->parameters, kept, n * sizeof(double));
    return mlp_cost(moved->c->mlp, moved->c->y);
}

TEST(gradients_chain)
{
    Rng rng = grade_rng();
    for (int which = 0; which < LAB_02_NETS; which++) {
        Case c = case_create(&rng, which);
        double differences[MOST * MOST];
        mlp_clear_gradients(c.mlp);
        const double *out = mlp_forward(c.mlp, c.x);
        grade_doubles(out, c.truth->a[c.L], neurons(&c, c.L), 1, 1e-12, "a^L");
        mlp_output_error(c.mlp, c.y);
        mlp_backpropagate(c.mlp);
        mlp_add_gradients(c.mlp);
        for (int l = 2; l <= c.L; l++) {
            Moved w = {&c, c.mlp->w[l]}, b = {&c, c.mlp->b[l]};
            gradient_numeric(moved_cost, &w, c.mlp->w[l], lab_02_weights(c.mlp, l), differences);
            grade_gradient(c.mlp->dw[l], differences, neurons(&c, l), neurons(&c, l - 1), "dC/dw^%d [j][k]", l);
            gradient_numeric(moved_cost, &b, c.mlp->b[l], neurons(&c, l), differences);
            grade_gradient(c.mlp->db[l], differences, neurons(&c, l), 1, "dC/db^%d [j]", l);
        }
        case_free(&c);
    }
}

/* ---- 02.4 ---------------------------------------------------------------------------------------------------------- */

/* Where the step is to land is chosen first; the gradient is then the one that leads there. */
static void
aim(Rng *rng, const double *from, size_t n, double eta, size_t m, double *target, double *gradient)
{
    grade_fill(rng, target, n, -2, 2);
    for (size_t i = 0; i < n; i++)
        gradient[i] = (from[i] - target[i]) / (eta / (double)m);
}

TEST(step_random)
{
    Rng rng = grade_rng();
    for (int which = 0; which < LAB_02_NETS; which++) {
        Mlp *mlp = lab_02_random_net(&rng, which);
        double w[6][MOST * MOST], b[6][MOST], eta = grade_uniform(&rng, 0.1, 2);
        size_t m = 1 + rng_below(&rng, 32);
        for (int l = 2; l <= mlp->L; l++) {
            aim(&rng, mlp->w[l], lab_02_weights(mlp, l), eta, m, w[l], mlp->dw[l]);
            aim(&rng, mlp->b[l], (size_t)mlp->size[l], eta, m, b[l], mlp->db[l]);
        }
        mlp_step(mlp, eta, m);
        for (int l = 2; l <= mlp->L; l++) {
            grade_doubles(mlp->w[l], w[l], (size_t)mlp->size[l], (size_t)mlp->size[l - 1], 1e-12,
                          "w^%d after a step with eta = %.3f, m = %zu", l, eta, m);
            grade_doubles(mlp->b[l], b[l], (size_t)mlp->size[l], 1, 1e-12, "b^%d after a step with eta = %.3f, m = %zu",
                          l, eta, m);
        }
        mlp_free(mlp);
    }
}

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
    for (size_t i = 0; i < count; i++)
        want[i] *= scale;
    grade_poison_floats(got, count);
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

TEST(softmax_random)
{
    Rng rng = grade_rng();
    check_softmax(&rng, 1, 2);
    check_softmax(&rng, 3, 10);
    check_softmax(&rng, 37, 7);
    check_softmax(&rng, 5, 1);
    check_softmax(&rng, 64, 10);
}

TEST(softmax_empty)
{
    float dz = 1;
    softmax_loss_backward(0, 10, &dz, NULL, 1, &dz);
    grade_that(dz == 1, "rows = 0: nothing may be written");
    Rng rng = grade_rng();
    check_softmax(&rng, 2, 3);
}

GRADE_LAB("02", "error backpropagation", {"02.1", "the golden network 2-2-2", 10, &forward_golden, 2},
          {"02.1", "every z and a of random networks", 10, &forward_random, 2},
          {"02.2", "delta^L of the golden network", 5, &output_golden, 2},
          {"02.2", "delta^L of random networks", 10, &output_random, 2},
          {"02.3", "delta^l of random networks", 15, &errors_random, 2},
          {"02.3", "gradients of a sample are added", 10, &gradients_add, 2},
          {"02.3", "dC/dw, dC/db, all together (uses 02.1, 02.2)", 5, &gradients_chain, 2},
          {"02.4", "w and b after a step", 15, &step_random, 2},
          {"02.5", "dz against finite differences", 15, &softmax_random, 2},
          {"02.5", "no rows, few classes", 5, &softmax_empty, 2})
