/* allreduce, rung 11: auto.
 * Idea      no rung is best for every length. The model (mpi/model/) has measured alpha, beta and gamma of these ranks and
 *           knows what each rung sends: take the one for which it predicts the least time.
 * Before    one had to know the machine to choose.
 * Cost      that of the chosen rung and a look into a table of sizes, four to an octave. The first call measures, a second or
 *           two in the memory of one node, and rank 0 fills in the table for all: ranks that disagreed would wait for each other
 *           for ever. Other communicators with the same numbers of ranks and nodes reuse what rank 0 knows already.
 *           Where other programs disturb the machine so much that samples of one message differ (mpi/model/fit.h), nothing
 *           is predicted: it is then rung 4 for less than 16 KiB, and rung 7 from there on.
 * Wants     a machine that stays as it was in the first call, and private vectors: it decides as for these always. Vectors in
 *           the node's window are cheaper for rung 10; but a rank knows where its own vectors are, not where the others' are,
 *           and to agree on that before the choice would cost every call a message or a flag. Name rung 10 for them.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "allreduce.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/collectives/ladders.h"
#include "mpi/model/fit.h"
#include "mpi/window.h"
#include <pthread.h>

/* Classes of bytes, four to an octave: 4, 5, 6, 7, then 8 .. 9, 10 .. 11, 12 .. 13, 14 .. 15, then 16 .. 19, .. The last is
 * for all that is longer. */
static int
class_of(size_t bytes)
{
    if (bytes < 4)
        return 0;
    const int top = 63 - __builtin_clzll(bytes), class = 4 * (top - 1) + (int)(bytes >> (top - 2) & 3);
    return class < MODEL_CHOICES ? class : MODEL_CHOICES - 1;
}

/* Where a class begins. */
static size_t
class_bytes(int class)
{
    return class < 4 ? 1 : (size_t)(4 + class % 4) << (class / 4 - 1);
}

/* The rungs that these ranks can use; an empty name, which no model knows, stands for the others. */
static void
usable_rungs(Comm *comm, const char **names)
{
    for (int i = 0; i < allreduce_ladder.count; i++) {
        const CollectiveRung *rung = &allreduce_ladder.rungs[i];
        const bool usable = !rung->peer && rung->function != (CollectiveFunction *)allreduce_auto &&
                            (rung->accepts == NULL || rung->accepts(comm, 1, ELEMENT_FLOAT, NULL));
        names[i] = usable ? rung->name : "";
    }
}

enum { RUNGS_MOST = 32 };

/* Where the model knows nothing: few messages for short vectors, few bytes for long ones, and near the best of both where the
 * number of ranks is a power of two (Thakur, Rabenseifner and Gropp 2005, who choose so). */
static int
safe_choice(size_t bytes)
{
    enum { LONG = 16 << 10 };
    const char *name = bytes < LONG ? "recursive_doubling" : "rabenseifner";
    return (int)(collective_rung(&allreduce_ladder, name) - allreduce_ladder.rungs);
}

static void
choose_for_all_sizes(Comm *comm)
{
    const CostParameters *network = cost_parameters_of(comm);
    CommModel *model = comm->model;
    const char *names[RUNGS_MOST];
    CHECK_THAT(allreduce_ladder.count <= RUNGS_MOST, "%d rungs, at most %d", allreduce_ladder.count, RUNGS_MOST);
    usable_rungs(comm, names);
    for (int class = 0; comm->rank == 0 && class < MODEL_CHOICES; class ++) {
        const size_t n = class_bytes(class) / sizeof(float) + 1;
        /* A model of thousands of segments takes its time, and the best rung for a long vector is best for longer ones. */
        if (class_bytes(class) > 64u << 20) {
            model->choice[class] = model->choice[class - 1];
            continue;
        }
        if (network->noisy) {
            model->choice[class] = (unsigned char)safe_choice(class_bytes(class));
            continue;
        }
        const CostCase what = cost_case(comm, "allreduce", "", n, ELEMENT_FLOAT, false);
        const int best = cost_best(&what, names, allreduce_ladder.count, network, NULL);
        model->choice[class] = (unsigned char)(best < 0 ? 0 : best);
    }
    CHECK_MPI(MPI_Bcast(model->choice, MODEL_CHOICES, MPI_UNSIGNED_CHAR, 0, comm->mpi));
    model->chosen = true;
}

/* ---- models that other communicators may use --------------------------------------------------------------------------- */

/* What two communicators must have in common. */
typedef struct Layout {
    int size, nodes, node_smallest, node_largest, window;
} Layout;

typedef struct Known {
    Layout layout;
    CommModel model;
    struct Known *next;
} Known;

/* Global: a communicator knows nothing of another one. They are freed with the program. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static Known *known_models;

static Layout
layout_of(Comm *comm)
{
    return (Layout){comm->size, comm->nodes, comm->node_smallest, comm->node_largest, window_possible(comm, NULL)};
}

static bool
recall(const Layout *layout, CommModel *model)
{
    pthread_mutex_lock(&mutex);
    const Known *known = known_models;
    while (known != NULL && memcmp(&known->layout, layout, sizeof(*layout)) != 0)
        known = known->next;
    if (known != NULL)
        *model = known->model;
    pthread_mutex_unlock(&mutex);
    return known != NULL;
}

static void
remember(const Layout *layout, const CommModel *model)
{
    Known *known = ARRAY(Known, 1);
    *known = (Known){.layout = *layout, .model = *model};
    pthread_mutex_lock(&mutex);
    known->next = known_models;
    known_models = known;
    pthread_mutex_unlock(&mutex);
}

/* Rank 0 decides for all, from what it knows: the others may have been in other communicators. */
static void
choose(Comm *comm)
{
    const Layout layout = layout_of(comm);
    CommModel model = {.chosen = false};
    if (comm->model == NULL && comm->rank == 0)
        recall(&layout, &model);
    CHECK_MPI(MPI_Bcast(&model, sizeof(model), MPI_BYTE, 0, comm->mpi));
    if (!model.chosen) {
        choose_for_all_sizes(comm);
        remember(&layout, comm->model);
        return;
    }
    if (comm->model == NULL)
        comm->model = ARRAY(CommModel, 1);
    *comm->model = model;
}

void
allreduce_auto(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    if (comm->model == NULL || !comm->model->chosen)
        choose(comm);
    const CollectiveRung *rung = &allreduce_ladder.rungs[comm->model->choice[class_of(n * element_size(type))]];
    ((AllReduce *)rung->function)(comm, x, y, n, type, op);
}
