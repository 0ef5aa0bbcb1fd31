/* rungs backends: what gloo, MPI and NCCL can do in PyTorch, beside what is here. SPDX-License-Identifier: MIT */
#include "cli/backends.h"
#include "cli/cli.h"
#include "core/csv.h"
#include "core/host.h"
#include "core/json.h"
#include "core/process.h"
#include <stdio.h>
#include <string.h>
#ifdef HAVE_MPI
#include "mpi/collectives/collectives.h"
#include "mpi/device_memory.h"
#endif

/* PyTorch's manual, docs/source/distributed.md at commit 0015d6b; other versions differ in some cells. */
const char *const backend_columns[BACKEND_COLUMNS] = {"gloo CPU", "gloo GPU", "mpi CPU",
                                                      "mpi GPU",  "nccl CPU", "nccl GPU"};
const BackendRow backend_rows[BACKEND_OPERATIONS] = {
    {"send", "yny?ny", NULL},
    {"recv", "yny?ny", NULL},
    {"broadcast", "yyy?ny", "broadcast"},
    {"all_reduce", "yyy?ny", "allreduce"},
    {"reduce", "yyy?ny", "reduce"},
    {"all_gather", "yyy?ny", "all_gather"},
    {"gather", "yyy?ny", "gather"},
    {"scatter", "yyy?ny", "scatter"},
    {"reduce_scatter", "yynnny", "reduce_scatter"},
    {"all_to_all", "yyy?ny", "all_to_all"},
    {"barrier", "yny?ny", "barrier"},
};

static struct {
    const char *csv, *json;
} o;

static const Option options[] = {
    {"csv", OPTION_OUTPUT, &o.csv, "FILE", "write the table"},
    {"json", OPTION_OUTPUT, &o.json, "FILE", "write the same, and which rungs there are"},
    {0},
};

static const Command command = {
    .name = "rungs backends",
    .positional = "",
    .summary = "what the backends of torch.distributed can do, beside what is here",
    .options = options,
    .notes = "How fast: rungs bench allreduce, and every other collective in the table.\n",
};

/* ---- what is here ----------------------------------------------------------------------------------------------------- */

#ifdef HAVE_MPI

static const CollectiveLadder *
ladder_of(const BackendRow *row)
{
    for (int i = 0; row->ladder != NULL && collective_ladders[i] != NULL; i++)
        if (strcmp(collective_ladders[i]->name, row->ladder) == 0)
            return collective_ladders[i];
    return NULL;
}

/* Names of our rungs, as "naive, ring"; returns how many. */
static int
rungs_of(const BackendRow *row, char text[512])
{
    const CollectiveLadder *ladder = ladder_of(row);
    int count = 0, length = 0;
    text[0] = '\0';
    for (int i = 0; ladder != NULL && i < ladder->count && length < 500; i++)
        if (!ladder->rungs[i].peer)
            length +=
                snprintf(text + length, 512 - (size_t)length, "%s%s", count++ > 0 ? ", " : "", ladder->rungs[i].name);
    if (row->ladder == NULL)
        snprintf(text, 512, "point_%s", strcmp(row->operation, "send") == 0 ? "send" : "receive");
    return row->ladder == NULL ? 1 : count;
}

static bool
takes_device_memory(void)
{
    process_start_alone();
    return mpi_takes_device_memory();
}

#else

static int
rungs_of(const BackendRow *row, char text[512])
{
    (void)row;
    text[0] = '\0';
    return 0;
}

static bool
takes_device_memory(void)
{
    return false;
}

#endif

/* ---- showing ---------------------------------------------------------------------------------------------------------- */

static const char *
cell_text(char cell)
{
    return cell == 'y' ? "yes" : cell == 'n' ? "no" : "?";
}

static void
print_table(bool aware)
{
    char rungs[512];
    printf("torch.distributed, as PyTorch's manual says (docs/source/distributed.md at 0015d6b), and rungs:\n\n%-15s",
           "");
    for (int c = 0; c < BACKEND_COLUMNS; c++)
        printf(" %-8s", backend_columns[c]);
    printf("  %s\n", "rungs");
    for (int i = 0; i < BACKEND_OPERATIONS; i++) {
        printf("%-15s", backend_rows[i].operation);
        for (int c = 0; c < BACKEND_COLUMNS; c++)
            printf(" %-8s", cell_text(backend_rows[i].cell[c]));
        printf("  %s\n", rungs_of(&backend_rows[i], rungs) > 0 ? rungs : "no");
    }
    printf("\n?: if PyTorch was built with an MPI that takes pointers to device memory.\n");
    if (host_get()->mpi[0] == '\0')
        printf("This build of rungs is without MPI, and so without collectives.\n");
    else
        printf("%s here %s pointers to device memory%s.\n", host_get()->mpi, aware ? "takes" : "does not take",
               aware ? "" : ": what is on a GPU must be copied to the host and back");
}

static bool
write_csv(Error *error)
{
    char header[256] = "operation", rungs[512];
    for (int c = 0; c < BACKEND_COLUMNS; c++)
        snprintf(header + strlen(header), sizeof header - strlen(header), ",%s", backend_columns[c]);
    snprintf(header + strlen(header), sizeof header - strlen(header), ",rungs");
    Csv *csv = csv_create(o.csv, header, error);
    if (csv == NULL)
        return false;
    for (int i = 0; i < BACKEND_OPERATIONS; i++) {
        csv_text(csv, backend_rows[i].operation);
        for (int c = 0; c < BACKEND_COLUMNS; c++)
            csv_text(csv, cell_text(backend_rows[i].cell[c]));
        csv_add(csv, "%d\n", rungs_of(&backend_rows[i], rungs));
    }
    return csv_close(csv, error);
}

static bool
write_json(bool aware, Error *error)
{
    char rungs[512];
    cJSON *json = cJSON_CreateObject();
    json_add(json, "source %s, mpi %s", "PyTorch, docs/source/distributed.md at 0015d6b", host_get()->mpi);
    cJSON_AddBoolToObject(json, "mpi_takes_device_memory", aware);
    cJSON *operations = cJSON_AddArrayToObject(json, "operations");
    for (int i = 0; i < BACKEND_OPERATIONS; i++) {
        cJSON *row = cJSON_CreateObject();
        json_add(row, "operation %s", backend_rows[i].operation);
        for (int c = 0; c < BACKEND_COLUMNS; c++)
            cJSON_AddStringToObject(row, backend_columns[c], cell_text(backend_rows[i].cell[c]));
        rungs_of(&backend_rows[i], rungs);
        json_add(row, "rungs %s", rungs);
        cJSON_AddItemToArray(operations, row);
    }
    const bool written = json_write(o.json, json, error);
    cJSON_Delete(json);
    return written;
}

int
command_backends(int argc, char **argv)
{
    int positional, status;
    Error error = {""};
    if (!cli_parse(&command, argc, argv, &positional, &status))
        return status;
    const bool aware = takes_device_memory();
    if (process_rank() != 0)
        return STATUS_DONE;
    print_table(aware);
    if ((o.csv == NULL || write_csv(&error)) && (o.json == NULL || write_json(aware, &error)))
        return STATUS_DONE;
    return cli_fail(command.name, STATUS_FAILED, &error);
}
