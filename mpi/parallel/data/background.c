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
    int end;  /* jobs 0 .. end - 1 are handed over, */
    int next; /* and 0 .. next - 1 done */
    bool leave;
};

/* Sleeps until there is a job or none will come. Returns its number, or -1. The lock is held. */
static int
next_job(Background *background)
{
    while (background->next == background->end && !background->leave)
        pthread_cond_wait(&background->handed_over, &background->lock);
    return background->next < background->end ? background->next : -1;
}

static void
begin_thread(void)
{
    pin_release();
#if defined(__linux__)
    prctl(PR_SET_TIMERSLACK,
          1000UL); /* nanoseconds that a nap may be longer than asked for; 50 microseconds by default */
#endif
}

static void *
run(void *context)
{
    Background *background = context;
    begin_thread();
    pthread_mutex_lock(&background->lock);
    for (int job; (job = next_job(background)) >= 0;) {
        pthread_mutex_unlock(&background->lock);
        background->work(background->context, job);
        pthread_mutex_lock(&background->lock);
        background->next++;
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
        pthread_cond_wait(&background->done, &background->lock);
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
