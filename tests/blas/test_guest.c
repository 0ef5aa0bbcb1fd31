/* The drop-in BLAS is a guest in programs that know nothing of it, with threads of their own, small stacks, OpenMP, forks. It must
 * be right in all of them, and leave their settings alone.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/blas/blas.h"
#include "tests/testing.h"
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#else
static int
omp_get_max_threads(void)
{
    return 1;
}
static void
omp_set_num_threads(int threads)
{
    (void)threads;
}
#endif

/* A product large enough for all threads, and vectors long enough. */
typedef struct Work {
    int M, N, K;
    float *A, *B, *C, *want, *y, *want_y;
    float dot, want_dot;
} Work;

static Work
work_create(int i)
{
    Work w = {.M = 150 + 17 * i, .N = 190 - 11 * i, .K = 301 + i};
    const size_t M = (size_t)w.M, N = (size_t)w.N, K = (size_t)w.K;
    w.A = ARRAY(float, M *K);
    w.B = ARRAY(float, K *N);
    w.C = ARRAY(float, M *N);
    w.want = ARRAY(float, M *N);
    w.y = ARRAY(float, M);
    w.want_y = ARRAY(float, M);
    rng_fill_uniform(11, (uint64_t)i, 0, w.A, M * K, -1, 1);
    rng_fill_uniform(12, (uint64_t)i, 0, w.B, K * N, -1, 1);
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++) {
            double sum = 0;
            for (size_t k = 0; k < K; k++)
                sum += (double)w.A[m * K + k] * w.B[k * N + n];
            w.want[m * N + n] = (float)sum;
            if (n == 0)
                w.want_y[m] = (float)sum;
        }
    double dot = 0;
    for (size_t j = 0; j < M * K; j++)
        dot += (double)w.A[j] * w.A[j];
    w.want_dot = (float)dot;
    return w;
}

static void
work_free(Work *w)
{
    float *const arrays[] = {w->A, w->B, w->C, w->want, w->y, w->want_y};
    for (int i = 0; i < 6; i++)
        array_free(arrays[i]);
}

/* Every routine, with the results of before wiped out. */
static void
work_run(Work *w)
{
    const int M = w->M, N = w->N, K = w->K;
    for (int i = 0; i < M * N; i++)
        w->C[i] = NAN;
    cblas_sgemm(BLAS_ROW_MAJOR, BLAS_NO_TRANSPOSE, BLAS_NO_TRANSPOSE, M, N, K, 1, w->A, K, w->B, N, 0, w->C, N);
    cblas_sgemv(BLAS_ROW_MAJOR, BLAS_NO_TRANSPOSE, M, K, 1, w->A, K, w->B, N, 0, w->y,
                1); /* with the first column of B */
    cblas_saxpy(M, 1, w->want_y, 1, w->y, 1);
    w->dot = cblas_sdot(M * K, w->A, 1, w->A, 1);
}

static bool
work_is_right(const Work *w)
{
    bool right = fabs(w->dot - w->want_dot) <= 1e-5 * w->want_dot;
    for (int i = 0; i < w->M * w->N; i++)
        right = right && fabsf(w->C[i] - w->want[i]) <= 2e-4F;
    for (int i = 0; i < w->M; i++)
        right = right && fabsf(w->y[i] - 2 * w->want_y[i]) <= 4e-4F;
    return right;
}

enum { THREADS = 4, ROUNDS = 25 };

static void *
run_rounds(void *work)
{
    bool right = true;
    for (int round = 0; round < ROUNDS; round++) {
        work_run(work);
        right = right && work_is_right(work);
    }
    return right ? work : NULL;
}

/* Runs THREADS threads with different work, each with a stack of that size in bytes (0: as usual). */
static void
check_threads(size_t stack)
{
    Work work[THREADS];
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (stack > 0)
        ck_assert_int_eq(pthread_attr_setstacksize(&attributes, stack), 0);
    for (int t = 0; t < THREADS; t++)
        work[t] = work_create(t);
    for (int t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&threads[t], &attributes, run_rounds, &work[t]), 0);
    for (int t = 0; t < THREADS; t++) {
        void *right = NULL;
        pthread_join(threads[t], &right);
        ck_assert_msg(right != NULL, "thread %d computed wrongly", t);
        work_free(&work[t]);
    }
    pthread_attr_destroy(&attributes);
}

TEST_CALL(threads_of_the_program_call_at_once, check_threads(0))

TEST(threads_may_have_small_stacks)
{
#if defined(__SANITIZE_ADDRESS__)
    skip_test("AddressSanitizer needs larger stacks");
#else
    check_threads(128 << 10);
#endif
}

TEST(openmp_threads_of_the_program_call_at_once)
{
    bool right = true;
#pragma omp parallel for num_threads(3) reduction(&& : right)
    for (int i = 0; i < 6; i++) {
        Work w = work_create(i);
        right = right && run_rounds(&w) != NULL;
        work_free(&w);
    }
    ck_assert(right);
}

/* As Python's multiprocessing does. OpenMP's threads exist in the parent alone. */
TEST(children_of_a_fork_compute)
{
    Work w = work_create(3);
    omp_set_num_threads(3);
    work_run(&w);
    ck_assert(work_is_right(&w));
    for (int child = 0; child < 2; child++) {
        const pid_t pid = fork();
        if (pid == 0) {
            alarm(20); /* a child that waits for threads which it does not have */
            const int setting = omp_get_max_threads();
            work_run(&w);
            _exit(work_is_right(&w) && omp_get_max_threads() == setting ? 0 : 1);
        }
        int status = -1;
        ck_assert_int_eq(waitpid(pid, &status, 0), pid);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child ended with status %d", status);
    }
    work_run(&w);
    ck_assert(work_is_right(&w));
    work_free(&w);
}

static int
threads_of_this_process(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL)
        skip_test("there is no /proc to count threads in");
    for (const struct dirent *entry = readdir(tasks); entry != NULL; entry = readdir(tasks))
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

static void
skip_without_openmp(void)
{
#ifndef _OPENMP
    skip_test("this build has no OpenMP");
#endif
}

/* OpenMP starts as many threads as OMP_NUM_THREADS says, and never more; the setting stays what it was. */
TEST(the_number_of_threads_is_openmps)
{
    skip_without_openmp();
    Work w = work_create(0);
    const int before = threads_of_this_process(); /* sanitizers have one of their own */
    for (int threads = 1; threads <= 3; threads++) {
        omp_set_num_threads(threads);
        work_run(&w);
        ck_assert(work_is_right(&w));
        ck_assert_int_le(threads_of_this_process() - before, threads - 1);
        ck_assert_int_eq(omp_get_max_threads(), threads);
    }
    work_free(&w);
}

/* Where the program's threads may run is the program's business, also for as many threads as cores (core/pin.h pins those). */
TEST(threads_are_not_pinned)
{
    skip_without_openmp();
    if (getenv("OMP_PROC_BIND") || getenv("OMP_PLACES"))
        skip_test("OMP_PROC_BIND or OMP_PLACES places the threads");
    cpu_set_t before;
    Work w = work_create(0);
    int pinned = 0;
    ck_assert_int_eq(sched_getaffinity(0, sizeof(before), &before), 0);
    omp_set_num_threads(CPU_COUNT(&before));
    work_run(&w);
#pragma omp parallel reduction(+ : pinned)
    {
        cpu_set_t now;
        pinned += sched_getaffinity(0, sizeof(now), &now) != 0 || !CPU_EQUAL(&before, &now);
    }
    ck_assert_int_eq(pinned, 0);
    work_free(&w);
}

TEST_MAIN("blas/guest")
