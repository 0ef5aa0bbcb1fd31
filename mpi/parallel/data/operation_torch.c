/* The peer of data-parallel training steps: see operation.h. SPDX-License-Identifier: MIT */
#include "core/checked_mpi.h"
#include "core/host.h"
#include "core/project.h"
#include "ladder/peer.h"
#include "mpi/collectives/operation.h"
#include "mpi/parallel/data/operation.h"

static DataSetting setting;
static const char *python;
static Peer peer; /* of rank 0 */
static bool has_peer;

static bool
start(int batch, Error *error)
{
    char program[PROJECT_PATH_MAX], text[3][24];
    const int numbers[] = {setting.comm->size, batch, host_threads()};
    for (int i = 0; i < 3; i++)
        snprintf(text[i], sizeof text[i], "%d", numbers[i]);
    char *argv[] = {(char *)python, program, "--serve", "--model", (char *)setting.net.model->name,
                    "--ranks",      text[0], "--batch", text[1],   "--threads",
                    text[2],        NULL};
    return project_file("tools/peers/torch_ddp.py", program, error) && peer_start(&peer, argv, error);
}

/* Rank 0 starts it, and all know whether it runs. */
static bool
accepts(const int *size, Error *reason)
{
    int started = has_peer || (setting.comm->rank == 0 && start(size[0], reason));
    collective_sleep(setting.comm);
    CHECK_MPI(MPI_Bcast(&started, 1, MPI_INT, 0, setting.comm->mpi));
    has_peer = started;
    return started;
}

/* The peer has ranks of its own: ours sleep. Seconds of a step, the same on all ranks. */
static double
measure(const int *size, double seconds, Error *error)
{
    double rate = 0;
    if (setting.comm->rank == 0)
        rate = peer_measure(&peer, seconds, error);
    collective_sleep(setting.comm);
    CHECK_MPI(MPI_Bcast(&rate, 1, MPI_DOUBLE, 0, setting.comm->mpi));
    return size[0] * setting.comm->size / rate;
}

static const char *
describe(void)
{
    return "PyTorch's DistributedDataParallel on as many ranks, with gloo: tools/peers/torch_ddp.py";
}

void
data_torch_add(const DataSetting *of, const char *with)
{
    setting = *of, python = with;
    data_operation_add_peer(
        (Rung){.name = "pytorch", .peer = true, .accepts = accepts, .measure = measure, .describe = describe});
}

void
data_torch_stop(FILE *out)
{
    if (!has_peer || setting.comm->rank != 0)
        return;
    fprintf(out, "\n  pytorch: %s\n", peer.description);
    peer_stop(&peer);
}
