/* The table of derivatives.h. What goes on the tape and the slides' formula stand side by side, to be compared by eye.
 * SPDX-License-Identifier: MIT */
#include "derivatives.h"
#include "gradient_check.h"
#include <math.h>

/* Defines name_on_tape, which writes `tape_text` on tape t, and name_formula, which computes `formula_text`. In both x, y are
 * the variables and c is the constant; K(number) puts a number on the tape. */
#define FUNCTION(name, tape_text, formula_text)                                                                        \
    static Scalar name##_on_tape(Tape *t, const Scalar *v, size_t n, const void *context)                              \
    {                                                                                                                  \
        const Scalar x = v[0], y = v[n - 1];                                                                           \
        const double c = *(const double *)context;                                                                     \
        (void)t, (void)x, (void)y, (void)c;                                                                            \
        return tape_text;                                                                                              \
    }                                                                                                                  \
    static double name##_formula(double x, double y, double c)                                                         \
    {                                                                                                                  \
        (void)x, (void)y, (void)c;                                                                                     \
        return formula_text;                                                                                           \
    }

/* Tables: */
/* clang-format off */
#define K(number) tape_constant(t, number)
#define ADD(a, b) tape_add(t, a, b)
#define MUL(a, b) tape_mul(t, a, b)
#define ROW(name) .on_tape = name##_on_tape, .derivative = name##_formula

/* The slides' functions of one variable. */
FUNCTION(constant, K(c), 0)
FUNCTION(identity, x, 1)
FUNCTION(multiple, MUL(K(c), x), c)
FUNCTION(absolute, tape_abs(t, x), fabs(x) / x)
FUNCTION(power, tape_pow_constant(t, x, c), c * pow(x, c - 1))
FUNCTION(reciprocal, tape_div(t, K(1), x), -1 / (x * x))
FUNCTION(reciprocal_power, tape_div(t, K(1), tape_pow_constant(t, x, c)), -c / pow(x, c + 1))
FUNCTION(exponential_c, tape_pow(t, K(c), x), pow(c, x) * log(c))
FUNCTION(exponential, tape_exp(t, x), exp(x))
FUNCTION(logarithm_c, tape_div(t, tape_log(t, x), K(log(c))), 1 / (x * log(c)))
FUNCTION(logarithm, tape_log(t, x), 1 / x)
FUNCTION(logarithm_absolute, tape_log(t, tape_abs(t, x)), 1 / x)
FUNCTION(x_to_the_x, tape_pow(t, x, x), pow(x, x) * (1 + log(x)))
FUNCTION(square_root, tape_sqrt(t, x), 1 / (2 * sqrt(x)))

/* The rules, on f = e^x, f' = e^x and g = x^2 + 1, g' = 2x; the chain is h(g(x)) with h = sqrt. */
#define F_ON_TAPE tape_exp(t, x)
#define G_ON_TAPE ADD(MUL(x, x), K(1))
#define F         exp(x)
#define G         (x * x + 1)
#define DF        exp(x)
#define DG        (2 * x)
FUNCTION(sum_rule, tape_sub(t, MUL(K(c), F_ON_TAPE), MUL(K(3), G_ON_TAPE)), c * DF - 3 * DG)
FUNCTION(product_rule, MUL(F_ON_TAPE, G_ON_TAPE), DF * G + F * DG)
FUNCTION(quotient_rule, tape_div(t, F_ON_TAPE, G_ON_TAPE), (DF * G - F * DG) / (G * G))
FUNCTION(chain_rule, tape_sqrt(t, G_ON_TAPE), 1 / (2 * sqrt(G)) * DG)

/* Activations: f' from f. */
static double
logistic(double x)
{
    return 1 / (1 + exp(-x));
}
FUNCTION(logistic, tape_logistic(t, x), logistic(x) * (1 - logistic(x)))
FUNCTION(logistic_parts, tape_div(t, K(1), ADD(K(1), tape_exp(t, tape_neg(t, x)))), logistic(x) * (1 - logistic(x)))
FUNCTION(hyperbolic, tape_tanh(t, x), 1 - tanh(x) * tanh(x))
FUNCTION(rectifier, tape_relu(t, x), x > 0)

/* Two variables: z = x^2 + xy + y^2, and x^y. */
#define Z_ON_TAPE ADD(ADD(MUL(x, x), MUL(x, y)), MUL(y, y))
FUNCTION(quadratic_by_x, Z_ON_TAPE, 2 * x + y)
FUNCTION(quadratic_by_y, Z_ON_TAPE, x + 2 * y)
FUNCTION(power_by_x, tape_pow(t, x, y), y * pow(x, y - 1))
FUNCTION(power_by_y, tape_pow(t, x, y), pow(x, y) * log(x))

/* The gradient's chain rule: f(x1, x2) = x1 x2 + x1 with x1 = s t, x2 = s + t^2; x1 has two children, and so have s and t.
 * s and t are called x and y here: df/dx1 = x2 + 1, df/dx2 = x1; dx1/ds = t, dx2/ds = 1; dx1/dt = s, dx2/dt = 2t. */
static Scalar
fan_out(Tape *t, Scalar x, Scalar y)
{
    Scalar x1 = MUL(x, y), x2 = ADD(x, MUL(y, y));
    return ADD(MUL(x1, x2), x1);
}
FUNCTION(fan_out_by_s, fan_out(t, x, y), (x + y * y + 1) * y + x * y * 1)
FUNCTION(fan_out_by_t, fan_out(t, x, y), (x + y * y + 1) * x + x * y * 2 * y)

#define FUNCTIONS   .group = "functions"
#define RULES       .group = "rules"
#define ACTIVATIONS .group = "activations"
#define PARTIAL     .group = "partial derivatives"
#define ANY         .x = DOMAIN_ANY
#define NONZERO     .x = DOMAIN_NONZERO
#define POSITIVE    .x = DOMAIN_POSITIVE
#define ANY_XY      .x = DOMAIN_ANY, .y = DOMAIN_ANY

static const Derivative table[] = {
    {FUNCTIONS, "c", "0", "", ANY, .c = DOMAIN_ANY, .zero = true, ROW(constant)},
    {FUNCTIONS, "x", "1", "", ANY, ROW(identity)},
    {FUNCTIONS, "c x", "c", "", ANY, .c = DOMAIN_NONZERO, ROW(multiple)},
    {FUNCTIONS, "|x|", "|x| / x", "x != 0", NONZERO, ROW(absolute)},
    {FUNCTIONS, "x^c", "c x^(c-1)", "x > 0", POSITIVE, .c = DOMAIN_NONZERO, ROW(power)},
    {FUNCTIONS, "x^c", "c x^(c-1)", "c integer, x != 0", NONZERO, .c = DOMAIN_WHOLE, ROW(power)},
    {FUNCTIONS, "1 / x", "-1 / x^2", "x != 0", NONZERO, ROW(reciprocal)},
    {FUNCTIONS, "1 / x^c", "-c / x^(c+1)", "x > 0", POSITIVE, .c = DOMAIN_NONZERO, ROW(reciprocal_power)},
    {FUNCTIONS, "c^x", "c^x ln c", "c > 0, c != 1", ANY, .c = DOMAIN_POSITIVE_NOT_ONE, ROW(exponential_c)},
    {FUNCTIONS, "e^x", "e^x", "", ANY, ROW(exponential)},
    {FUNCTIONS, "log_c x", "1 / (x ln c)", "x > 0, c > 0, c != 1", POSITIVE, .c = DOMAIN_POSITIVE_NOT_ONE,
     ROW(logarithm_c)},
    {FUNCTIONS, "ln x", "1 / x", "x > 0", POSITIVE, ROW(logarithm)},
    {FUNCTIONS, "ln |x|", "1 / x", "x != 0", NONZERO, ROW(logarithm_absolute)},
    {FUNCTIONS, "x^x", "x^x (1 + ln x)", "x > 0", POSITIVE, ROW(x_to_the_x)},
    {FUNCTIONS, "sqrt(x)", "1 / (2 sqrt(x))", "x > 0", POSITIVE, ROW(square_root)},
    {RULES, "c f - 3 g", "c f' - 3 g'", "", ANY, .c = DOMAIN_NONZERO, ROW(sum_rule)},
    {RULES, "f g", "f' g + f g'", "", ANY, ROW(product_rule)},
    {RULES, "f / g", "(f' g - f g') / g^2", "", ANY, ROW(quotient_rule)},
    {RULES, "h(g(x))", "h'(g(x)) g'(x)", "", ANY, ROW(chain_rule)},
    {ACTIVATIONS, "logistic(x)", "f (1 - f)", "", ANY, ROW(logistic)},
    {ACTIVATIONS, "1 / (1 + e^-x)", "f (1 - f)", "", ANY, ROW(logistic_parts)},
    {ACTIVATIONS, "tanh(x)", "1 - f^2", "", ANY, ROW(hyperbolic)},
    {ACTIVATIONS, "relu(x)", "1 if x > 0", "x > 0", POSITIVE, ROW(rectifier)},
    {PARTIAL, "x^2 + x y + y^2", "dz/dx = 2x + y", "", ANY_XY, ROW(quadratic_by_x)},
    {PARTIAL, "x^2 + x y + y^2", "dz/dy = x + 2y", "", ANY_XY, .by = 1, ROW(quadratic_by_y)},
    {PARTIAL, "x^y", "y x^(y-1)", "x > 0", POSITIVE, .y = DOMAIN_NONZERO, ROW(power_by_x)},
    {PARTIAL, "x^y", "x^y ln x", "x > 0", .x = DOMAIN_POSITIVE_NOT_ONE, .y = DOMAIN_ANY, .by = 1, ROW(power_by_y)},
    {PARTIAL, "f(x1(s,t), x2(s,t))", "f_x1 x1_s + f_x2 x2_s", "", ANY_XY, ROW(fan_out_by_s)},
    {PARTIAL, "f(x1(s,t), x2(s,t))", "f_x1 x1_t + f_x2 x2_t", "", ANY_XY, .by = 1, ROW(fan_out_by_t)},
};
/* clang-format on */

const Derivative *
derivatives(size_t *count)
{
    *count = sizeof(table) / sizeof(table[0]);
    return table;
}

static double
draw(Domain domain, Rng *rng)
{
    double u = rng_uniform(rng), sign = rng_bits(rng) % 2 == 0 ? 1 : -1;
    switch (domain) {
    case DOMAIN_ANY:
        return 8 * u - 4;
    case DOMAIN_NONZERO:
        return sign * (0.1 + 3.9 * u);
    case DOMAIN_POSITIVE:
        return 0.1 + 3.9 * u;
    case DOMAIN_POSITIVE_NOT_ONE:
        return sign > 0 ? 0.1 + 0.7 * u : 1.2 + 2.8 * u;
    case DOMAIN_WHOLE:
        return sign * (1 + floor(3 * u));
    case DOMAIN_NONE:
        break;
    }
    return NAN;
}

DerivativePoint
derivative_draw(const Derivative *row, Rng *rng)
{
    double x = draw(row->x, rng), y = draw(row->y, rng), c = draw(row->c, rng);
    return (DerivativePoint){{x, y}, c};
}

typedef struct Row {
    const Derivative *row;
    double c;
} Row;

static double
value_of(const double *v, size_t n, void *context)
{
    const Row *row = context;
    return tape_evaluate(row->row->on_tape, &row->c, v, n, NULL);
}

DerivativeResult
derivative_check(const Derivative *row, const DerivativePoint *point, double tolerance)
{
    size_t n = row->y == DOMAIN_NONE ? 1 : 2;
    double by_tape[DERIVATIVE_VARIABLES], by_difference[DERIVATIVE_VARIABLES];
    Row context = {row, point->c};
    tape_evaluate(row->on_tape, &point->c, point->v, n, by_tape);
    gradient_numeric(value_of, &context, point->v, n, by_difference);
    DerivativeResult result = {.tape = by_tape[row->by], .difference = by_difference[row->by]};
    result.formula = row->derivative(point->v[0], point->v[1], point->c);
    result.error = gradient_error(result.tape, result.difference);
    bool exact = gradient_error(result.tape, result.formula) <= 1e-12;
    bool zero = result.tape == 0;
    result.ok = exact && result.error <= tolerance && zero == row->zero;
    return result;
}
