/* See lab_02_nets.h. SPDX-License-Identifier: MIT */
#include "lab_02_nets.h"
#include "autodiff.h"
#include "grade.h"
#include <string.h>

enum { MOST_LAYERS = 5 };

static const struct {
    int L, sizes[MOST_LAYERS];
} nets[LAB_02_NETS] = {{2, {1, 1}},    {2, {3, 2}},       {3, {2, 2, 2}},
                       {3, {5, 3, 1}}, {4, {3, 7, 2, 4}}, {5, {1, 2, 3, 5, 8}}};

size_t
lab_02_weights(const Mlp *mlp, int l)
{
    return (size_t)mlp->size[l] * (size_t)mlp->size[l - 1];
}

static void
poison(Mlp *mlp)
{
    for (int l = 2; l <= mlp->L; l++) {
        double *neurons[] = {mlp->z[l], mlp->a[l], mlp->delta[l], mlp->db[l]};
        for (size_t i = 0; i < sizeof(neurons) / sizeof(neurons[0]); i++)
            grade_poison(neurons[i], (size_t)mlp->size[l]);
        grade_poison(mlp->dw[l], lab_02_weights(mlp, l));
    }
}

Mlp *
lab_02_random_net(Rng *rng, int which)
{
    Mlp *mlp = mlp_create(nets[which].L, nets[which].sizes, 1);
    for (int l = 2; l <= mlp->L; l++) {
        grade_fill(rng, mlp->w[l], lab_02_weights(mlp, l), -1.5, 1.5);
        grade_fill(rng, mlp->b[l], (size_t)mlp->size[l], -1, 1);
    }
    poison(mlp);
    return mlp;
}

const double lab_02_golden_x[2] = {0.05, 0.10}, lab_02_golden_y[2] = {0.01, 0.99};

Mlp *
lab_02_golden_net(void)
{
    static const double w2[] = {0.15, 0.20, 0.25, 0.30}, w3[] = {0.40, 0.45, 0.50, 0.55};
    Mlp *mlp = mlp_create(3, (int[]){2, 2, 2}, 1);
    poison(mlp);
    memcpy(mlp->w[2], w2, sizeof(w2));
    memcpy(mlp->w[3], w3, sizeof(w3));
    for (int j = 0; j < 2; j++) {
        mlp->b[2][j] = 0.35;
        mlp->b[3][j] = 0.60;
    }
    return mlp;
}

/* ---- the network on a tape ------------------------------------------------------------------------------------------- */

/* The nodes of one layer: its numbers as the tape knows them. */
typedef struct LayerNodes {
    Scalar w[MOST * MOST], b[MOST], z[MOST], a[MOST];
} LayerNodes;

static void
put_variables(Tape *tape, const double *x, size_t n, Scalar *nodes)
{
    for (size_t i = 0; i < n; i++)
        nodes[i] = tape_variable(tape, x[i]);
}

/* Each wire of the layer carries a product from one neuron to another, where it is added to what other wires have brought. */
static void
connect(Tape *tape, const Mlp *mlp, int l, const LayerNodes *from, LayerNodes *to)
{
    size_t inputs = (size_t)mlp->size[l - 1], wires = lab_02_weights(mlp, l);
    put_variables(tape, mlp->w[l], wires, to->w);
    put_variables(tape, mlp->b[l], (size_t)mlp->size[l], to->b);
    memcpy(to->z, to->b, (size_t)mlp->size[l] * sizeof(Scalar));
    for (size_t wire = wires; wire-- > 0;) {
        Scalar brought = tape_mul(tape, from->a[wire % inputs], to->w[wire]), *sum = &to->z[wire / inputs];
        *sum = tape_add(tape, *sum, brought);
    }
    for (int j = 0; j < mlp->size[l]; j++)
        to->a[j] = tape_logistic(tape, to->z[j]);
}

static Scalar
cost(Tape *tape, const LayerNodes *last, const double *y, int outputs)
{
    Scalar sum = tape_constant(tape, 0);
    for (int j = 0; j < outputs; j++) {
        Scalar error = tape_sub(tape, tape_constant(tape, y[j]), last->a[j]);
        sum = tape_add(tape, sum, tape_pow_constant(tape, error, 2));
    }
    return tape_mul(tape, tape_constant(tape, 0.5), sum);
}

static void
read_values(const Tape *tape, const Scalar *nodes, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = tape_value(tape, nodes[i]);
}

static void
read_gradients(const Tape *tape, const Scalar *nodes, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = tape_gradient(tape, nodes[i]);
}

static Mlp *
copy_weights(const Mlp *mlp)
{
    Mlp *copy = mlp_create(mlp->L, &mlp->size[1], 1);
    for (int l = 2; l <= mlp->L; l++) {
        memcpy(copy->w[l], mlp->w[l], lab_02_weights(mlp, l) * sizeof(double));
        memcpy(copy->b[l], mlp->b[l], (size_t)mlp->size[l] * sizeof(double));
    }
    return copy;
}

Mlp *
lab_02_truth(const Mlp *mlp, const double *x, const double *y)
{
    Mlp *truth = copy_weights(mlp);
    LayerNodes layers[MOST_LAYERS + 1]; /* from 1, as l is */
    Tape *tape = tape_create();
    memcpy(truth->a[1], x, (size_t)mlp->size[1] * sizeof(double));
    put_variables(tape, x, (size_t)mlp->size[1], layers[1].a);
    for (int l = 2; l <= mlp->L; l++)
        connect(tape, mlp, l, &layers[l - 1], &layers[l]);
    tape_backward(tape, cost(tape, &layers[mlp->L], y, mlp->size[mlp->L]));
    for (int l = 2; l <= mlp->L; l++) {
        size_t neurons = (size_t)mlp->size[l];
        read_values(tape, layers[l].z, neurons, truth->z[l]);
        read_values(tape, layers[l].a, neurons, truth->a[l]);
        read_gradients(tape, layers[l].z, neurons, truth->delta[l]);
        read_gradients(tape, layers[l].b, neurons, truth->db[l]);
        read_gradients(tape, layers[l].w, lab_02_weights(mlp, l), truth->dw[l]);
    }
    tape_free(tape);
    return truth;
}

void
lab_02_give_activations(Mlp *mlp, const Mlp *truth)
{
    memcpy(mlp->a[1], truth->a[1], (size_t)mlp->size[1] * sizeof(double));
    for (int l = 2; l <= mlp->L; l++) {
        memcpy(mlp->z[l], truth->z[l], (size_t)mlp->size[l] * sizeof(double));
        memcpy(mlp->a[l], truth->a[l], (size_t)mlp->size[l] * sizeof(double));
    }
}

void
lab_02_give_error(Mlp *mlp, const Mlp *truth, int l)
{
    memcpy(mlp->delta[l], truth->delta[l], (size_t)mlp->size[l] * sizeof(double));
}

Case
case_create(Rng *rng, int which)
{
    Case c = {.mlp = lab_02_random_net(rng, which)};
    c.L = c.mlp->L;
    grade_fill(rng, c.x, (size_t)c.mlp->size[1], 0.2, 2);
    grade_fill(rng, c.y, (size_t)c.mlp->size[c.L], 0, 1);
    c.truth = lab_02_truth(c.mlp, c.x, c.y);
    return c;
}

void
case_free(Case *c)
{
    mlp_free(c->mlp);
    mlp_free(c->truth);
}

size_t
neurons(const Case *c, int l)
{
    return (size_t)c->mlp->size[l];
}
