/* rungs doctor: CUDA, libraries, programs, data sets, and environment variables that change results or times.
 * SPDX-License-Identifier: MIT */
#include "cli/doctor.h"
#include "cpu/gemm/peers.h"
#include "cpu/onednn.h"
#include "cpu/openblas.h"
#include "data/dataset.h"
#include "ladder/handicaps.h"
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

extern char **environ;

static void
look_for_cuda(Findings *findings)
{
    char compiler[160], device[160];
    const bool nvcc = doctor_first_line("nvcc --version 2>/dev/null | sed -n 's/.*\\(release [0-9.]*\\).*/\\1/p'",
                                        compiler, sizeof(compiler)) &&
                      compiler[0] != '\0';
    const bool gpu = doctor_first_line("nvidia-smi --query-gpu=name,memory.total --format=csv,noheader 2>/dev/null",
                                       device, sizeof(device)) &&
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
    if (doctor_first_line("pkg-config --modversion check 2>/dev/null", check, sizeof(check)))
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
        if (doctor_first_line(programs[i].command, line, sizeof(line)))
            findings_add(findings, FINDING_OK, programs[i].name, NULL, "%.60s", line);
        else
            findings_add(findings, FINDING_MISSING, programs[i].name,
                         strcmp(programs[i].name, "pandoc") == 0 ? "./setup.sh --dev installs it"
                                                                 : "./setup.sh installs it",
                         "%s", programs[i].use);
    }
}

void
doctor_software(Findings *findings)
{
    look_for_cuda(findings);
    look_for_libraries(findings);
    look_for_peers(findings);
    look_for_programs(findings);
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
doctor_surroundings(Findings *findings)
{
    look_for_data(findings);
    look_at_environment(findings);
}
