/* What `rungs doctor` finds. SPDX-License-Identifier: MIT */
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

/* Looks at the machine, the build, MPI, software, data and the environment, and adds what it finds. */
void doctor_look(Findings *findings);

/* What one of the processes that it starts does: sends a number round the ring, checks what arrives, and says so
 * on stdout. Returns the exit status. */
int doctor_hello(void);

#endif
