/* The rungs of gemm by their names. A new rung gets a line here and one in ladder.c, which also knows how to measure it.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/choose.h"
#include <stddef.h>
#include <string.h>

/* clang-format off */
const GemmChoice gemm_choices[] = {
    {"naive", gemm_naive},
    {"reordered", gemm_reordered},
    {"blocked", gemm_blocked},
    {"register_tile", gemm_register_tile},
    {"packed", gemm_packed},
    {"vector", gemm_vector},
    {"openmp", gemm_openmp},
    {"in_place", gemm_in_place},
    {"masked", gemm_masked},
    {"prefetch", gemm_prefetch},
    {"tall_skinny", gemm_tall_skinny},
    {"expert", gemm_expert},
    {NULL, NULL},
};
/* clang-format on */

const GemmChoice *
gemm_by_name(const char *name)
{
    for (const GemmChoice *choice = gemm_choices; choice->name; choice++)
        if (strcmp(choice->name, name) == 0)
            return choice;
    return NULL;
}

const GemmChoice *
gemm_best(void)
{
    const size_t count = sizeof(gemm_choices) / sizeof(gemm_choices[0]) - 1;
    return &gemm_choices[count - 1];
}
