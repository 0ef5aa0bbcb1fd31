/* A rank in every strategy, for test_group_mpi.c and test_stream_mpi.c. SPDX-License-Identifier: MIT */
#ifndef TESTS_MPI_GROUP_CASE_H
#define TESTS_MPI_GROUP_CASE_H

#include "tests/mpi/peers_case.h"

static const char *const all_kinds[] = {"data", "gossip", "local", "easgd", "server", "async"};
enum { KINDS = 6 };

static inline ParallelOptions
options_of(const char *kind)
{
    ParallelOptions options = peer_options(kind, 4);
    options.own = NULL; /* the defaults of each */
    return options;
}

/* Servers need a worker. */
static inline bool
too_few_ranks(const char *kind)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks < strategy_named(kind)->fewest;
}

#endif
