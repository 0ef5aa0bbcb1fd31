/* Checked MPI calls. Only files of a build with MPI include this.
 * process_start() has set MPI_ERRORS_RETURN: by default MPI aborts before anyone can say which call it was.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_CHECKED_MPI_H
#define CORE_CHECKED_MPI_H

#include "core/checked.h"
#include <mpi.h>

#define CHECK_MPI(call)                                                                                                \
    do {                                                                                                               \
        int checked_code = (call);                                                                                     \
        if (checked_code != MPI_SUCCESS) {                                                                             \
            char checked_text[MPI_MAX_ERROR_STRING] = "";                                                              \
            int checked_length = 0;                                                                                    \
            MPI_Error_string(checked_code, checked_text, &checked_length);                                             \
            checked_fail(__FILE__, __LINE__, #call, "%s", checked_text);                                               \
        }                                                                                                              \
    } while (0)

#endif
