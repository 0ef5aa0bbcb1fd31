/* Command lines that are refused: one sentence each. SPDX-License-Identifier: MIT */
#include "tests/core/options_sample.h"

static void
assert_refused(Arguments arguments, const char *sentence)
{
    const Captured captured = capture(parse, &arguments);
    ck_assert_msg(strstr(captured.text, sentence) != NULL, "\"%s\" is not in: %s", sentence, captured.text);
    ck_assert_int_eq(captured.status, 100 + OPTIONS_WRONG);
    ck_assert_msg(strncmp(captured.text, "rungs test: ", 12) == 0, "%s", captured.text);
    ck_assert_ptr_eq(strchr(captured.text, '\n'), captured.text + strlen(captured.text) - 1); /* one line */
}

TEST(wrong_whole_numbers_are_refused)
{
    const char *const wrong[] = {"", "ten", "3x", "3.5", " 3", "3 ", "0x10", "1e3", "+", "--3", "1,2"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char text[32];
        snprintf(text, sizeof(text), "--epochs=%s", wrong[i]);
        assert_refused((Arguments){2, {"test", text}, &command}, "is not a whole number");
    }
}

TEST(whole_numbers_that_overflow_are_refused)
{
    assert_refused(ARGUMENTS("--epochs=2147483648"), "does not fit into an int");
    assert_refused(ARGUMENTS("--epochs=-2147483649"), "does not fit into an int");
    assert_refused(ARGUMENTS("--epochs=99999999999999999999"), "does not fit into an int");
    assert_refused(ARGUMENTS("--epochs=99999999999999999999999999999999999999"), "is not a whole number");
    assert_refused(ARGUMENTS("--epochs=0"), "--epochs: 0 is out of range; expected 1 to 1000000");
    assert_refused(ARGUMENTS("--epochs", "-5"), "--epochs: -5 is out of range; expected 1 to 1000000");
    assert_refused(ARGUMENTS("--epochs=1000001"), "out of range");
}

TEST(wrong_sizes_are_refused)
{
    const char *const wrong[] = {"", "k", "-1", "+1", " 1", "1.5k", "1K", "1kk", "1 k", "0x1"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char text[32];
        snprintf(text, sizeof(text), "--size=%s", wrong[i]);
        assert_refused((Arguments){2, {"test", text}, &command}, "is not a count");
    }
    assert_refused(ARGUMENTS("--size=1kB"), "is not a count");
    assert_refused(ARGUMENTS("--bucket=1BB"), "\"1BB\" is not a number of bytes; expected digits, and kB, MB");
    assert_refused(ARGUMENTS("--bucket=B"), "is not a number of bytes");
    assert_refused(ARGUMENTS("--size=18446744073709551616"), "more than 64 bits");
    assert_refused(ARGUMENTS("--size=18446744073709552k"), "more than 64 bits");
}

TEST(wrong_numbers_are_refused)
{
    const char *const wrong[] = {"", "fast", "0.5s", "nan", "inf", " 1", "0x1p3", "1e", "1.2.3"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char text[32];
        snprintf(text, sizeof(text), "--rate=%s", wrong[i]);
        assert_refused((Arguments){2, {"test", text}, &command}, "is not a number");
    }
    assert_refused(ARGUMENTS("--rate=1e999"), "more than a double");
    assert_refused(ARGUMENTS("--rate=-0.1"), "--rate: -0.1 is out of range; expected 0 to 10");
}

TEST(wrong_lists_are_refused)
{
    assert_refused(ARGUMENTS("--hidden=64,"), "is not a whole number");
    assert_refused(ARGUMENTS("--hidden=,64"), "is not a whole number");
    assert_refused(ARGUMENTS("--hidden=64,,32"), "is not a whole number");
    assert_refused(ARGUMENTS("--hidden=64;32"), "\"64;32\" is not a whole number");
    assert_refused(ARGUMENTS("--hidden=64,0"), "0 is out of range");
    char many[2 * OPTION_LIST_MAX + 16] = "--hidden=1";
    for (int i = 0; i < OPTION_LIST_MAX; i++)
        strcat(many, ",1");
    assert_refused((Arguments){2, {"test", many}, &command}, "more than 64 numbers");
}

TEST(wrong_choice_gets_the_nearest)
{
    assert_refused(ARGUMENTS("--kernels", "bets"), "\"bets\" is not one of naive|best; did you mean best?");
    assert_refused(ARGUMENTS("--kernels=quantum"), "\"quantum\" is not one of naive|best\n");
    assert_refused(ARGUMENTS("--kernels="), "is not one of naive|best");
    assert_refused(ARGUMENTS("--kernels=naive|best"), "is not one of");
}

TEST(unknown_option_gets_the_nearest)
{
    assert_refused(ARGUMENTS("--epoch=3"), "there is no option --epoch=3; did you mean --epochs?");
    assert_refused(ARGUMENTS("--kernel", "best"), "did you mean --kernels?");
    assert_refused(ARGUMENTS("-epochs", "3"), "there is no option -epochs; did you mean --epochs?");
    assert_refused(ARGUMENTS("--hlep"), "did you mean --help?");
    assert_refused(ARGUMENTS("--xyzzy"), "there is no option --xyzzy; --help lists the options");
    assert_refused(ARGUMENTS("--no-epochs"), "there is no option --no-epochs");
    assert_refused(ARGUMENTS("--="), "there is no option --=");
    assert_refused(ARGUMENTS("-x"), "there is no option -x");
}

TEST(missing_value_is_refused)
{
    assert_refused(ARGUMENTS("--epochs"), "--epochs needs a value: --epochs N");
    assert_refused(ARGUMENTS("--data", "--quiet"), "--data needs a value: --data SET");
    assert_refused(ARGUMENTS("--quiet=yes"), "--quiet takes no value; write --quiet or --no-quiet");
}

TEST(number_of_arguments_is_checked)
{
    assert_refused(ARGUMENTS("a", "b", "c", "d"), "unexpected argument \"d\"");
    const Command needs = {
        .name = "rungs test", .positional = "NAME", .options = options, .min_positional = 1, .max_positional = 1};
    assert_refused((Arguments){1, {"test"}, &needs}, "an argument is missing; expected: rungs test NAME");
}

TEST_MAIN("options_refused")
