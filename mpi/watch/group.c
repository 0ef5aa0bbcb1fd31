/* SPDX-License-Identifier: MIT */
#include "mpi/watch/group.h"
#include "core/array.h"
#include "mpi/watch/requests.h"

/* Global, as communicators are. */
static int key = MPI_KEYVAL_INVALID;
static MPI_Comm last_comm;
static Group *last; /* of last_comm: programs use the same one many times */

enum { BIRTHS = 256 };
static uint64_t births[BIRTHS]; /* which ranks' communicators were made, in order */
static int birth_count;

static int
forget(MPI_Comm comm, int number, void *value, void *extra)
{
    (void)comm, (void)number, (void)extra;
    Group *group = value;
    requests_forget(group);
    last = NULL;
    array_free(group->world);
    array_free(group);
    return MPI_SUCCESS;
}

/* FNV-1a over the ranks: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t
hash(const int *ranks, int count)
{
    uint64_t value = 14695981039346656037u;
    for (int i = 0; i < count; i++)
        value = (value ^ (uint64_t)ranks[i]) * 1099511628211u;
    return value;
}

static void
name_members(Group *group, MPI_Comm comm)
{
    int between = 0;
    MPI_Group here, world;
    PMPI_Comm_test_inter(comm, &between);
    if (between)
        PMPI_Comm_remote_group(comm, &here);
    else
        PMPI_Comm_group(comm, &here);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_size(here, &group->size);
    int *ranks = ARRAY(int, (size_t)group->size);
    group->world = ARRAY(int, (size_t)group->size);
    for (int i = 0; i < group->size; i++)
        ranks[i] = i;
    PMPI_Group_translate_ranks(here, group->size, ranks, world, group->world);
    PMPI_Group_free(&here);
    PMPI_Group_free(&world);
    array_free(ranks);
}

static Group *
create(MPI_Comm comm)
{
    Group *group = ARRAY(Group, 1);
    name_members(group, comm);
    group->id = hash(group->world, group->size);
    for (int i = 0; i < group->size; i++)
        if (group->world[i] >= 0 && group->world[i] < 64)
            group->members |= (uint64_t)1 << group->world[i];
    if (key == MPI_KEYVAL_INVALID)
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
    PMPI_Comm_set_attr(comm, key, group);
    return group;
}

Group *
group_of(MPI_Comm comm)
{
    if (last != NULL && comm == last_comm)
        return last;
    int known = 0;
    Group *group = NULL;
    if (key != MPI_KEYVAL_INVALID)
        PMPI_Comm_get_attr(comm, key, &group, &known);
    last = known ? group : create(comm);
    last_comm = comm;
    return last;
}

void
group_born(MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL)
        return;
    Group *group = group_of(comm);
    const uint64_t ranks = group->id;
    for (int i = 0; i < birth_count; i++)
        group->id += births[i] == ranks;
    group->id++; /* the first is not MPI_COMM_WORLD */
    if (birth_count < BIRTHS)
        births[birth_count++] = ranks;
}

int
group_world(const Group *group, int rank)
{
    return rank >= 0 && rank < group->size ? group->world[rank] : -1;
}
