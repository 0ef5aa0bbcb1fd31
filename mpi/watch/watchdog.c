/* SPDX-License-Identifier: MIT */
#include "mpi/watch/watchdog.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/watch/waits.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const double interval = 0.1;     /* seconds between two looks */
static const double slow_network = 1e7; /* bytes a second: a long message is given time */

/* Global, because there is one MPI in a process. */
static Doing *ranks; /* [size], shared */
static int size;
static double patience;
static pthread_t thread;
static sem_t stop;
static bool watching; /* this rank has the thread */

typedef struct Seen {
    uint64_t *moves; /* [size] at the last look */
    double *still;   /* seconds since they changed */
    bool told;       /* what cannot be decided here is said once */
} Seen;

/* ---- memory that all ranks of the machine see ------------------------------------------------------------------- */

/* NULL, with errno set, if there is no room. */
static Doing *
map_file(const char *path)
{
    const size_t bytes = (size_t)size * sizeof(Doing);
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return NULL;
    errno = posix_fallocate(file, 0, (off_t)bytes); /* now, not as a bus error later */
    void *memory = errno == 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Every rank opens the file of this name, and makes it if it is the first of its machine; when all have it, the name goes, and
 * nothing is left behind, whatever ends the run. False: this rank goes unwatched. */
static bool
share(int rank)
{
    char path[256] = "";
    if (rank == 0) {
        const char *folder = getenv("RUNGS_WATCH_FOLDER");
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(path, sizeof(path), "%s/rungs-watch-%ld-%ld.%09ld", folder != NULL ? folder : "/dev/shm",
                 (long)getpid(), (long)now.tv_sec, now.tv_nsec);
    }
    CHECK_MPI(PMPI_Bcast(path, sizeof(path), MPI_CHAR, 0, MPI_COMM_WORLD));
    ranks = map_file(path);
    if (ranks != NULL)
        ranks[rank].state = STATE_RUNNING;
    else
        fprintf(stderr, "rungs: rank %d runs without a watchdog: %s: %s; RUNGS_WATCHDOG=0 does without it silently\n",
                rank, path, strerror(errno));
    CHECK_MPI(PMPI_Barrier(MPI_COMM_WORLD));
    unlink(path); /* all but one rank find it gone */
    return ranks != NULL;
}

/* ---- looking ---------------------------------------------------------------------------------------------------- */

/* Whether nobody has moved since the last look. A record that changes while it is copied is one that moves: a rank notes what it
 * waits for before it counts the beginning of the call. */
static bool
nobody_moved(Seen *seen, Doing *now)
{
    bool still = true;
    for (int r = 0; r < size; r++) {
        const uint64_t moves = atomic_load_explicit(&ranks[r].moves, memory_order_acquire);
        memcpy(&now[r], &ranks[r], sizeof(Doing));
        atomic_thread_fence(memory_order_acquire); /* or the copy could be later than this look */
        const uint64_t after = atomic_load_explicit(&ranks[r].moves, memory_order_relaxed);
        atomic_store_explicit(&now[r].moves, moves, memory_order_relaxed);
        const bool same = moves == seen->moves[r] && moves == after;
        still = still && same;
        seen->still[r] = same ? seen->still[r] + interval : 0;
        seen->moves[r] = after;
    }
    return still;
}

/* Counted in looks, so that time in which the machine slept is none. */
static bool
patience_is_over(const Seen *seen, const Doing *now)
{
    double least = seen->still[0];
    uint64_t longest = 0;
    for (int r = 0; r < size; r++) {
        if (now[r].state != STATE_ELSEWHERE && seen->still[r] < least)
            least = seen->still[r];
        if (now[r].wait.bytes > longest && (now[r].wait.way == WAY_TO || now[r].wait.way == WAY_FROM))
            longest = now[r].wait.bytes;
    }
    return least >= patience + (double)longest / slow_network;
}

/* One write, so that other ranks' lines do not mix with it. */
static void
tell(const Seen *seen, const Doing *now, bool end, bool runs)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return;
    fprintf(out, "rungs: no rank has moved for %.0f s:\n", patience);
    waits_print(out, now, seen->still, size);
    if (end)
        fprintf(
            out,
            "rungs: the watchdog ends the run with status %d; RUNGS_WATCHDOG=60 lets it wait a minute, 0 for ever\n",
            WATCHDOG_STATUS);
    else
        fprintf(out, "rungs: the run goes on: %s\n",
                runs ? "no member is missing from a collective, and how far the library has come with it is not seen"
                     : "what ranks on other machines do is not seen from here");
    fclose(out);
    for (size_t done = 0; done < length;) {
        const ssize_t written = write(STDERR_FILENO, text + done, length - done);
        if (written <= 0)
            break;
        done += (size_t)written;
    }
    free(text);
}

static void
alarm_ranks(Seen *seen, const Doing *now, int *cycle)
{
    bool all_here = true;
    for (int r = 0; r < size; r++)
        all_here = all_here && now[r].state != STATE_ELSEWHERE;
    const bool runs = waits_collective_runs(now, size);
    const bool end = (all_here && !runs) || waits_cycle(now, size, cycle) > 0;
    if (!end && seen->told)
        return;
    tell(seen, now, end, runs);
    seen->told = true;
    if (!end)
        return;
    fflush(stdout);
    _exit(WATCHDOG_STATUS); /* the launcher then ends the others; no call of MPI is safe here */
}

static bool
told_to_stop(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(interval * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return sem_timedwait(&stop, &until) == 0;
}

static void *
look(void *unused)
{
    (void)unused;
    Seen seen = {ARRAY(uint64_t, (size_t)size), ARRAY(double, (size_t)size), false};
    Doing *now = ARRAY(Doing, (size_t)size);
    int *cycle = ARRAY(int, (size_t)size);
    while (!told_to_stop())
        if (!nobody_moved(&seen, now))
            seen.told = false;
        else if (waits_all(now, size) && patience_is_over(&seen, now))
            alarm_ranks(&seen, now, cycle);
    array_free(seen.moves);
    array_free(seen.still);
    array_free(now);
    array_free(cycle);
    return NULL;
}

/* ---- begin and end ---------------------------------------------------------------------------------------------- */

static void
note_end(void)
{
    doing_mine->state = STATE_ENDED;
}

void
watchdog_start(double seconds)
{
    int rank = 0, lowest = 0;
    CHECK_MPI(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_MPI(PMPI_Comm_size(MPI_COMM_WORLD, &size));
    patience = seconds;
    if (!share(rank))
        return;
    while (ranks[lowest].state == STATE_ELSEWHERE)
        lowest++;
    doing_mine = &ranks[rank];
    watch_on |= WATCH_DOING;
    atexit(note_end);
    if (rank != lowest)
        return;
    CHECK_ERRNO(sem_init(&stop, 0, 0));
    CHECK_ZERO(pthread_create(&thread, NULL, look, NULL));
    watching = true;
}

void
watchdog_stop(void)
{
    doing_mine->state = STATE_ENDED;
    if (!watching)
        return;
    sem_post(&stop);
    pthread_join(thread, NULL);
    watching = false;
}
