/* rungs doctor: looks at the machine, the build, MPI, software, data, and the environment. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/doctor.h"
#include "core/host.h"
#include "core/instructions.h"
#include "core/process.h"
#include "core/project.h"
#include "core/units.h"
#include "core/variants.h"
#include "cpu/gemm/peers.h"
#include "cpu/onednn.h"
#include "cpu/openblas.h"
#include "data/dataset.h"
#include "ladder/handicaps.h"
#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_MPI
#include "core/checked_mpi.h"
#endif

/* Adds one; the text as printf. name and advice are not copied. */
__attribute__((format(printf, 5, 6))) static void
findings_add(Findings *findings, FindingState state, const char *name, const char *advice, const char *format, ...)
{
    if (findings->count == FINDINGS_MAX)
        return;
    Finding *finding = &findings->list[findings->count++];
    *finding = (Finding){.state = state, .name = name, .advice = advice};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof(finding->text), format, arguments);
    va_end(arguments);
}

/* The first line that a shell command prints on stdout, without its newline. Returns false if the command fails. */
static bool
first_line(const char *command, char *line, size_t size)
{
    line[0] = '\0';
    FILE *pipe = popen(command, "r");
    if (pipe == NULL)
        return false;
    if (fgets(line, (int)size, pipe) != NULL)
        line[strcspn(line, "\n")] = '\0';
    /* The rest is read, so that the command does not die of a closed pipe. */
    char rest[256];
    while (fgets(rest, sizeof(rest), pipe) != NULL)
        continue;
    return pclose(pipe) == 0;
}

/* ---- the machine and the build ---------------------------------------------------------------------------------------- */

static void
look_at_machine(Findings *findings)
{
    const Host *host = host_get();
    char l1[UNITS_SIZE], l2[UNITS_SIZE], l3[UNITS_SIZE], memory[UNITS_SIZE];
    findings_add(findings, FINDING_OK, "processor", NULL, "%s, %d %s for this process", host->processor, host->cores,
                 host->cores == 1 ? "core" : "cores");
    findings_add(findings, FINDING_OK, "caches", NULL, "L1 %s and L2 %s a core, L3 %s",
                 units_bytes(l1, (double)host->cache[1]), units_bytes(l2, (double)host->cache[2]),
                 units_bytes(l3, (double)host->cache[3]));
    findings_add(findings, FINDING_OK, "memory", NULL, "%s", units_bytes(memory, (double)host->memory));
    findings_add(findings, FINDING_OK, "system", NULL, "%s", host->system);

    double load = 0.0;
    if (getloadavg(&load, 1) == 1 && load > 0.5 * host->cores)
        findings_add(findings, FINDING_NOTE, "load", "measure when nothing else runs",
                     "%.1f processes wanted a core in the last minute, there are %d", load, host->cores);
}

/* Asking OpenMP how many threads it would start is not the same as starting them. */
static int
threads_started(void)
{
    int started = 0;
#pragma omp parallel reduction(+ : started)
    started += 1;
    return started;
}

/* Which kind of machine this is, and whether the build makes use of it. */
static void
compare_instructions(Findings *findings)
{
    char here[INSTRUCTIONS_SIZE], used[INSTRUCTIONS_SIZE], l2[UNITS_SIZE];
    instructions_text(instructions_of_processor(), here);
    instructions_text(instructions_of_build(), used);
    const bool all = strcmp(here, used) == 0;
    findings_add(findings, all ? FINDING_OK : FINDING_NOTE, "vectors",
                 all ? NULL : "make clean and make compile for this processor",
                 "the processor has %s, L2 of %s; this build uses %s", here,
                 units_bytes(l2, (double)host_get()->cache[2]), all ? "all of it" : used);
}

static void
look_at_build(Findings *findings)
{
    const Host *host = host_get();
    char variant[VARIANTS_TEXT_SIZE];
    findings_add(findings, FINDING_OK, "compiler", NULL, "%s %s", host->compiler, RUNGS_FLAGS);
    findings_add(findings, FINDING_OK, "variant", NULL, "%s", variants_text(variant));
    compare_instructions(findings);
    if (host->openmp == 0) {
        findings_add(findings, FINDING_MISSING, "OpenMP",
                     "a compiler with OpenMP (make CC=gcc), and no OMP=0 on make's command line",
                     "this build has none: everything runs on one core");
        return;
    }
    const int wanted = host_threads(), started = threads_started();
    if (started < wanted)
        findings_add(findings, FINDING_BROKEN, "OpenMP", "look at OMP_THREAD_LIMIT and at the limits of this container",
                     "%d threads wanted, %d started", wanted, started);
    else if (started > host->cores)
        findings_add(findings, FINDING_NOTE, "OpenMP", "set OMP_NUM_THREADS to the number of cores, or unset it",
                     "%d threads started on %d cores: they wait for each other", started, host->cores);
    else
        findings_add(findings, FINDING_OK, "OpenMP", NULL, "%d of %d threads started, version %d", started, wanted,
                     host->openmp);
}

/* ---- does MPI really work here? Two processes are started as every MPI program of this project is, and exchange a number ----- */

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

static void
look_at_mpi(Findings *findings)
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

/* ---- software, data, environment -------------------------------------------------------------------------------------- */

static void
look_for_cuda(Findings *findings)
{
    char compiler[160], device[160];
    const bool nvcc = first_line("nvcc --version 2>/dev/null | sed -n 's/.*\\(release [0-9.]*\\).*/\\1/p'", compiler,
                                 sizeof(compiler)) &&
                      compiler[0] != '\0';
    const bool gpu = first_line("nvidia-smi --query-gpu=name,memory.total --format=csv,noheader 2>/dev/null", device,
                                sizeof(device)) &&
                     device[0] != '\0';
    /* Kernels run on the emulator, so nothing is missing without. */
    findings_add(findings, FINDING_OK, "CUDA", NULL, "%s%s, %s; %s", nvcc ? "nvcc " : "no nvcc", nvcc ? compiler : "",
                 gpu ? device : "no GPU", gpu ? "--device gpu" : "kernels run on the emulator: --device emulator");
}

static void
look_for_libraries(Findings *findings)
{
    char check[80];
    findings_add(findings, FINDING_OK, "zlib", NULL, "%s", zlibVersion());
    findings_add(findings, FINDING_OK, "cJSON", NULL, "%s", cJSON_Version());
    if (first_line("pkg-config --modversion check 2>/dev/null", check, sizeof(check)))
        findings_add(findings, FINDING_OK, "Check", NULL, "%s", check);
    else
        findings_add(findings, FINDING_MISSING, "Check", "./setup.sh installs it",
                     "not found: no `make test`, no labs");
}

/* What the benchmarks measure our kernels against. */
static void
look_for_peers(Findings *findings)
{
    const struct {
        const char *name;
        bool (*here)(const int *size, Error *reason);
        const char *(*describe)(void);
    } peers[] = {{"OpenBLAS", openblas_accepts, openblas_describe},
                 {"BLIS", blis_accepts, blis_describe},
                 {"oneDNN", onednn_accepts, onednn_describe}};
    for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++)
        findings_add(findings, peers[i].here(NULL, NULL) ? FINDING_OK : FINDING_MISSING, peers[i].name, NULL, "%s",
                     peers[i].describe());
}

static void
look_for_programs(Findings *findings)
{
    static const struct {
        const char *name, *command, *use;
    } programs[] = {
        {"gnuplot", "gnuplot --version 2>/dev/null", "not found: no figures"},
        {"curl", "curl --version 2>/dev/null", "not found: the larger data sets cannot be downloaded"},
        {"pandoc", "pandoc --version 2>/dev/null", "not found: no HTML of the lectures"},
    };
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        char line[160];
        if (first_line(programs[i].command, line, sizeof(line)))
            findings_add(findings, FINDING_OK, programs[i].name, NULL, "%.60s", line);
        else
            findings_add(findings, FINDING_MISSING, programs[i].name,
                         strcmp(programs[i].name, "pandoc") == 0 ? "./setup.sh --dev installs it"
                                                                 : "./setup.sh installs it",
                         "%s", programs[i].use);
    }
}

/* Opening a set is the only true check of it. `state` is what it means if that fails. */
static void
look_for_dataset(Findings *findings, const char *name, FindingState state)
{
    Dataset dataset;
    Error error;
    if (dataset_open(name, &dataset, &error)) {
        findings_add(findings, FINDING_OK, name, NULL, "%zu samples in %d classes", dataset.count, dataset.classes);
        dataset_free(&dataset);
    } else {
        findings_add(findings, state, name, NULL, "%s", error.text);
    }
}

static void
look_for_data(Findings *findings)
{
    look_for_dataset(findings, "digits", FINDING_BROKEN);
    look_for_dataset(findings, "iris", FINDING_BROKEN);
    look_for_dataset(findings, "mnist", FINDING_MISSING);
    look_for_dataset(findings, "fashion", FINDING_MISSING);
}

/* What changes the answer to "how fast is it", or which code runs, besides the handicaps. Names that end in * are beginnings. */
static const struct {
    const char *name, *effect;
} disturbing[] = {
    {"OPENBLAS_NUM_THREADS", "OpenBLAS and our rungs may use different numbers of threads"},
    {"GOTO_NUM_THREADS", "OpenBLAS and our rungs may use different numbers of threads"},
    {"OMP_NUM_THREADS", "this many threads instead of one a core"},
    {"OMP_THREAD_LIMIT", "never more threads than this"},
    {"OMP_DYNAMIC", "OpenMP may start fewer threads than requested"},
    {"OMP_PROC_BIND", "threads stay where they are put"},
    {"OMP_PLACES", "threads stay where they are put"},
    {"GOMP_CPU_AFFINITY", "threads stay where they are put"},
    {"KMP_AFFINITY", "threads stay where they are put"},
    {"OMP_SCHEDULE", "loops are scheduled differently"},
    {"LD_PRELOAD", "other code takes the place of a library's"},
    {"MALLOC_*", "memory is allocated differently"},
    {"OMPI_MCA_*", "Open MPI works with other settings"},
    {"PRTE_MCA_*", "Open MPI's launcher works with other settings"},
    {"RUNGS_*", "ours: it does what its documentation says"},
};

static bool
variable_matches(const char *setting, const char *pattern)
{
    const size_t length = strlen(pattern);
    if (pattern[length - 1] == '*')
        return strncmp(setting, pattern, length - 1) == 0;
    return strncmp(setting, pattern, length) == 0 && setting[length] == '=';
}

/* Adds a note if the setting, as in NAME=value, is one of that name; returns how many it added. */
static int
note_setting(Findings *findings, const char *setting, const char *name, const char *effect)
{
    if (!variable_matches(setting, name))
        return 0;
    findings_add(findings, FINDING_NOTE, "environment", NULL, "%.120s: %s", setting, effect);
    return 1;
}

static void
look_at_environment(Findings *findings)
{
    int seen = 0;
    for (char **setting = environ; *setting != NULL; setting++) {
        for (int i = 0; i < HANDICAPS; i++)
            seen += note_setting(findings, *setting, handicaps[i].name, handicaps[i].effect);
        for (size_t i = 0; i < sizeof(disturbing) / sizeof(disturbing[0]); i++)
            seen += note_setting(findings, *setting, disturbing[i].name, disturbing[i].effect);
    }
    if (seen == 0)
        findings_add(findings, FINDING_OK, "environment", NULL, "no variable set that changes results or times");
}

void
doctor_look(Findings *findings)
{
    look_at_machine(findings);
    look_at_build(findings);
    look_at_mpi(findings);
    look_for_cuda(findings);
    look_for_libraries(findings);
    look_for_peers(findings);
    look_for_programs(findings);
    look_for_data(findings);
    look_at_environment(findings);
}
