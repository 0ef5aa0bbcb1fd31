/* Which variant of a program runs: the widest that the processor has, or a named one. SPDX-License-Identifier: MIT */
#include "core/instructions.h"
#include "core/variants.h"
#include "tests/testing.h"
#include <string.h>

static const Variant all[] = {{.name = "v2"}, {.name = "v3"}, {.name = "v4"}, {.name = "v4-bf16"}, {0}};
static const Variant none[] = {{.name = "v99"}, {0}};
static char sentence[VARIANTS_SENTENCE_SIZE];

#if defined(__x86_64__)
/* Vectors alone do not make a variant, but the processors that tests run on have what comes with them. */
TEST(the_widest_is_that_of_the_processor)
{
    const Instructions has = instructions_of_processor();
    const Variant *chosen = variants_choose(all, NULL, sentence);
    ck_assert_ptr_nonnull(chosen);
    const char *expected = has.vector_bits == 512   ? (has.vnni && has.bf16 ? "v4-bf16" : "v4")
                           : has.vector_bits == 256 ? "v3"
                                                    : "v2";
    /* AVX alone, and AVX-512 without BW and DQ, are narrower variants. */
    ck_assert_msg(strcmp(chosen->name, expected) <= 0, "%s on a processor for %s", chosen->name, expected);
    ck_assert(variants_choose(all, "", sentence) == chosen);
}

TEST(a_name_chooses)
{
    ck_assert(variants_choose(all, "v2", sentence) == &all[0]);
    ck_assert(variants_choose(all, variants_choose(all, NULL, sentence)->name, sentence) != NULL);
}

/* All that are narrower than one that runs do so, too, and the sentence about a name that is none lists just these. */
TEST(an_unknown_name_gives_those_that_run)
{
    char expected[VARIANTS_SENTENCE_SIZE] = "RUNGS_ISA is \"v\", which is no variant of this build; expected one of v2";
    const Variant *widest = variants_choose(all, NULL, sentence);
    for (const Variant *variant = all; variant < widest; variant++) {
        ck_assert(variants_choose(all, variant->name, sentence) == variant);
        strcat(strcat(expected, ", "), variant[1].name);
    }
    ck_assert_ptr_null(variants_choose(all, "v", sentence));
    ck_assert_str_eq(sentence, strcat(expected, ", or unset it"));
    if (widest[1].name == NULL)
        return;
    ck_assert_ptr_null(variants_choose(all, widest[1].name, sentence));
    ck_assert_ptr_nonnull(strstr(sentence, "which this processor cannot run; expected one of v2"));
}
#endif

TEST(where_none_runs_it_says_so)
{
    ck_assert_ptr_null(variants_choose(none, NULL, sentence));
    ck_assert_str_eq(sentence,
                     "this processor runs none of the variants that are here (v99): run make, which compiles for it");
}

TEST(a_long_name_is_cut)
{
    char name[4096];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    ck_assert_ptr_null(variants_choose(all, name, sentence));
    ck_assert_uint_lt(strlen(sentence), sizeof(sentence) - 1);
}

TEST(a_plain_build_is_called_by_what_it_was_compiled_for)
{
    char text[VARIANTS_TEXT_SIZE];
    ck_assert_uint_gt(strlen(variants_text(text)), 0);
    ck_assert_ptr_null(strstr(variants_text(text), " of "));
}

TEST_MAIN("variants")
