/* rungs doctor: what this machine has, what is missing and what to do about it, as one block of text to paste.
 * SPDX-License-Identifier: MIT */
#include "cli/doctor.h"
#include "cli/cli.h"
#include "core/clock.h"
#include "core/json.h"
#include "core/process.h"
#include <stdio.h>
#include <string.h>

static const char *
state_word(FindingState state)
{
    static const char *const words[] = {"ok", "note", "missing", "BROKEN"};
    return words[state];
}

static int
count_state(const Findings *findings, FindingState state)
{
    int count = 0;
    for (int i = 0; i < findings->count; i++)
        count += findings->list[i].state == state;
    return count;
}

static const char *
verdict_of(const Findings *findings, char *text, size_t size)
{
    const int broken = count_state(findings, FINDING_BROKEN), missing = count_state(findings, FINDING_MISSING);
    if (broken > 0)
        snprintf(text, size, "rungs cannot work properly here: see the %s marked BROKEN.",
                 broken == 1 ? "line" : "lines");
    else if (missing > 0)
        snprintf(text, size, "rungs works here. %d optional %s missing.", missing,
                 missing == 1 ? "part is" : "parts are");
    else
        snprintf(text, size, "rungs works here, with everything that it can use.");
    return text;
}

static void
print_findings(const Findings *findings, const char *verdict)
{
    char date[32];
    clock_date(date);
    printf("rungs %s doctor, %s\n", RUNGS_VERSION, date);
    for (int i = 0; i < findings->count; i++) {
        const Finding *finding = &findings->list[i];
        printf("  %-8s %-12s %s\n", state_word(finding->state), finding->name, finding->text);
        if (finding->advice != NULL)
            printf("  %-8s %-12s -> %s\n", "", "", finding->advice);
    }
    printf("%s\n", verdict);
}

static cJSON *
findings_json(const Findings *findings, const char *verdict)
{
    cJSON *root = cJSON_CreateObject(), *list = cJSON_CreateArray();
    json_add(root, "version %s", RUNGS_VERSION);
    cJSON_AddItemToObject(root, "host", json_host());
    for (int i = 0; i < findings->count; i++) {
        const Finding *finding = &findings->list[i];
        cJSON *item = cJSON_CreateObject();
        json_add(item, "name %s, state %s, text %s", finding->name, state_word(finding->state), finding->text);
        if (finding->advice != NULL)
            json_add(item, "advice %s", finding->advice);
        cJSON_AddItemToArray(list, item);
    }
    cJSON_AddItemToObject(root, "findings", list);
    json_add(root, "verdict %s", verdict);
    return root;
}

static bool
write_json(const char *path, const Findings *findings, const char *verdict)
{
    Error error;
    cJSON *json = findings_json(findings, verdict);
    const bool written = json_write(path, json, &error);
    if (!written)
        fprintf(stderr, "rungs doctor: %s\n", error.text);
    cJSON_Delete(json);
    return written;
}

int
command_doctor(int argc, char **argv)
{
    const char *json = NULL;
    bool hello = false;
    const Option options[] = {
        {"json", OPTION_OUTPUT, &json, "FILE", "write the findings there too"},
        {"hello", OPTION_FLAG, &hello, NULL, "only be one of the processes of the MPI check (mpirun starts it)"},
        {0},
    };
    const Command command = {
        "rungs doctor", "", "say what this machine has, what is missing and what to do about it", options,
        "Exit status 1 if something that rungs needs does not work. Paste the output when you ask for help."};
    int positional, status;
    if (!cli_parse(&command, argc, argv, &positional, &status))
        return status;
    if (hello)
        return doctor_hello();
    if (process_rank() != 0)
        return STATUS_DONE;

    static Findings findings; /* too large for a small stack */
    findings.count = 0;
    doctor_look(&findings);
    char text[160];
    const char *verdict = verdict_of(&findings, text, sizeof(text));
    print_findings(&findings, verdict);
    if (json != NULL && !write_json(json, &findings, verdict))
        return STATUS_FAILED;
    return count_state(&findings, FINDING_BROKEN) > 0 ? STATUS_FAILED : STATUS_DONE;
}
