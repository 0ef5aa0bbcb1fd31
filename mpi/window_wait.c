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

void
window_pause(const NodeWindow *window, unsigned looks)
{
    const bool naps = comm_naps(window->comm);
    if (looks < window->patience && !naps) {
        relax();
        return;
    }
    /* MPI moves a message on only while it is called, and the rank that we wait for may wait for one of ours: across the nodes in
     * this very call, or, whatever the nodes, for one that the program sends besides. */
    enum { SELDOM = 16 };
    if (naps || window->several_nodes || looks % SELDOM == SELDOM - 1) {
        int there;
        CHECK_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, window->comm->messages, &there, MPI_STATUS_IGNORE));
    }
    if (naps)
        comm_take_nap(window->comm, looks);
    else
        sched_yield();
}
