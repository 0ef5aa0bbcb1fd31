/* LAB 02, exercises 02.1 to 02.4. This copy of src/mlp.c is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=02       points for each exercise, and the first wrong value
 *     make hint LAB=02.1      the next hint for an exercise
 *     make watch LAB=02       grade again whenever this file is saved
 *     make reset LAB=02       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from src/mlp.c; change it there. */
/* Lecture 2: a multi-layer perceptron that learns by error backpropagation, one sample at a time. The formulas and the
 * names are those of the slides, collected at the top of mlp.h, which also says what each function promises. It is not
 * fast and knows one activation (logistic) and one loss: src/nn/ has the others, on whole batches.
 *
 *     forward        x = a^1 --> z^2 --> a^2 --> z^3 --> a^3 ... --> z^L --> a^L      compared with y
 *     backward               delta^2 <-- delta^3 <-- ............ <-- delta^L
 *     gradients              dC/dw^l = delta^l (a^{l-1})^T,   dC/db^l = delta^l       for every l
 *
 * SPDX-License-Identifier: MIT */
#include "mlp.h"
#include "core/array.h"
#include "core/checked.h"
#include "core/rng.h"
#include <math.h>
#include <string.h>

/* Random numbers: the weights of layer l come from stream l of the seed, the order of an epoch from its own far behind. */
static const uint64_t SHUFFLE_STREAM = (uint64_t)1 << 32;

/* How many weights lead into layer l. */
static size_t
weight_count(const Mlp *mlp, int l)
{
    return (size_t)mlp->size[l] * (size_t)mlp->size[l - 1];
}

/* Memory and first weights of layer l. Xavier-uniform: +-sqrt(6 / (in + out)) keeps the activations' spread from layer to
 * layer (Glorot and Bengio 2010). All equal weights would stay equal for ever: the neurons of a layer would be copies. */
static void
layer_create(Mlp *mlp, int l, uint64_t seed)
{
    size_t in = (size_t)mlp->size[l - 1], out = (size_t)mlp->size[l];
    mlp->w[l] = ARRAY(double, in *out);
    mlp->dw[l] = ARRAY(double, in *out);
    mlp->b[l] = ARRAY(double, out);
    mlp->db[l] = ARRAY(double, out);
    mlp->z[l] = ARRAY(double, out);
    mlp->a[l] = ARRAY(double, out);
    mlp->delta[l] = ARRAY(double, out);
    double limit = sqrt(6.0 / (double)(in + out));
    for (size_t i = 0; i < in * out; i++)
        mlp->w[l][i] = limit * (2 * rng_uniform_at(seed, (uint64_t)l, i) - 1);
}

Mlp *
mlp_create(int L, const int *sizes, uint64_t seed)
{
    CHECK_THAT(L >= 2, "a network has an input and an output layer, got %d layers", L);
    for (int l = 1; l <= L; l++)
        CHECK_THAT(sizes[l - 1] >= 1, "layer %d has %d neurons, expected 1 or more", l, sizes[l - 1]);
    size_t slots = (size_t)L + 1; /* 1 .. L as on the slides; slot 0 stays empty */
    Mlp *mlp = ARRAY(Mlp, 1);
    *mlp = (Mlp){.L = L, .size = ARRAY(int, slots)};
    double ***arrays[] = {&mlp->w, &mlp->b, &mlp->z, &mlp->a, &mlp->delta, &mlp->dw, &mlp->db};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        *arrays[i] = ARRAY(double *, slots);
    memcpy(&mlp->size[1], sizes, (size_t)L * sizeof(int));
    mlp->a[1] = ARRAY(double, (size_t)sizes[0]);
    for (int l = 2; l <= L; l++)
        layer_create(mlp, l, seed);
    return mlp;
}

void
mlp_free(Mlp *mlp)
{
    if (mlp == NULL)
        return;
    double **arrays[] = {mlp->w, mlp->b, mlp->z, mlp->a, mlp->delta, mlp->dw, mlp->db};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        for (int l = 1; l <= mlp->L; l++)
            array_free(arrays[i][l]);
        array_free(arrays[i]);
    }
    array_free(mlp->size);
    array_free(mlp);
}

double
mlp_sigma(double z)
{
    return 1 / (1 + exp(-z));
}

double
mlp_sigma_prime(double z)
{
    double a = mlp_sigma(z);
    return a * (1 - a);
}

/* EXERCISE 02.1  Feed-forward (20 min, about 11 lines)
 * a^1 = x is done. For l = 2, 3, .. L and every neuron j of layer l compute
 *     z^l_j = sum over k of w^l_{jk} a^{l-1}_k + b^l_j,   a^l_j = sigma(z^l_j)
 * and store both in mlp->z[l][j] and mlp->a[l][j]: the backward pass needs them. w^l is one array, row after row, a row for
 * each neuron j: w^l_{jk} is mlp->w[l][j * mlp->size[l - 1] + k]. sigma is mlp_sigma.
 */
const double *
mlp_forward(Mlp *mlp, const double *x)
{
    memcpy(mlp->a[1], x, (size_t)mlp->size[1] * sizeof(double));
    EXERCISE_NOT_SOLVED("02.1"); /* TODO: about 11 lines */
    return mlp->a[mlp->L];
}

/* C = 1/2 sum over j of (y_j - a^L_j)^2 */
double
mlp_cost(const Mlp *mlp, const double *y)
{
    double sum = 0;
    for (int j = 0; j < mlp->size[mlp->L]; j++) {
        double difference = y[j] - mlp->a[mlp->L][j];
        sum += difference * difference;
    }
    return sum / 2;
}

/* EXERCISE 02.2  Output error (10 min, about 4 lines)
 * For every neuron j of the last layer L compute
 *     delta^L_j = dC/da^L_j * sigma'(z^L_j) = (a^L_j - y_j) sigma'(z^L_j)
 * into mlp->delta[L][j], L = mlp->L. sigma' is mlp_sigma_prime. Mind the sign: the cost falls when a moves towards y.
 */
void
mlp_output_error(Mlp *mlp, const double *y)
{
    EXERCISE_NOT_SOLVED("02.2"); /* TODO: about 4 lines */
}

/* EXERCISE 02.3  Backpropagate, first half: the errors (25 min, about 10 lines)
 * For l = L-1, L-2, .. 2 and every neuron k of layer l compute
 *     delta^l_k = (sum over j of w^{l+1}_{jk} delta^{l+1}_j) sigma'(z^l_k)
 * into mlp->delta[l][k]. The transposed matrix (w^{l+1})^T is not stored anywhere: the sum runs down column k of w^{l+1},
 *     w^{l+1}_{jk} is mlp->w[l + 1][j * mlp->size[l] + k].
 */
void
mlp_backpropagate(Mlp *mlp)
{
    EXERCISE_NOT_SOLVED("02.3"); /* TODO: about 10 lines */
}

/* EXERCISE 02.3  Backpropagate, second half: the gradients (10 min, about 9 lines)
 * For l = 2 .. L ADD this sample's gradients
 *     dC/dw^l_{jk} = a^{l-1}_k delta^l_j,   dC/db^l_j = delta^l_j
 * to mlp->dw[l][j * mlp->size[l - 1] + k] and mlp->db[l][j]: they hold the sum over the mini-batch.
 */
void
mlp_add_gradients(Mlp *mlp)
{
    EXERCISE_NOT_SOLVED("02.3"); /* TODO: about 9 lines */
}

void
mlp_clear_gradients(Mlp *mlp)
{
    for (int l = 2; l <= mlp->L; l++) {
        memset(mlp->dw[l], 0, weight_count(mlp, l) * sizeof(double));
        memset(mlp->db[l], 0, (size_t)mlp->size[l] * sizeof(double));
    }
}

/* EXERCISE 02.4  SGD step (10 min, about 6 lines)
 * For l = L, L-1, .. 2 move every weight and every bias against its gradient, averaged over the m samples:
 *     w^l <- w^l - (eta / m) dw^l,   b^l <- b^l - (eta / m) db^l
 * Layer l has weight_count(mlp, l) weights in mlp->w[l], and mlp->size[l] biases in mlp->b[l].
 */
void
mlp_step(Mlp *mlp, double eta, size_t m)
{
    EXERCISE_NOT_SOLVED("02.4"); /* TODO: about 6 lines */
}

double
mlp_train_epoch(Mlp *mlp, const double *X, const double *Y, size_t count, size_t B, double eta, uint64_t seed,
                uint64_t epoch)
{
    CHECK_THAT(B >= 1, "a mini-batch holds at least one sample");
    size_t inputs = (size_t)mlp->size[1], outputs = (size_t)mlp->size[mlp->L];
    size_t *order = ARRAY(size_t, count);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    Rng rng = rng_create(seed, SHUFFLE_STREAM + epoch);
    rng_shuffle(&rng, order, count);

    double cost = 0;
    for (size_t first = 0, m; first < count; first += m) {
        m = B < count - first ? B : count - first; /* the last mini-batch takes what is left */
        mlp_clear_gradients(mlp);
        for (size_t i = first; i < first + m; i++) {
            const double *x = &X[order[i] * inputs], *y = &Y[order[i] * outputs];
            mlp_forward(mlp, x);
            cost += mlp_cost(mlp, y);
            mlp_output_error(mlp, y);
            mlp_backpropagate(mlp);
            mlp_add_gradients(mlp);
        }
        mlp_step(mlp, eta, m);
    }
    array_free(order);
    return cost / (double)count;
}
