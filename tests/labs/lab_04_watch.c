/* See lab_04_watch.h. SPDX-License-Identifier: MIT */
#include "lab_04_watch.h"
#include "core/checked.h"
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Global, because a signal handler has no argument to pass them through. */
static Lab04Watch *watched;
static size_t watched_count;
static size_t page_bytes; /* read before: a handler must not call everything */
static _Thread_local char this_thread;

static char *
page_of(const void *address)
{
    return (char *)((uintptr_t)address / page_bytes * page_bytes);
}

/* Any other access to what is not there happens again, and then ends the process as it would have without this handler. */
static void
touched(int number, siginfo_t *information, void *context)
{
    (void)context;
    char *page = page_of(information->si_addr);
    bool known = false;
    for (size_t i = 0; i < watched_count; i++) {
        Lab04Watch *watch = &watched[i];
        if (page_of(watch->address) != page)
            continue;
        known = true;
        if (watch->touched) /* by another thread, just now */
            continue;
        watch->thread = &this_thread;
        watch->peeked = watch->peek != NULL ? *watch->peek : 0;
        watch->touched = true;
    }
    if (!known || mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0)
        signal(number, SIG_DFL);
}

size_t
lab_04_page_floats(void)
{
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    return page_bytes / sizeof(float);
}

float *
lab_04_pages(size_t floats)
{
    float *x = mmap(NULL, floats * sizeof(float), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK_THAT(x != MAP_FAILED, "%s", strerror(errno));
    for (size_t i = 0; i < floats; i++)
        x[i] = 1;
    return x;
}

static void
handle(void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    struct sigaction usual = {.sa_handler = SIG_DFL};
    CHECK_ERRNO(sigaction(SIGSEGV, handler ? &action : &usual, NULL));
    CHECK_ERRNO(sigaction(SIGBUS, handler ? &action : &usual, NULL)); /* what macOS sends */
}

void
lab_04_watch(Lab04Watch *watches, size_t count)
{
    watched = watches;
    watched_count = count;
    handle(touched);
    for (size_t i = 0; i < count; i++)
        CHECK_ERRNO(mprotect(page_of(watches[i].address), page_bytes, PROT_NONE));
}

void
lab_04_unwatch(void)
{
    for (size_t i = 0; i < watched_count; i++)
        CHECK_ERRNO(mprotect(page_of(watched[i].address), page_bytes, PROT_READ | PROT_WRITE));
    handle(NULL);
}
