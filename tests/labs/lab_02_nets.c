/* See lab_02_nets.h. The sums are written in another way than the reference writes them: a mistake in one would show.
 * SPDX-License-Identifier: MIT */
#include "lab_02_nets.h"
#include "grade.h"
#include "gradient_check.h"
#include <math.h>
#include <string.h>

static const struct {
    int L, sizes[5];
} nets[LAB_02_NETS] = {{2, {1, 1}},    {2, {3, 2}},       {3, {2, 2, 2}},
                       {3, {5, 3, 1}}, {4, {3, 7, 2, 4}}, {5, {1, 2, 3, 5, 8}}};

size_t
lab_02_weights(const Mlp *mlp, int l)
{
    return (size_t)mlp->size[l] * (size_t)mlp->size[l - 1];
}

Mlp *
lab_02_random_net(Rng *rng, int which)
{
    Mlp *mlp = mlp_create(nets[which].L, nets[which].sizes, 1);
    for (int l = 2; l <= mlp->L; l++) {
        grade_fill(rng, mlp->w[l], lab_02_weights(mlp, l), -1.5, 1.5);
        grade_fill(rng, mlp->b[l], (size_t)mlp->size[l], -1, 1);
        grade_poison(mlp->z[l], (size_t)mlp->size[l]);
        grade_poison(mlp->a[l], (size_t)mlp->size[l]);
        grade_poison(mlp->delta[l], (size_t)mlp->size[l]);
    }
    return mlp;
}

const double lab_02_golden_x[2] = {0.05, 0.10}, lab_02_golden_y[2] = {0.01, 0.99};

Mlp *
lab_02_golden_net(void)
{
    static const double w2[] = {0.15, 0.20, 0.25, 0.30}, w3[] = {0.40, 0.45, 0.50, 0.55};
    Mlp *mlp = mlp_create(3, (int[]){2, 2, 2}, 1);
    memcpy(mlp->w[2], w2, sizeof(w2));
    memcpy(mlp->w[3], w3, sizeof(w3));
    for (int j = 0; j < 2; j++) {
        mlp->b[2][j] = 0.35;
        mlp->b[3][j] = 0.60;
    }
    return mlp;
}

static double
logistic(double z)
{
    return 0.5 + 0.5 * tanh(z / 2);
}

/* One layer's z from the activations below it. */
static void
layer_z(const Mlp *mlp, int l, const double *a, double *z)
{
    memcpy(z, mlp->b[l], (size_t)mlp->size[l] * sizeof(double));
    for (size_t i = 0; i < lab_02_weights(mlp, l); i++)
        z[i / (size_t)mlp->size[l - 1]] += mlp->w[l][i] * a[i % (size_t)mlp->size[l - 1]];
}

void
lab_02_forward(Mlp *mlp, const double *x)
{
    memcpy(mlp->a[1], x, (size_t)mlp->size[1] * sizeof(double));
    for (int l = 2; l <= mlp->L; l++) {
        layer_z(mlp, l, mlp->a[l - 1], mlp->z[l]);
        for (int j = 0; j < mlp->size[l]; j++)
            mlp->a[l][j] = logistic(mlp->z[l][j]);
    }
}

/* C when layer l has these z; the net's own z and a are not touched. */
static double
cost_from(const Mlp *mlp, int l, const double *z, const double *y)
{
    double a[MOST] = {0}, next[MOST], cost = 0;
    memcpy(next, z, (size_t)mlp->size[l] * sizeof(double));
    for (; l <= mlp->L; l++) {
        for (int j = 0; j < mlp->size[l]; j++)
            a[j] = logistic(next[j]);
        if (l < mlp->L)
            layer_z(mlp, l + 1, a, next);
    }
    for (int j = 0; j < mlp->size[mlp->L]; j++)
        cost += (a[j] - y[j]) * (a[j] - y[j]) / 2;
    return cost;
}

typedef struct CostContext {
    Mlp *mlp;
    int l;
    const double *x, *y;
    double *parameters; /* the ones that are moved */
} CostContext;

static double
cost_of_z(const double *z, size_t n, void *context)
{
    (void)n;
    CostContext *c = context;
    return cost_from(c->mlp, c->l, z, c->y);
}

/* The moved numbers take the place of the parameters while x is fed through. */
static double
cost_of_parameters(const double *moved, size_t n, void *context)
{
    CostContext *c = context;
    double kept[MOST * MOST], z[MOST];
    memcpy(kept, c->parameters, n * sizeof(double));
    memcpy(c->parameters, moved, n * sizeof(double));
    layer_z(c->mlp, 2, c->x, z);
    double cost = cost_from(c->mlp, 2, z, c->y);
    memcpy(c->parameters, kept, n * sizeof(double));
    return cost;
}

void
lab_02_differences_z(Mlp *mlp, int l, const double *y, double *delta)
{
    CostContext context = {.mlp = mlp, .l = l, .y = y};
    gradient_numeric(cost_of_z, &context, mlp->z[l], (size_t)mlp->size[l], delta);
}

void
lab_02_differences_w(Mlp *mlp, int l, const double *x, const double *y, double *dw)
{
    CostContext context = {.mlp = mlp, .l = l, .x = x, .y = y, .parameters = mlp->w[l]};
    gradient_numeric(cost_of_parameters, &context, mlp->w[l], lab_02_weights(mlp, l), dw);
}

void
lab_02_differences_b(Mlp *mlp, int l, const double *x, const double *y, double *db)
{
    CostContext context = {.mlp = mlp, .l = l, .x = x, .y = y, .parameters = mlp->b[l]};
    gradient_numeric(cost_of_parameters, &context, mlp->b[l], (size_t)mlp->size[l], db);
}
