/* What `rungs doctor` finds. Each of the functions below looks at one side of the machine and adds its findings to a list.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

typedef enum FindingState {
    FINDING_OK,
    FINDING_NOTE,    /* works, but may surprise */
    FINDING_MISSING, /* rungs works without; a part of it does not */
    FINDING_BROKEN,  /* rungs needs it: makes the doctor fail */
} FindingState;

typedef struct Finding {
    FindingState state;
    const char *name;
    char text[520];
    const char *advice; /* what to do about it, or NULL */
} Finding;

enum { FINDINGS_MAX = 64 };
typedef struct Findings {
    int count;
    Finding list[FINDINGS_MAX];
} Findings;

/* Adds one; the text as printf. name and advice are not copied. */
void findings_add(Findings *findings, FindingState state, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

void doctor_machine(Findings *findings);      /* doctor_machine.c: processor, memory, system, load */
void doctor_build(Findings *findings);        /* doctor_machine.c: compiler, flags, OpenMP's threads */
void doctor_mpi(Findings *findings);          /* doctor_mpi.c: two processes exchange a number */
void doctor_software(Findings *findings);     /* doctor_software.c: CUDA, libraries, programs */
void doctor_surroundings(Findings *findings); /* doctor_software.c: data sets, environment variables */

/* What one of the processes started by doctor_mpi does: sends a number round the ring, checks what arrives, and says so
 * on stdout. Returns the exit status. */
int doctor_hello(void);

/* The first line that a shell command prints on stdout, without its newline. Returns false if the command fails. */
bool doctor_first_line(const char *command, char *line, size_t size);

#endif
