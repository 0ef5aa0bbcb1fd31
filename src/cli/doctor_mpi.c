/* rungs doctor: does MPI really work here? Two processes are started as every MPI program of this project is started, and
 * exchange a number.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/doctor.h"
#include "core/host.h"
#include "core/process.h"
#include "core/project.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_MPI
#include "core/checked_mpi.h"
#endif

/* Every process sends (rank + 1)^2 to the next one and gets the previous one's. */
int
doctor_hello(void)
{
    const int r = process_rank(), p = process_count();
    int sent = (r + 1) * (r + 1), received = sent;
#ifdef HAVE_MPI
    if (p > 1)
        CHECK_MPI(MPI_Sendrecv(&sent, 1, MPI_INT, (r + 1) % p, 0, &received, 1, MPI_INT, (r + p - 1) % p, 0,
                               MPI_COMM_WORLD, MPI_STATUS_IGNORE));
#endif
    const int previous = (r + p - 1) % p + 1;
    const bool right = received == previous * previous;
    printf("hello from process %d of %d, the number from its neighbour is %s\n", r, p, right ? "right" : "wrong");
    return right ? STATUS_DONE : STATUS_FAILED;
}

/* How many of two processes that the script starts said hello, properly; -1 if they could not be started. */
static int
count_hellos(const char *script)
{
    char program[4096], command[2 * 4096 + 256], line[512];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (length <= 0)
        return -1;
    program[length] = '\0';
    /* A hang becomes a failure after a minute. In a build with sanitizers, what MPI never frees does not matter here. */
    snprintf(command, sizeof(command),
             "ASAN_OPTIONS=detect_leaks=0 OMP_NUM_THREADS=1 timeout 60 sh '%s' 2 '%s' doctor --hello 2>&1", script,
             program);
    FILE *pipe = popen(command, "r");
    if (pipe == NULL)
        return -1;
    int hellos = 0;
    while (fgets(line, sizeof(line), pipe) != NULL)
        hellos += strstr(line, "of 2, the number from its neighbour is right") != NULL;
    return pclose(pipe) == 0 ? hellos : -1;
}

void
doctor_mpi(Findings *findings)
{
    const Host *host = host_get();
    if (host->mpi[0] == '\0') {
        findings_add(findings, FINDING_MISSING, "MPI", "./setup.sh installs Open MPI; no MPI=0 on make's command line",
                     "this build has none: what needs several processes is left out");
        return;
    }
    if (process_count() > 1) {
        findings_add(findings, FINDING_OK, "MPI", NULL, "%s, %d processes run this", host->mpi, process_count());
        return;
    }
    char script[PROJECT_PATH_MAX];
    Error error;
    if (!project_file("tools/mpirun.sh", script, &error)) {
        findings_add(findings, FINDING_NOTE, "MPI", NULL, "%s, not tried: %s", host->mpi, error.text);
        return;
    }
    const int hellos = count_hellos(script);
    if (hellos == 2)
        findings_add(findings, FINDING_OK, "MPI", NULL, "%s, 2 processes exchanged a number", host->mpi);
    else
        findings_add(findings, FINDING_BROKEN, "MPI",
                     "run it by hand and read what it says: tools/mpirun.sh 2 hostname",
                     "%s, but two processes could not be started and exchange a number", host->mpi);
}
