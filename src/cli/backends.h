/* What the backends of PyTorch's torch.distributed can do, as its manual says. SPDX-License-Identifier: MIT */
#ifndef CLI_BACKENDS_H
#define CLI_BACKENDS_H

#include <stdbool.h>

enum { BACKEND_OPERATIONS = 11, BACKEND_COLUMNS = 6 };

/* y: yes; n: no; ?: only if PyTorch was built with an MPI that takes pointers to device memory. */
typedef struct BackendRow {
    const char *operation;          /* "all_reduce", as PyTorch calls it */
    char cell[BACKEND_COLUMNS + 1]; /* "ynnn?y": by backend_columns */
    const char *ladder;             /* "allreduce": ours; NULL: a message between two ranks, mpi/point.h */
} BackendRow;

extern const char *const backend_columns[BACKEND_COLUMNS]; /* "gloo CPU", "gloo GPU", .. */
extern const BackendRow backend_rows[BACKEND_OPERATIONS];

#endif
