/* Vector instructions of the processor and of the build. SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/instructions.h"
#include "core/vector.h"
#include "tests/testing.h"

TEST(the_processor_has_what_the_build_uses)
{
    const Instructions has = instructions_of_processor(), uses = instructions_of_build();
    ck_assert_int_ge(has.vector_bits, uses.vector_bits);
    ck_assert(has.vnni || !uses.vnni);
    ck_assert(has.bf16 || !uses.bf16);
    ck_assert_int_eq(host_get()->vector_bits, uses.vector_bits);
    ck_assert_int_ge(uses.vector_bits, 8 * VECTOR_BYTES);
}

TEST(text_names_what_is_there_and_what_is_not)
{
    char text[INSTRUCTIONS_SIZE];
    ck_assert_str_eq(instructions_text((Instructions){512, true, true}, text), "512-bit vectors, VNNI, bf16");
    ck_assert_str_eq(instructions_text((Instructions){256, false, false}, text), "256-bit vectors, no VNNI, no bf16");
    ck_assert_str_eq(instructions_text((Instructions){256, true, false}, text), "256-bit vectors, VNNI, no bf16");
}

TEST_MAIN("instructions")
