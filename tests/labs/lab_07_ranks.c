/* What the ranks of lab 07 do for a test of lab_07.c (grade_ranks.h). SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "core/checked.h"
#include "grade_ranks.h"
#include "lab_07_reducer.h"
#include "lab_07_server.h"
#include "lab_07_step.h"
#include "mpi/watch/watch.h"
#include <string.h>

static bool
overlapped_sums(Comm *comm)
{
    return lab_07_sums(comm, false) && lab_07_sums(comm, true);
}

static bool
lab_07_work(Comm *comm, const char *exercise, const char *what)
{
    static const struct {
        const char *exercise, *what;
        bool (*test)(Comm *comm);
    } tests[] = {
        {"07.2", "sums", overlapped_sums},        {"07.3", "same", lab_07_same_as_one_process},
        {"07.3", "loss", lab_07_loss_and_stop},   {"07.3", "all-reduces", lab_07_all_reduces},
        {"07.4", "same", lab_07_server_same},     {"07.4", "order", lab_07_server_order},
        {"07.4", "update", lab_07_server_update},
    };
    watch_phase("exercise %s, %s", exercise, what);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        if (strcmp(tests[i].exercise, exercise) == 0 && strcmp(tests[i].what, what) == 0)
            return tests[i].test(comm);
    CHECK_THAT(false, "there is no work '%s %s'", exercise, what);
}

GRADE_RANKS_WORK("07", lab_07_work)

#endif
