/* SPDX-License-Identifier: MIT */
#include "mpi/watch/watchdog.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/watch/heartbeat.h"
#include "mpi/watch/waits.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const double interval = 0.1;     /* seconds between two looks */
static const double slow_network = 1e7; /* bytes a second: a long message is given time */

static const double stopped_tell = 5; /* seconds: then a stopped rank is told of, or sooner with less patience */

/* Global, because there is one MPI in a process. */
static Activity *ranks; /* [size], shared */
static int size, me;
static double patience, stopped_limit;
static pthread_t thread;
static sem_t stop;
static bool watching; /* there is a thread */

typedef struct Seen {
    uint64_t *moves; /* [size] at the last look */
    double *still;   /* seconds since they changed */
    Heartbeats heartbeats;
    bool told, told_stopped; /* what cannot be decided here is said once */
} Seen;

/* ---- memory that all ranks of the machine see ------------------------------------------------------------------- */

/* NULL, with errno set, if there is no room. */
static Activity *
map_file(const char *path)
{
    const size_t bytes = (size_t)size * sizeof(Activity);
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
    if (ranks != NULL) {
        heartbeat_begin(&ranks[rank]);
        ranks[rank].state = STATE_RUNNING;
    } else
        fprintf(stderr, "rungs: rank %d runs without a watchdog: %s: %s; RUNGS_WATCHDOG=0 does without it silently\n",
                rank, path, strerror(errno));
    CHECK_MPI(PMPI_Barrier(MPI_COMM_WORLD));
    unlink(path); /* all but one rank find it gone */
    return ranks != NULL;
}

/* ---- looking ---------------------------------------------------------------------------------------------------- */

/* Whether no rank has moved since the last look. A record that changes while it is copied is one that moves: a rank notes what
 * it waits for before it counts the beginning of the call. */
static bool
nobody_moved(Seen *seen, Activity *now)
{
    bool still = true;
    for (int r = 0; r < size; r++) {
        const uint64_t moves = atomic_load_explicit(&ranks[r].moves, memory_order_acquire);
        memcpy(&now[r], &ranks[r], sizeof(Activity));
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
patience_is_over(const Seen *seen, const Activity *now)
{
    double least = seen->still[0];
    uint64_t longest = 0;
    for (int r = 0; r < size; r++) {
        if (now[r].state != STATE_ELSEWHERE && seen->still[r] < least)
            least = seen->still[r];
        if (now[r].wait.bytes > longest && (now[r].wait.kind == WAIT_TO || now[r].wait.kind == WAIT_FROM))
            longest = now[r].wait.bytes;
    }
    return least >= patience + (double)longest / slow_network;
}

/* One write, so that other ranks' lines do not mix with it. */
static void
tell(const Seen *seen, const Activity *now, const char *why, const char *then)
{
    char *text = NULL;
    size_t length = 0;
    double *since = ARRAY(double, (size_t)size);
    FILE *out = open_memstream(&text, &length);
    for (int r = 0; r < size; r++)
        since[r] = waits_stopped(&now[r]) ? seen->heartbeats.silent[r] : seen->still[r];
    if (out != NULL) {
        fprintf(out, "rungs: %s:\n", why);
        waits_print(out, now, since, size);
        fprintf(out, "rungs: %s\n", then);
        fclose(out);
    }
    array_free(since);
    for (size_t done = 0; done < length;) {
        const ssize_t written = write(STDERR_FILENO, text + done, length - done);
        if (written <= 0)
            break;
        done += (size_t)written;
    }
    free(text);
}

static void
end_run(void)
{
    fflush(stdout);
    _exit(WATCHDOG_STATUS); /* the launcher then ends the others; no call of MPI is safe here */
}

static void
alarm_ranks(Seen *seen, const Activity *now, int *cycle)
{
    bool all_here = true;
    char why[64], then[128];
    for (int r = 0; r < size; r++)
        all_here = all_here && now[r].state != STATE_ELSEWHERE;
    const bool runs = waits_collective_runs(now, size);
    const bool end = (all_here && !runs) || waits_cycle(now, size, cycle) > 0;
    if (!end && seen->told)
        return;
    snprintf(why, sizeof why, "no rank has moved for %.0f s", patience);
    snprintf(then, sizeof then,
             "the watchdog ends the run with status %d; RUNGS_WATCHDOG=60 lets it wait a minute, 0 for ever",
             WATCHDOG_STATUS);
    tell(seen, now, why,
         end ? then
         : runs
             ? "the run goes on: no member is missing from a collective, and how far the library has come with it is "
               "not seen"
             : "the run goes on: what ranks on other machines do is not seen from here");
    seen->told = true;
    if (end)
        end_run();
}

/* Some programs go on without a rank that is stopped, as with stale gradients: so the run ends when no other moves either.
 * While a rank is debugged the others wait. */
static void
alarm_stopped(Seen *seen, const Activity *now, const Stopped *found)
{
    const double early = patience < stopped_tell ? patience : stopped_tell;
    const bool end = stopped_limit > 0 && found->stopped >= stopped_limit && found->still >= stopped_limit;
    char then[192];
    if (!end && (seen->told_stopped || (found->stopped < early && found->held < early)))
        return;
    if (end)
        snprintf(then, sizeof then,
                 "the watchdog ends the run with status %d: a rank has been stopped for %.0f s, and no other has moved",
                 WATCHDOG_STATUS, stopped_limit);
    else if (stopped_limit > 0 && found->stopped > 0)
        snprintf(
            then, sizeof then,
            "if no other rank moves for %.0f s the run ends; RUNGS_STOPPED=600 lets it wait 10 minutes, 0 for ever",
            stopped_limit);
    else
        snprintf(then, sizeof then, "the run waits for it%s",
                 found->stopped > 0 ? "; RUNGS_STOPPED=60 ends it after a minute" : "");
    tell(seen, now, "a rank is stopped", then);
    seen->told_stopped = true;
    if (end)
        end_run();
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

static void
look_at_ranks(Seen *seen, Activity *now, int *cycle)
{
    const bool still = nobody_moved(seen, now);
    const Stopped found = heartbeat_stopped(&seen->heartbeats, ranks, now, seen->still);
    seen->told = seen->told && still;
    seen->told_stopped = seen->told_stopped && found.any;
    if (found.any)
        alarm_stopped(seen, now, &found);
    else if (still && waits_all(now, size) && patience_is_over(seen, now))
        alarm_ranks(seen, now, cycle);
}

static void *
look(void *unused)
{
    (void)unused;
    const size_t p = (size_t)size;
    Seen seen = {
        .moves = ARRAY(uint64_t, p), .still = ARRAY(double, p), .heartbeats = heartbeat_create(size, me, interval)};
    Activity *now = ARRAY(Activity, p);
    int *cycle = ARRAY(int, p);
    while (!told_to_stop()) {
        atomic_fetch_add_explicit(&ranks[me].beats, 1, memory_order_relaxed);
        if (heartbeat_lowest(&seen.heartbeats, ranks))
            look_at_ranks(&seen, now, cycle);
    }
    array_free(seen.moves);
    array_free(seen.still);
    heartbeat_free(&seen.heartbeats);
    array_free(now);
    array_free(cycle);
    return NULL;
}

/* ---- begin and end ---------------------------------------------------------------------------------------------- */

static void
note_end(void)
{
    activity_mine->state = STATE_ENDED;
}

/* Signals are for the program's own threads. */
static void
start_thread(void)
{
    sigset_t all, before;
    sigfillset(&all);
    CHECK_ZERO(pthread_sigmask(SIG_SETMASK, &all, &before));
    CHECK_ERRNO(sem_init(&stop, 0, 0));
    CHECK_ZERO(pthread_create(&thread, NULL, look, NULL));
    CHECK_ZERO(pthread_sigmask(SIG_SETMASK, &before, NULL));
    watching = true;
}

void
watchdog_start(double seconds, double stopped)
{
    CHECK_MPI(PMPI_Comm_rank(MPI_COMM_WORLD, &me));
    CHECK_MPI(PMPI_Comm_size(MPI_COMM_WORLD, &size));
    patience = seconds;
    stopped_limit = stopped;
    if (!share(me))
        return;
    activity_mine = &ranks[me];
    watch_on |= WATCH_ACTIVITY;
    atexit(note_end);
    start_thread();
}

void
watchdog_stop(void)
{
    activity_mine->state = STATE_ENDED;
    if (!watching)
        return;
    sem_post(&stop);
    pthread_join(thread, NULL);
    watching = false;
}
