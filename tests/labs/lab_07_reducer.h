/* Tests of exercise 07.2, the gradient hook. SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_LAB_07_REDUCER_H
#define TESTS_LABS_LAB_07_REDUCER_H

#include "mpi/comm.h"

/* Without ranks: an all-reduce that only notes that it was called. Each is the body of a test. */
void lab_07_sent_when_complete(void);
void lab_07_sent_in_order(void);
void lab_07_whole_layers(void);

/* On ranks: gradients come in another order on each; the sums must be right. */
bool lab_07_sums(Comm *comm, bool overlapped);

#endif
