/* SPDX-License-Identifier: MIT */
#include "mpi/parallel/data/background.h"
#include "core/array.h"
#include "core/checked.h"
#include "core/pin.h"
#include <pthread.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

struct Background {
    BackgroundWork *work;
    void *context;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t handed_over, done;
    int end;   /* jobs 0 .. end - 1 are handed over, */
    int next;  /* and 0 .. next - 1 done */
    bool busy; /* somebody is at work on `next` */
    bool leave;
};

/* The next job, by whoever calls. The lock is held, but not while it works. */
static void
do_job(Background *background)
{
    background->busy = true;
    pthread_mutex_unlock(&background->lock);
    background->work(background->context, background->next);
    pthread_mutex_lock(&background->lock);
    background->busy = false;
    background->next++;
}

static void
begin_thread(void)
{
    pin_release();
#if defined(__linux__)
    /* Nanoseconds that a nap may be longer than asked for; 50 microseconds by default. */
    prctl(PR_SET_TIMERSLACK, 1000UL);
#endif
}

static void *
run(void *context)
{
    Background *background = context;
    begin_thread();
    pthread_mutex_lock(&background->lock);
    while (!background->leave) {
        if (background->busy || background->next >= background->end) {
            pthread_cond_wait(&background->handed_over, &background->lock);
            continue;
        }
        do_job(background);
        pthread_cond_signal(&background->done);
    }
    pthread_mutex_unlock(&background->lock);
    return NULL;
}

Background *
background_create(BackgroundWork *work, void *context)
{
    Background *background = ARRAY(Background, 1);
    background->work = work;
    background->context = context;
    CHECK_ZERO(pthread_mutex_init(&background->lock, NULL));
    CHECK_ZERO(pthread_cond_init(&background->handed_over, NULL));
    CHECK_ZERO(pthread_cond_init(&background->done, NULL));
    CHECK_ZERO(pthread_create(&background->thread, NULL, run, background));
    return background;
}

void
background_hand_over(Background *background, int end)
{
    pthread_mutex_lock(&background->lock);
    background->end = end;
    pthread_cond_signal(&background->handed_over);
    pthread_mutex_unlock(&background->lock);
}

void
background_wait(Background *background)
{
    pthread_mutex_lock(&background->lock);
    while (background->next < background->end)
        if (background->busy)
            pthread_cond_wait(&background->done, &background->lock);
        else
            do_job(background); /* the thread has been woken, but has no core yet: here is one */
    background->next = background->end = 0;
    pthread_mutex_unlock(&background->lock);
}

void
background_free(Background *background)
{
    if (background == NULL)
        return;
    background_wait(background);
    pthread_mutex_lock(&background->lock);
    background->leave = true;
    pthread_cond_signal(&background->handed_over);
    pthread_mutex_unlock(&background->lock);
    CHECK_ZERO(pthread_join(background->thread, NULL));
    pthread_cond_destroy(&background->handed_over);
    pthread_cond_destroy(&background->done);
    pthread_mutex_destroy(&background->lock);
    array_free(background);
}
