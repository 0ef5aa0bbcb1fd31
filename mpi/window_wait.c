/* What a rank does while it waits for a flag of another. SPDX-License-Identifier: MIT */
#include "core/checked_mpi.h"
#include "mpi/window.h"
#include <sched.h>

static inline void
relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

const WindowWatch *window_watch; /* global, because there is one watchdog in a process */

static void
wait_a_little(const NodeWindow *window, unsigned looks)
{
    const Comm *comm = window->comm;
    const bool polls = comm_polls(comm);
    if (looks < window->patience && !polls) {
        relax();
        return;
    }
    /* MPI moves a message on only while it is called, and the rank that we wait for may wait for one of ours: across the nodes in
     * this very call, or, whatever the nodes, for one that the program sends besides. */
    enum { SELDOM = 16 };
    if (polls || window->several_nodes || looks % SELDOM == SELDOM - 1) {
        int there;
        CHECK_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm->messages, &there, MPI_STATUS_IGNORE));
    }
    if (polls)
        comm->yield(comm->yield_context, looks);
    else
        sched_yield();
}

/* Tells the watchdog whose part of the buffers the flag is in. */
static void
tell(const WindowWatch *watch, const NodeWindow *window, const _Atomic uint64_t *number)
{
    const Comm *node = window->comm->node ? window->comm->node : window->comm;
    const uintptr_t at = (uintptr_t)number;
    int rank = -1;
    for (int i = 0; i < window->ranks; i++)
        if (at >= (uintptr_t)window->staging->part[i] && at - (uintptr_t)window->staging->part[i] < WINDOW_STAGING)
            rank = node->at ? node->at[i] : i;
    watch->begin(node->messages, rank);
}

void
window_wait(const NodeWindow *window, const _Atomic uint64_t *number, uint64_t at_least)
{
    enum { SHORT = 1 << 14 }; /* polls: milliseconds */
    const WindowWatch *watch = NULL;
    for (unsigned looks = 0; atomic_load_explicit(number, memory_order_acquire) < at_least; looks++) {
        if (looks >= SHORT && watch == NULL && window_watch != NULL && !comm_polls(window->comm)) {
            watch = window_watch;
            tell(watch, window, number);
        }
        wait_a_little(window, looks);
    }
    if (watch != NULL)
        watch->end();
}
