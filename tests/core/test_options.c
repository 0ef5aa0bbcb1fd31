/* Command-line options: what is accepted, and the help. SPDX-License-Identifier: MIT */
#include "tests/core/options_sample.h"

static int
accept(Arguments *arguments)
{
    int positional = -1;
    v = defaults;
    ck_assert_int_eq(options_parse(&command, arguments->count, arguments->words, &positional), OPTIONS_OK);
    return positional;
}

TEST(no_arguments_keep_the_defaults)
{
    Arguments arguments = {1, {"test"}, &command};
    ck_assert_int_eq(accept(&arguments), 0);
    ck_assert(v.epochs == 20 && v.size == 1000 && v.rate == 0.1 && v.shuffle && !v.quiet && v.hidden.count == 2);
}

TEST(values_follow_or_stand_behind_an_equals_sign)
{
    Arguments a = ARGUMENTS("--epochs", "3", "--rate=0.5", "--data", "a=b", "--kernels=naive", "--size=-=");
    a.words[7] = "--size=12";
    ck_assert_int_eq(accept(&a), 0);
    ck_assert(v.epochs == 3 && v.rate == 0.5 && v.size == 12);
    ck_assert_str_eq(v.data, "a=b");
    ck_assert_str_eq(v.kernels, "naive");
    Arguments empty = ARGUMENTS("--data=");
    accept(&empty);
    ck_assert_str_eq(v.data, "");
}

TEST(flags_have_a_negative_form)
{
    Arguments a = ARGUMENTS("--no-shuffle", "--quiet");
    accept(&a);
    ck_assert(!v.shuffle && v.quiet);
}

TEST(last_of_duplicates_wins)
{
    Arguments a = ARGUMENTS("--epochs", "3", "--epochs=4", "--quiet", "--no-quiet");
    accept(&a);
    ck_assert(v.epochs == 4 && !v.quiet);
}

TEST(it_is_known_what_was_typed)
{
    Arguments a = ARGUMENTS("--epochs", "20", "--rate=0.1", "--no-shuffle", "data", "--", "--quiet");
    static const struct {
        const char *name;
        bool given;
    } cases[] = {{"epochs", true}, {"rate", true},     {"shuffle", true}, {"data", false},
                 {"epoch", false}, {"epochss", false}, {"quiet", false}};
    for (size_t i = 0; i < COUNT(cases); i++)
        ck_assert_msg(options_given(a.count, a.words, cases[i].name) == cases[i].given, "%s", cases[i].name);
}

TEST(positional_arguments_move_to_the_front)
{
    Arguments a = ARGUMENTS("one", "--epochs", "3", "two", "--quiet", "-");
    ck_assert_int_eq(accept(&a), 3);
    ck_assert_str_eq(a.words[1], "one");
    ck_assert_str_eq(a.words[2], "two");
    ck_assert_str_eq(a.words[3], "-");
}

TEST(two_dashes_end_the_options)
{
    Arguments a = ARGUMENTS("--quiet", "--", "--epochs", "-h");
    ck_assert_int_eq(accept(&a), 2);
    ck_assert_str_eq(a.words[1], "--epochs");
    ck_assert_str_eq(a.words[2], "-h");
    ck_assert(v.quiet);
}

TEST(negative_numbers_are_arguments)
{
    Arguments a = ARGUMENTS("-5", "-.5");
    ck_assert_int_eq(accept(&a), 2);
}

TEST(sizes_take_suffixes)
{
    const char *const texts[] = {"--size=7",   "--size=2k",  "--size=3M",  "--size=4G",
                                 "--size=2Ki", "--size=3Mi", "--size=4Gi", "--size=18446744073709551615"};
    const uint64_t sizes[] = {7, 2000, 3000000, 4000000000, 2048, 3 << 20, (uint64_t)4 << 30, UINT64_MAX};
    for (int i = 0; i < 8; i++) {
        Arguments a = {2, {"test", (char *)texts[i]}, &command};
        accept(&a);
        ck_assert_uint_eq(v.size, sizes[i]);
    }
}

TEST(bytes_take_the_same_and_a_b)
{
    const char *const texts[] = {"--bucket=7",    "--bucket=7B",    "--bucket=2kB",  "--bucket=25MB", "--bucket=25M",
                                 "--bucket=2KiB", "--bucket=25MiB", "--bucket=25Mi", "--bucket=1GB"};
    const uint64_t sizes[] = {7, 7, 2000, 25000000, 25000000, 2048, 26214400, 26214400, 1000000000};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        Arguments a = {2, {"test", (char *)texts[i]}, &command};
        accept(&a);
        ck_assert_uint_eq(v.bucket, sizes[i]);
    }
}

TEST(lists_hold_numbers_separated_by_commas)
{
    Arguments a = ARGUMENTS("--hidden", "128,64,1");
    accept(&a);
    ck_assert(v.hidden.count == 3 && v.hidden.values[0] == 128 && v.hidden.values[2] == 1);
    Arguments one = ARGUMENTS("--hidden=7"), none = ARGUMENTS("--hidden=");
    accept(&one);
    ck_assert(v.hidden.count == 1 && v.hidden.values[0] == 7);
    accept(&none);
    ck_assert_int_eq(v.hidden.count, 0);
}

static Captured
help_of(char *word)
{
    Arguments arguments = {3, {"test", "--epochs=wrong", word}, &command};
    return capture(parse, &arguments);
}

/* Wherever --help stands, help is given, before anything is found wrong. */
TEST(help_shows_options_ranges_and_defaults)
{
    char *const words[] = {"--help", "-h"};
    for (int i = 0; i < 2; i++) {
        const Captured help = help_of(words[i]);
        ck_assert_int_eq(help.status, 100 + OPTIONS_HELP);
        const char *const parts[] = {"usage: rungs test [options] [FILE..]\n",
                                     "test the options\n",
                                     "--epochs N",
                                     "passes over the training data (1 to 1000000; default 20)",
                                     "samples (default 1000)",
                                     "sent at once (default 25MiB)",
                                     "--kernels naive|best",
                                     "--[no-]shuffle",
                                     "print nothing (default no)",
                                     "64,32)",
                                     "--help",
                                     "Formats: none.\n"};
        for (size_t p = 0; p < COUNT(parts); p++)
            ck_assert_msg(strstr(help.text, parts[p]) != NULL, "\"%s\" is not in:\n%s", parts[p], help.text);
    }
}

TEST(help_fits_the_terminal)
{
    setenv("COLUMNS", "20", 1); /* below 80 nothing would be readable */
    const Captured help = help_of("--help");
    size_t longest = 0;
    for (const char *line = help.text; *line; line += strcspn(line, "\n") + 1)
        longest = strcspn(line, "\n") > longest ? strcspn(line, "\n") : longest;
    ck_assert_uint_le(longest, 80);
    ck_assert_uint_gt(longest, 60);
}

TEST(help_texts_begin_in_one_column)
{
    const Captured help = help_of("--help");
    const char *const texts[] = {"passes",       "samples (", "learning", "digits, iris",
                                 "rungs to use", "visit",     "show this"};
    long column = -1;
    for (size_t i = 0; i < COUNT(texts); i++) {
        const char *text = strstr(help.text, texts[i]), *start = text;
        ck_assert_ptr_nonnull(text);
        while (start > help.text && start[-1] != '\n')
            start--;
        ck_assert(column < 0 || column == text - start);
        column = text - start;
    }
}

/* A checkpoint holds texts: what they are read back as is the value. */
TEST(texts_are_read_back)
{
    static const double numbers[] = {0.1, 1.0 / 3, 1e-30, 0};
    bool flag = true;
    double number = 0;
    uint64_t size = 25 << 20;
    const char *string = NULL, *output = NULL, *figure = NULL;
    IntList list = {2, {64, 32}};
    const Option table[] = {{"flag", OPTION_FLAG, &flag},       {"size", OPTION_BYTES, &size},
                            {"string", OPTION_STRING, &string}, {"list", OPTION_INTS, &list},
                            {"output", OPTION_OUTPUT, &output}, {"figure", OPTION_FIGURE, &figure}},
                 decimal = {"number", OPTION_DOUBLE, &number};
    const char *const texts[] = {"yes", "26214400", "", "64,32", "", ""}, *const others[] = {"no", "5", "a",
                                                                                             "7",  "b", "c"};
    char text[64];
    for (int i = 0; i < 6; i++) {
        ck_assert_str_eq(option_text(&table[i], text, sizeof(text)), texts[i]);
        ck_assert(option_set(&table[i], others[i], &error));
        ck_assert_str_eq(option_text(&table[i], text, sizeof(text)), others[i]);
        number = numbers[i % 4];
        option_text(&decimal, text, sizeof(text));
        ck_assert(option_set(&decimal, text, &error) && number == numbers[i % 4]);
    }
    ck_assert(!option_set(&table[0], "maybe", &error) && !option_set(&table[3], "x", &error));
}

TEST(choices_have_numbers)
{
    ck_assert(option_choice("none|min|minmax", "none") == 0 && option_choice("none|min|minmax", "minmax") == 2);
    ck_assert(option_choice("none|min|minmax", "mi") == -1 && option_choice("none|min|minmax", "") == -1);
}

TEST_MAIN("options")
