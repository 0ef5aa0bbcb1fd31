/* Tests of exercise 07.3 on ranks: a network learns a few steps, on one process and data-parallel on the ranks.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_LAB_07_STEP_H
#define TESTS_LABS_LAB_07_STEP_H

#include "mpi/comm.h"

/* All ranks call; the same answer on all (grade_agree). */
bool lab_07_same_as_one_process(Comm *comm);
bool lab_07_loss_and_stop(Comm *comm);
bool lab_07_all_reduces(Comm *comm);

#endif
