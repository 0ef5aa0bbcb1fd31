/* Tests of exercise 07.4 on ranks: rank 0 is the server, all others are workers. SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_LAB_07_SERVER_H
#define TESTS_LABS_LAB_07_SERVER_H

#include "mpi/comm.h"

/* All ranks call; the same answer on all (grade_agree). */
bool lab_07_server_same(Comm *comm);   /* as one process, with plain SGD */
bool lab_07_server_order(Comm *comm);  /* gradients are added in the order of the workers */
bool lab_07_server_update(Comm *comm); /* one update in a step: momentum would tell */

#endif
