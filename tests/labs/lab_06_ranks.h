/* Lab 06 needs several ranks: a test starts this program again under mpirun with --ranks "06.1 results", and every rank then
 * runs what lab_06_ranks.c has for that. SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_LAB_06_RANKS_H
#define TESTS_LABS_LAB_06_RANKS_H

/* Names, in the environment, the file that the ranks write what they found to: "ok", "wrong" and a sentence, or "unsolved",
 * exercise, file and line. */
#define LAB_06_VERDICT "LAB_06_VERDICT"

#endif
