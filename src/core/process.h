/* This process among its ranks: rank 0 of 1 unless started by mpirun in a build with MPI.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_PROCESS_H
#define CORE_PROCESS_H

/* Starts MPI if this build has it and a launcher started us; otherwise does nothing. Call it first in main. */
void process_start(int *argc, char ***argv);

/* Starts MPI also without a launcher, as the only rank, for a command that cannot do without; nothing if it runs already. */
void process_start_alone(void);

/* Ends MPI if process_start started it. */
void process_stop(void);

int process_rank(void);
int process_count(void);

/* Ends all ranks with this exit status. */
_Noreturn void process_abort(int status);

#endif
