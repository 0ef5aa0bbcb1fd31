/* MPI_Init, MPI_Init_thread: what all communicators of the program will share is made here, where all ranks come together anyhow.
 * SPDX-License-Identifier: MIT */
#include "core/checked_mpi.h"
#include "mpi/dropin/internal.h"
#include "mpi/window_pool.h"

/* Global, because the interface has no place for them. */
static World world;
static int end_key = MPI_KEYVAL_INVALID;

/* MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF, while everything still works. */
static int
end(MPI_Comm mpi, int key, void *attribute, void *extra)
{
    (void)mpi, (void)key, (void)attribute, (void)extra;
    choice_report();
    communicators_end();
    if (world.size > 1) {
        window_pool_free(world.pool);
        CHECK_MPI(PMPI_Group_free(&world.group));
        CHECK_MPI(PMPI_Comm_free(&world.messages));
    }
    return MPI_SUCCESS;
}

/* Ranks on different rungs would wait for messages that are never sent. */
static void
agree_on_choice(void)
{
    int most[2] = {choice_checksum(), -choice_checksum()};
    CHECK_MPI(PMPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    CHECK_THAT(most[0] == -most[1], "the variables RUNGS_.. are not the same on all ranks: mpirun -x NAME exports one");
}

static void
share(void)
{
    int found = 0, *highest = NULL;
    present_check();
    agree_on_choice();
    CHECK_MPI(PMPI_Comm_dup(MPI_COMM_WORLD, &world.messages));
    CHECK_MPI(PMPI_Comm_set_errhandler(world.messages, MPI_ERRORS_RETURN));
    CHECK_MPI(PMPI_Comm_group(MPI_COMM_WORLD, &world.group));
    CHECK_MPI(PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, (void *)&highest, &found));
    world.tags = found ? *highest : 32767; /* MPI guarantees this number */
    world.pool = window_pool_create(world.messages);
    communicators_start(&world);
    dropin_comm(MPI_COMM_WORLD, true); /* so that it is ours from the first call on, whichever that is */
}

static void
start(void)
{
    CHECK_MPI(PMPI_Comm_rank(MPI_COMM_WORLD, &world.rank));
    CHECK_MPI(PMPI_Comm_size(MPI_COMM_WORLD, &world.size));
    choice_start();
    if (world.size > 1)
        share();
    CHECK_MPI(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &end_key, NULL));
    CHECK_MPI(PMPI_Comm_set_attr(MPI_COMM_SELF, end_key, NULL));
}

int
MPI_Init(int *argc, char ***argv)
{
    const int code = PMPI_Init(argc, argv);
    if (code == MPI_SUCCESS)
        start();
    return code;
}

int
MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const int code = PMPI_Init_thread(argc, argv, required, provided);
    if (code == MPI_SUCCESS)
        start();
    return code;
}
