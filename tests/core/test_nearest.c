/* "Did you mean ...": distances, and which name is nearest.
 * SPDX-License-Identifier: MIT */
#include "core/nearest.h"
#include "tests/testing.h"

TEST(nearest_distances_count_edits)
{
    ck_assert_uint_eq(nearest_distance("", ""), 0);
    ck_assert_uint_eq(nearest_distance("", "abc"), 3);
    ck_assert_uint_eq(nearest_distance("abc", ""), 3);
    ck_assert_uint_eq(nearest_distance("train", "train"), 0);
    ck_assert_uint_eq(nearest_distance("kitten", "sitting"), 3);
    ck_assert_uint_eq(nearest_distance("saturday", "sunday"), 3);
    ck_assert_uint_eq(nearest_distance("tarin", "train"), 1);
    ck_assert_uint_eq(nearest_distance("ab", "ba"), 1);
    ck_assert_uint_eq(nearest_distance("ca", "abc"), 3); /* 2 if "ac" could be changed again after the exchange */
}

TEST(nearest_distance_is_symmetric)
{
    static const char *const words[] = {"", "a", "ab", "ba", "train", "bench", "gradcheck", "doctor"};
    for (size_t i = 0; i < COUNT(words); i++)
        for (size_t j = 0; j < COUNT(words); j++)
            ck_assert_uint_eq(nearest_distance(words[i], words[j]), nearest_distance(words[j], words[i]));
}

TEST(nearest_long_words_are_cut)
{
    char a[500], b[500];
    memset(a, 'x', sizeof(a) - 1);
    memset(b, 'x', sizeof(b) - 1);
    a[sizeof(a) - 1] = b[sizeof(b) - 1] = '\0';
    b[NEAREST_LENGTH] = 'y'; /* the first letter that is not looked at */
    ck_assert_uint_eq(nearest_distance(a, b), 0);
    b[NEAREST_LENGTH - 1] = 'y';
    ck_assert_uint_eq(nearest_distance(a, b), 1);
}

static const char *
nearest_command(const char *word)
{
    Nearest nearest = nearest_to(word);
    nearest_offer(&nearest, "train");
    nearest_offer(&nearest, "bench");
    nearest_offer(&nearest, "gradcheck");
    return nearest.name;
}

TEST(nearest_finds_what_was_meant)
{
    ck_assert_str_eq(nearest_command("train"), "train");
    ck_assert_str_eq(nearest_command("tarin"), "train");
    ck_assert_str_eq(nearest_command("bnch"), "bench");
    ck_assert_str_eq(nearest_command("becnh"), "bench");
    ck_assert_str_eq(nearest_command("grad-check"), "gradcheck");
}

TEST(nearest_offers_nothing_far_away)
{
    ck_assert_ptr_null(nearest_command("zzzzzzzz"));
    ck_assert_ptr_null(nearest_command(""));
    ck_assert_ptr_null(nearest_command("x"));
    ck_assert_ptr_null(nearest_command("doctor"));
}

TEST(nearest_keeps_the_first_of_equals)
{
    Nearest nearest = nearest_to("bat");
    nearest_offer(&nearest, "cat");
    nearest_offer(&nearest, "hat");
    ck_assert_str_eq(nearest.name, "cat");
    nearest_offer(&nearest, "bat");
    ck_assert_str_eq(nearest.name, "bat");
    ck_assert_uint_eq(nearest.distance, 0);
}

TEST_MAIN("core/nearest")
