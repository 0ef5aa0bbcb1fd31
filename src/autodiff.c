/* Lecture 2: the tape of autodiff.h. An operation is one line here: its value, and its derivative by each parent. There are
 * no second derivatives and no vectors.
 * SPDX-License-Identifier: MIT */
#include "autodiff.h"
#include "core/array.h"
#include "core/checked.h"
#include <math.h>
#include <stdlib.h>

static const size_t NO_PARENT = (size_t)-1;

typedef struct Node {
    const char *operation;
    double value;
    size_t parent[2];  /* earlier nodes, or NO_PARENT */
    double partial[2]; /* d value / d parent's value, here */
    double gradient;   /* d output / d value, after tape_backward */
} Node;

struct Tape {
    Node *nodes;
    size_t length, capacity;
};

Tape *
tape_create(void)
{
    return ARRAY(Tape, 1);
}

void
tape_free(Tape *tape)
{
    if (tape != NULL)
        free(tape->nodes);
    array_free(tape);
}

void
tape_clear(Tape *tape)
{
    tape->length = 0;
}

static const Node *
node_of(const Tape *tape, Scalar x)
{
    CHECK_THAT(x.node < tape->length, "node %zu is not on this tape of %zu nodes", x.node, tape->length);
    return &tape->nodes[x.node];
}

/* Writes a node behind the last one. The array doubles when it is full, so that n nodes cost O(n) copies in all. */
static Scalar
append(Tape *tape, Node node)
{
    if (tape->length == tape->capacity) {
        size_t bytes, capacity = tape->capacity == 0 ? 64 : 2 * tape->capacity;
        CHECK_THAT(size_multiply(capacity, sizeof(Node), &bytes), "a tape of %zu nodes does not fit", capacity);
        tape->nodes = realloc(tape->nodes, bytes);
        CHECK_THAT(tape->nodes != NULL, "no memory for %zu nodes", capacity);
        tape->capacity = capacity;
    }
    tape->nodes[tape->length] = node;
    return (Scalar){tape->length++};
}

static Scalar
leaf(Tape *tape, const char *operation, double value)
{
    return append(tape, (Node){.operation = operation, .value = value, .parent = {NO_PARENT, NO_PARENT}});
}

static Scalar
unary(Tape *tape, const char *operation, Scalar x, double value, double by_x)
{
    return append(tape, (Node){operation, value, {x.node, NO_PARENT}, {by_x, 0}, 0});
}

static Scalar
binary(Tape *tape, const char *operation, Scalar x, Scalar y, double value, double by_x, double by_y)
{
    return append(tape, (Node){operation, value, {x.node, y.node}, {by_x, by_y}, 0});
}

double
tape_value(const Tape *tape, Scalar x)
{
    return node_of(tape, x)->value;
}

Scalar
tape_variable(Tape *tape, double value)
{
    return leaf(tape, "variable", value);
}

static const char CONSTANT[] = "constant";

Scalar
tape_constant(Tape *tape, double value)
{
    return leaf(tape, CONSTANT, value);
}

Scalar
tape_add(Tape *tape, Scalar x, Scalar y)
{
    return binary(tape, "add", x, y, tape_value(tape, x) + tape_value(tape, y), 1, 1);
}

Scalar
tape_sub(Tape *tape, Scalar x, Scalar y)
{
    return binary(tape, "sub", x, y, tape_value(tape, x) - tape_value(tape, y), 1, -1);
}

Scalar
tape_mul(Tape *tape, Scalar x, Scalar y)
{
    double a = tape_value(tape, x), b = tape_value(tape, y);
    return binary(tape, "mul", x, y, a * b, b, a);
}

Scalar
tape_div(Tape *tape, Scalar x, Scalar y)
{
    double a = tape_value(tape, x), b = tape_value(tape, y);
    return binary(tape, "div", x, y, a / b, 1 / b, -(a / b) / b);
}

Scalar
tape_neg(Tape *tape, Scalar x)
{
    return unary(tape, "neg", x, -tape_value(tape, x), -1);
}

/* d|x|/dx = |x| / x = the sign of x; 0 at 0. */
Scalar
tape_abs(Tape *tape, Scalar x)
{
    double a = tape_value(tape, x);
    return unary(tape, "abs", x, fabs(a), a == 0 ? 0 : fabs(a) / a);
}

/* d x^c / dx = c x^{c-1}. x^0 is 1 everywhere, so its derivative is 0, at x = 0 too, where the formula says 0 * inf. */
static double
power_by_base(double x, double c)
{
    return c == 0 ? 0 : c * pow(x, c - 1);
}

/* d x^y / dy = x^y ln x. At x = 0 the limit of x ln x is 0; the formula says 0 * -inf. */
static double
power_by_exponent(double x, double y)
{
    return x == 0 && y >= 0 ? 0 : pow(x, y) * log(x);
}

Scalar
tape_pow_constant(Tape *tape, Scalar x, double c)
{
    double a = tape_value(tape, x);
    return unary(tape, "pow", x, pow(a, c), power_by_base(a, c));
}

Scalar
tape_pow(Tape *tape, Scalar x, Scalar y)
{
    double a = tape_value(tape, x), b = tape_value(tape, y);
    return binary(tape, "pow", x, y, pow(a, b), power_by_base(a, b), power_by_exponent(a, b));
}

Scalar
tape_exp(Tape *tape, Scalar x)
{
    double f = exp(tape_value(tape, x));
    return unary(tape, "exp", x, f, f);
}

/* ln x does not exist for x < 0, so its derivative is NaN there and not the 1/x of ln|x|, which is tape_log of tape_abs. */
Scalar
tape_log(Tape *tape, Scalar x)
{
    double a = tape_value(tape, x);
    return unary(tape, "log", x, log(a), a < 0 ? (double)NAN : 1 / fabs(a));
}

Scalar
tape_sqrt(Tape *tape, Scalar x)
{
    double f = sqrt(tape_value(tape, x));
    return unary(tape, "sqrt", x, f, 1 / (2 * fabs(f)));
}

/* f' = f (1 - f) */
Scalar
tape_logistic(Tape *tape, Scalar x)
{
    double f = 1 / (1 + exp(-tape_value(tape, x)));
    return unary(tape, "logistic", x, f, f * (1 - f));
}

/* f' = 1 - f^2 */
Scalar
tape_tanh(Tape *tape, Scalar x)
{
    double f = tanh(tape_value(tape, x));
    return unary(tape, "tanh", x, f, 1 - f * f);
}

Scalar
tape_relu(Tape *tape, Scalar x)
{
    double a = tape_value(tape, x);
    return unary(tape, "relu", x, a < 0 ? 0 : a, isnan(a) ? a : a > 0);
}

void
tape_backward(Tape *tape, Scalar output)
{
    node_of(tape, output);
    for (size_t i = 0; i < tape->length; i++)
        tape->nodes[i].gradient = i == output.node;
    /* Parents stand before their children: when the walk reaches a node, all its children have added to its gradient. */
    for (size_t i = output.node + 1; i-- > 0;) {
        const Node *node = &tape->nodes[i];
        if (node->gradient == 0) /* passes nothing on, also where a partial is inf: 0 * inf would be NaN */
            continue;
        for (int p = 0; p < 2; p++)
            if (node->parent[p] != NO_PARENT)
                tape->nodes[node->parent[p]].gradient += node->gradient * node->partial[p];
    }
}

double
tape_gradient(const Tape *tape, Scalar x)
{
    const Node *node = node_of(tape, x);
    return node->operation == CONSTANT ? 0 : node->gradient;
}

size_t
tape_length(const Tape *tape)
{
    return tape->length;
}

void
tape_print(const Tape *tape, FILE *out)
{
    fprintf(out, "%4s  %-9s %12s  %-9s %-25s %12s\n", "node", "operation", "value", "parents", "partials", "gradient");
    for (size_t i = 0; i < tape->length; i++) {
        const Node *node = &tape->nodes[i];
        char parents[48] = "", partials[64] = "";
        if (node->parent[1] != NO_PARENT) {
            snprintf(parents, sizeof(parents), "%zu %zu", node->parent[0], node->parent[1]);
            snprintf(partials, sizeof(partials), "%.6g %.6g", node->partial[0], node->partial[1]);
        } else if (node->parent[0] != NO_PARENT) {
            snprintf(parents, sizeof(parents), "%zu", node->parent[0]);
            snprintf(partials, sizeof(partials), "%.6g", node->partial[0]);
        }
        fprintf(out, "%4zu  %-9s %12.6g  %-9s %-25s %12.6g\n", i, node->operation, node->value, parents, partials,
                node->gradient);
    }
}

double
tape_evaluate(TapeFunction *f, const void *context, const double *x, size_t n, double *gradient)
{
    Tape *tape = tape_create();
    Scalar *variables = ARRAY(Scalar, n);
    for (size_t i = 0; i < n; i++)
        variables[i] = tape_variable(tape, x[i]);
    Scalar output = f(tape, variables, n, context);
    double value = tape_value(tape, output);
    if (gradient != NULL) {
        tape_backward(tape, output);
        for (size_t i = 0; i < n; i++)
            gradient[i] = tape_gradient(tape, variables[i]);
    }
    array_free(variables);
    tape_free(tape);
    return value;
}
