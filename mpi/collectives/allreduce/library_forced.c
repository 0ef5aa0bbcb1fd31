/* The MPI library's all-reduce by a named algorithm: see library_forced.h. SPDX-License-Identifier: MIT */
#include "library_forced.h"
#include "allreduce.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include <string.h>

/* ---- control variables ------------------------------------------------------------------------------------------------ */

static int
close_tools(MPI_Comm mpi, int key, void *value, void *extra)
{
    (void)mpi, (void)key, (void)value, (void)extra;
    return MPI_T_finalize();
}

/* MPI's interface for tools: opened once, and closed in MPI_Finalize, which begins by deleting the attributes of MPI_COMM_SELF.
 * Open MPI loads all its components to list their variables, which may take a second, and unloads them when it is closed. */
static bool
tools_open(void)
{
    static bool open;
    int level, key;
    if (open)
        return true;
    open = MPI_T_init_thread(MPI_THREAD_SINGLE, &level) == MPI_SUCCESS;
    if (open) {
        CHECK_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close_tools, &key, NULL));
        CHECK_MPI(MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL));
        CHECK_MPI(MPI_Comm_free_keyval(&key)); /* it lives as long as the attribute */
    }
    return open;
}

/* Finds an int among the library's control variables, for its life. False if there is none of that name. */
static bool
variable_open(const char *name, MPI_T_cvar_handle *handle)
{
    int index, count;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, handle, &count) != MPI_SUCCESS)
        return false;
    if (count == 1)
        return true;
    MPI_T_cvar_handle_free(handle);
    return false;
}

static bool
library_can_be_told(void)
{
    MPI_T_cvar_handle rules;
    int on = 0;
    if (tools_open() && variable_open("coll_tuned_use_dynamic_rules", &rules)) {
        MPI_T_cvar_read(rules, &on);
        MPI_T_cvar_handle_free(&rules);
    }
    return (bool)on;
}

/* A variable of few values that have names. */
static bool
variable_name(MPI_T_cvar_handle handle, MPI_T_enum names, char *name, int size)
{
    int value, found, length, count = 0;
    if (names == MPI_T_ENUM_NULL || MPI_T_cvar_read(handle, &value) != MPI_SUCCESS ||
        MPI_T_enum_get_info(names, &count, NULL, NULL) != MPI_SUCCESS)
        return false;
    for (int i = 0; i < count; i++) {
        length = size;
        if (MPI_T_enum_get_item(names, i, &found, name, &length) == MPI_SUCCESS && found == value)
            return true;
    }
    return false;
}

const char *
library_single_copy(char name[32])
{
    static const char variable[] = "btl_vader_single_copy_mechanism";
    MPI_T_cvar_handle handle;
    MPI_T_enum names;
    MPI_Datatype type;
    int index, verbosity, bind, scope;
    bool known = false;
    if (tools_open() && MPI_T_cvar_get_index(variable, &index) == MPI_SUCCESS && variable_open(variable, &handle)) {
        known = MPI_T_cvar_get_info(index, NULL, NULL, &verbosity, &type, &names, NULL, NULL, &bind, &scope) ==
                    MPI_SUCCESS &&
                variable_name(handle, names, name, 32);
        MPI_T_cvar_handle_free(&handle);
    }
    if (!known)
        name[0] = '\0';
    return name;
}

static bool
accepts(Comm *comm, size_t n, Element type, Error *reason)
{
    (void)comm, (void)n, (void)type;
    if (library_can_be_told())
        return true;
    return error_set(reason, "this MPI library cannot be told its algorithm: Open MPI 4 can, if "
                             "OMPI_MCA_coll_tuned_use_dynamic_rules is not set to 0");
}

/* ---- a communicator for each algorithm, kept with the one that it was made from --------------------------------------- */

typedef struct Forced {
    MPI_Comm mpi[ALLREDUCE_FORCED]; /* MPI_COMM_NULL: not made yet */
} Forced;

/* What was called last, so that a loop of calls, as it is timed, looks nothing up. */
static struct {
    MPI_Comm of, with; /* of: MPI_COMM_NULL: nothing */
    int place;
} last = {.of = MPI_COMM_NULL};

static int
forced_free(MPI_Comm mpi, int key, void *value, void *extra)
{
    (void)key, (void)extra;
    Forced *forced = value;
    if (last.of == mpi)
        last.of = MPI_COMM_NULL; /* another communicator may get the same handle */
    for (int i = 0; i < ALLREDUCE_FORCED; i++)
        if (forced->mpi[i] != MPI_COMM_NULL)
            MPI_Comm_free(&forced->mpi[i]);
    array_free(forced);
    return MPI_SUCCESS;
}

static Forced *
forced_of(const Comm *comm)
{
    static int key = MPI_KEYVAL_INVALID; /* one for the process, as MPI counts keys */
    Forced *forced;
    int found;
    if (key == MPI_KEYVAL_INVALID)
        CHECK_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forced_free, &key, NULL));
    CHECK_MPI(MPI_Comm_get_attr(comm->mpi, key, (void *)&forced, &found));
    if (found)
        return forced;
    forced = ARRAY(Forced, 1);
    for (int i = 0; i < ALLREDUCE_FORCED; i++)
        forced->mpi[i] = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_set_attr(comm->mpi, key, forced));
    return forced;
}

/* The variable is read when a communicator is made, and 0 afterwards gives others their choice back. */
static MPI_Comm
make(const Comm *comm, int algorithm)
{
    MPI_Comm mpi;
    MPI_T_cvar_handle variable;
    const int nothing = 0;
    const bool told = tools_open() && variable_open("coll_tuned_allreduce_algorithm", &variable) &&
                      MPI_T_cvar_write(variable, &algorithm) == MPI_SUCCESS;
    CHECK_MPI(MPI_Comm_dup(comm->mpi, &mpi));
    CHECK_THAT(told, "algorithm %d of MPI_Allreduce", algorithm);
    MPI_T_cvar_write(variable, &nothing);
    MPI_T_cvar_handle_free(&variable);
    return mpi;
}

static MPI_Comm
forced_comm(const Comm *comm, int place)
{
    if (last.of == comm->mpi && last.place == place)
        return last.with;
    Forced *forced = forced_of(comm);
    if (forced->mpi[place] == MPI_COMM_NULL)
        forced->mpi[place] = make(comm, place + 1); /* 0 is the library's own choice */
    last.of = comm->mpi;
    last.with = forced->mpi[place];
    last.place = place;
    return last.with;
}

static void
run(int place, Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    Comm with = {.mpi = forced_comm(comm, place)};
    allreduce_mpi(&with, x, y, n, type, op);
}

/* ---- the rows --------------------------------------------------------------------------------------------------------- */

#define FORCED(place, algorithm)                                                                                       \
    static void forced_##algorithm(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)           \
    {                                                                                                                  \
        run(place, comm, x, y, n, type, op);                                                                           \
    }
#define ROW(algorithm)                                                                                                 \
    {                                                                                                                  \
        .name = "mpi:" #algorithm, .idea = "the library's MPI_Allreduce, by this algorithm", .peer = true,             \
        .function = (CollectiveFunction *)forced_##algorithm, .accepts = accepts                                       \
    }

FORCED(0, linear)
FORCED(1, nonoverlapping)
FORCED(2, recursive_doubling)
FORCED(3, ring)
FORCED(4, segmented_ring)
FORCED(5, rabenseifner)

const CollectiveRung allreduce_forced[ALLREDUCE_FORCED] = {
    ROW(linear), ROW(nonoverlapping), ROW(recursive_doubling), ROW(ring), ROW(segmented_ring), ROW(rabenseifner),
};
