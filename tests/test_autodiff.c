/* Lecture 2: the tape: values, gradients, fan-out, and what it keeps. Single operations are in test_autodiff_edges.c.
 * SPDX-License-Identifier: MIT */
#include "autodiff.h"
#include "tests/capture.h"
#include "tests/testing.h"

#define TEST_ON_TAPE(name) TEST_WITH(name, tape, tape_create(), tape_free)

TEST_ON_TAPE(partial_derivatives_golden)
{
    Scalar x = tape_variable(tape, 1), y = tape_variable(tape, 2);
    Scalar xx = tape_mul(tape, x, x), xy = tape_mul(tape, x, y), yy = tape_mul(tape, y, y);
    Scalar z = tape_add(tape, tape_add(tape, xx, xy), yy);
    tape_backward(tape, z);
    ck_assert_double_eq(tape_value(tape, z), 7);
    ck_assert_double_eq(tape_gradient(tape, x), 4);
    ck_assert_double_eq(tape_gradient(tape, y), 5);
    ck_assert_double_eq(tape_gradient(tape, z), 1);
    ck_assert_uint_eq(tape_length(tape), 7);
}

/* df/ds = df/dx1 dx1/ds + df/dx2 dx2/ds at s = 2, t = 3: x1 = s t = 6, x2 = s + t^2 = 11, f = x1 x2 + x1 = 72;
 * df/dx1 = 12, df/dx2 = 6; df/ds = 12 * 3 + 6 * 1, df/dt = 12 * 2 + 6 * 6. */
TEST_ON_TAPE(fan_out_accumulates)
{
    Scalar s = tape_variable(tape, 2), t = tape_variable(tape, 3);
    Scalar x1 = tape_mul(tape, s, t), x2 = tape_add(tape, s, tape_mul(tape, t, t));
    Scalar f = tape_add(tape, tape_mul(tape, x1, x2), x1);
    tape_backward(tape, f);
    ck_assert_double_eq(tape_value(tape, f), 72);
    ck_assert_double_eq(tape_gradient(tape, x1), 12);
    ck_assert_double_eq(tape_gradient(tape, x2), 6);
    ck_assert_double_eq(tape_gradient(tape, s), 42);
    ck_assert_double_eq(tape_gradient(tape, t), 60);
}

TEST_ON_TAPE(the_same_node_twice_as_parent)
{
    Scalar x = tape_variable(tape, 3);
    Scalar double_x = tape_add(tape, x, x), one = tape_div(tape, x, x), zero = tape_sub(tape, x, x);
    tape_backward(tape, double_x);
    ck_assert_double_eq(tape_gradient(tape, x), 2);
    tape_backward(tape, one);
    ck_assert_double_eq_tol(tape_gradient(tape, x), 0, 1e-16);
    tape_backward(tape, zero);
    ck_assert_double_eq(tape_gradient(tape, x), 0);
}

/* 2^40 paths lead from x to the output; the walk visits each of the 41 nodes once. */
TEST_ON_TAPE(many_paths_one_visit)
{
    Scalar x = tape_variable(tape, 1), f = x;
    for (int i = 0; i < 40; i++)
        f = tape_add(tape, f, f);
    tape_backward(tape, f);
    ck_assert_double_eq(tape_gradient(tape, x), 1099511627776.0);
    ck_assert_uint_eq(tape_length(tape), 41);
}

TEST_ON_TAPE(a_long_tape_grows)
{
    Scalar x = tape_variable(tape, 0.5), f = tape_constant(tape, 0);
    for (int i = 0; i < 100000; i++)
        f = tape_add(tape, f, x);
    tape_backward(tape, f);
    ck_assert_double_eq(tape_value(tape, f), 50000);
    ck_assert_double_eq(tape_gradient(tape, x), 100000);
}

TEST_ON_TAPE(backward_again_does_not_add_to_before)
{
    Scalar x = tape_variable(tape, 3), f = tape_mul(tape, x, x);
    tape_backward(tape, f);
    tape_backward(tape, f);
    ck_assert_double_eq(tape_gradient(tape, x), 6);
    tape_backward(tape, x);
    ck_assert_double_eq(tape_gradient(tape, x), 1);
    ck_assert_double_eq(tape_gradient(tape, f), 0); /* stands behind the output */
}

TEST(clear_forgets_and_can_be_used_again)
{
    Tape *tape = tape_create();
    tape_exp(tape, tape_variable(tape, 1));
    tape_clear(tape);
    ck_assert_uint_eq(tape_length(tape), 0);
    Scalar x = tape_variable(tape, 5), f = tape_neg(tape, x);
    tape_backward(tape, f);
    ck_assert_double_eq(tape_gradient(tape, x), -1);
    ck_assert_uint_eq(tape_length(tape), 2);
    tape_free(tape);
    tape_free(NULL);
}

TEST_ON_TAPE(constants_have_no_gradient)
{
    Scalar x = tape_variable(tape, 4), c = tape_constant(tape, 2.5), f = tape_mul(tape, c, x);
    tape_backward(tape, f);
    ck_assert_double_eq(tape_gradient(tape, x), 2.5);
    ck_assert_double_eq(tape_gradient(tape, c), 0);
}

/* sqrt at 0 has the partial inf. A node that the output does not depend on must not make it 0 * inf = NaN. */
TEST_ON_TAPE(unused_nodes_send_nothing)
{
    Scalar x = tape_variable(tape, 0), root = tape_sqrt(tape, x), f = tape_mul(tape, x, tape_constant(tape, 2));
    tape_backward(tape, f);
    ck_assert_double_eq(tape_gradient(tape, x), 2);
    ck_assert_double_eq(tape_gradient(tape, root), 0);
    tape_backward(tape, tape_mul(tape, root, tape_constant(tape, 0)));
    ck_assert_double_eq(tape_gradient(tape, x), 0);
}

static Scalar
forty_two(Tape *t, const Scalar *v, size_t n, const void *context)
{
    (void)v, (void)n, (void)context;
    return tape_constant(t, 42);
}

TEST(evaluate_without_variables)
{
    double nothing = 7;
    ck_assert_double_eq(tape_evaluate(forty_two, NULL, &nothing, 0, &nothing), 42);
    ck_assert_double_eq(nothing, 7);
}

TEST(print_shows_every_node)
{
    char text[4096] = "";
    FILE *out = fmemopen(text, sizeof(text), "w");
    Tape *tape = tape_create();
    Scalar x = tape_variable(tape, 3), f = tape_mul(tape, x, tape_exp(tape, x));
    tape_backward(tape, f);
    tape_print(tape, out);
    fclose(out);
    tape_free(tape);
    const char *const parts[] = {"gradient", "variable", "exp", "mul", "0 1", "20.0855"};
    for (size_t i = 0; i < COUNT(parts); i++)
        ck_assert_msg(strstr(text, parts[i]) != NULL, "no \"%s\" in:\n%s", parts[i], text);
}

TEST_ENDS(use_a_cleared_node, "node 0 is not on this tape of 0 nodes")
{
    Tape *tape = tape_create();
    Scalar x = tape_variable(tape, 1);
    tape_clear(tape);
    tape_neg(tape, x);
}

TEST_ENDS_CALL(walk_from_nowhere, "node 0 is not on this tape", tape_backward(tape_create(), (Scalar){0});)

TEST_MAIN("autodiff")
