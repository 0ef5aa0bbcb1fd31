/* Prints the widest of the variants of its arguments that runs here, or what RUNGS_ISA names: for tools/variants.mk.
 * SPDX-License-Identifier: MIT */
#include "core/variants.h"
#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    Variant list[8] = {0};
    for (int i = 1; i < argc && i < 8; i++)
        list[i - 1].name = argv[i];
    char sentence[VARIANTS_SENTENCE_SIZE];
    const Variant *chosen = variants_choose(list, getenv("RUNGS_ISA"), sentence);
    puts(chosen != NULL ? chosen->name : sentence);
    return chosen == NULL;
}
