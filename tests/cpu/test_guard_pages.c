/* No kernel reads or writes outside its arrays: each array begins right behind a page that may not be touched, or ends right
 * before one. AddressSanitizer would see most of this too, but not what a vector instruction of the real build does.
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "cpu/activation/activation.h"
#include "cpu/bias/bias.h"
#include "cpu/gemm/gemm.h"
#include "cpu/gemv/gemv.h"
#include "cpu/ladders.h"
#include "cpu/loss/loss.h"
#include "cpu/optimizer/optimizer.h"
#include "cpu/softmax/softmax.h"
#include "tests/testing.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/*      | no access |  INSIDE bytes  | no access |
 *                  ^ the first floats, ^ or the last ones, are returned */
enum { INSIDE = 1 << 18, FENCES = 4 };

static char *fence[FENCES]; /* where INSIDE begins */

static void
make_fences(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < FENCES; i++) {
        char *start = mmap(NULL, INSIDE + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ck_assert(start != MAP_FAILED);
        fence[i] = start + page;
        CHECK_ERRNO(mprotect(fence[i], INSIDE, PROT_READ | PROT_WRITE));
    }
}

/* n floats of 1 in fence i, at its end or at its beginning. */
static float *
floats(int i, size_t n, bool at_end)
{
    CHECK_THAT(n * sizeof(float) <= INSIDE, "%zu floats", n);
    float *x = (float *)(fence[i] + (at_end ? INSIDE - n * sizeof(float) : 0));
    for (size_t k = 0; k < n; k++)
        x[k] = 1.0f;
    return x;
}

/* No ck_assert for each of millions of elements: it writes a line to a file. */
static void
check_all(float want, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabsf(x[i] - want) <= 1e-5f * want))
            ck_abort_msg("[%zu] of %zu is %g, not %g", i, n, (double)x[i], (double)want);
}

static const int sizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 23, 31, 32, 33, 47, 63, 64, 65, 129};

/* ---- matrices --------------------------------------------------------------------------------------------------------- */

static void
run_gemv(Gemv *gemv, int M, int N, int lda, float beta, bool at_end)
{
    const float *A = floats(0, M > 0 ? (size_t)(M - 1) * (size_t)lda + (size_t)N : 0, at_end);
    const float *x = floats(1, (size_t)N, at_end);
    float *y = floats(2, (size_t)M, at_end);
    gemv(M, N, 1.0f, A, lda, x, beta, y);
    check_all((float)N + beta, y, (size_t)M);
}

TEST(gemv_stays_inside)
{
    make_fences();
    for (int r = 0; r < gemv_ladder.count; r++) {
        if (gemv_ladder.rungs[r].peer)
            continue;
        Gemv *gemv = (Gemv *)gemv_ladder.rungs[r].function;
        for (int m = 0; m < COUNT(sizes); m++)
            for (int n = 0; n < COUNT(sizes); n++)
                for (int way = 0; way < 8; way++) {
                    const int N = sizes[n], gap = way & 1 ? 3 : 0;
                    run_gemv(gemv, sizes[m], N, (N > 0 ? N : 1) + gap, way & 2 ? 2.0f : 0.0f, (way & 4) != 0);
                }
    }
}

TEST(gemv_stays_inside_with_threads)
{
    make_fences();
    for (int at_end = 0; at_end < 2; at_end++) {
        run_gemv(gemv_openmp, 1, 65535, 65535, 0.0f, at_end); /* shares the columns */
        run_gemv(gemv_openmp, 1, 32769, 32769, 2.0f, at_end);
        run_gemv(gemv_openmp, 13107, 5, 5, 0.0f, at_end); /* shares the rows */
        run_gemv(gemv_openmp, 21845, 3, 3, 2.0f, at_end);
        run_gemv(gemv_openmp, 65, 1008, 1008, 0.0f, at_end);
    }
}

static void
run_gemm(Gemm *gemm, int transposes, int M, int N, int K, bool at_end)
{
    const bool ta = (transposes & 1) != 0, tb = (transposes & 2) != 0;
    const int lda = ta ? M : K, ldb = tb ? K : N;
    const float *A = floats(0, (size_t)M * (size_t)K, at_end), *B = floats(1, (size_t)K * (size_t)N, at_end);
    float *C = floats(2, (size_t)M * (size_t)N, at_end);
    gemm(ta, tb, M, N, K, 1.0f, A, lda, B, ldb, 1.0f, C, N);
    check_all((float)K + 1.0f, C, (size_t)M * (size_t)N);
}

static void
check_gemm(Gemm *gemm)
{
    make_fences();
    for (int way = 0; way < 8; way++) {
        for (int m = 0; m < COUNT(sizes); m++)
            for (int n = 0; n < COUNT(sizes); n++)
                for (int k = 0; k < COUNT(sizes); k += 4)
                    run_gemm(gemm, way & 3, sizes[m], sizes[n], sizes[k], (way & 4) != 0);
        run_gemm(gemm, way & 3, 125, 127, 131, (way & 4) != 0); /* enough for threads */
        run_gemm(gemm, way & 3, 7, 37, 513, (way & 4) != 0);    /* several blocks of K */
    }
}

TEST_CALL(gemm_naive_stays_inside, check_gemm(gemm_naive))
TEST_CALL(gemm_reordered_stays_inside, check_gemm(gemm_reordered))
TEST_CALL(gemm_register_tile_stays_inside, check_gemm(gemm_register_tile))

/* ---- rows and arrays -------------------------------------------------------------------------------------------------- */

static void
run_softmax(SoftmaxLoss *softmax, int rows, int classes, bool at_end)
{
    static int labels[4096];
    const size_t n = (size_t)rows * (size_t)classes;
    const float *z = floats(0, n, at_end);
    float *p = floats(1, n, at_end), *dz = floats(2, n, at_end);
    for (int r = 0; r < rows; r++)
        labels[r] = r % classes;
    softmax(rows, classes, z, labels, p);
    softmax_loss_backward(rows, classes, p, labels, 1.0f, dz);
    check_all(1.0f / (float)classes, p, n);
}

static void
check_softmax(SoftmaxLoss *softmax)
{
    make_fences();
    for (int at_end = 0; at_end < 2; at_end++) {
        for (int r = 0; r < COUNT(sizes); r++)
            for (int c = 1; c < COUNT(sizes); c++)
                run_softmax(softmax, sizes[r], sizes[c], at_end);
        run_softmax(softmax, 3, 2049, at_end);
        run_softmax(softmax, 4095, 16, at_end); /* just below the threads */
    }
}

TEST_CALL(softmax_stable_stays_inside, check_softmax(softmax_loss_stable))
TEST_CALL(softmax_vector_stays_inside, check_softmax(softmax_loss_vector))

typedef void Map(size_t n, const float *x, float *y);
typedef void Gradient(size_t n, const float *y, const float *dy, float *dx);

TEST(activations_and_sums_stay_inside)
{
    static Map *const maps[] = {sigmoid_libm, tanh_libm, sigmoid_polynomial, tanh_polynomial, relu_forward, add_into};
    static Gradient *const gradients[] = {sigmoid_gradient, tanh_gradient, relu_gradient};
    make_fences();
    for (size_t n = 0; n <= 130; n++)
        for (int at_end = 0; at_end < 2; at_end++) {
            for (int i = 0; i < 6; i++)
                maps[i](n, floats(0, n, at_end), floats(1, n, at_end));
            for (int i = 0; i < 3; i++)
                gradients[i](n, floats(0, n, at_end), floats(1, n, at_end), floats(2, n, at_end));
        }
}

TEST(biases_stay_inside)
{
    make_fences();
    for (int r = 0; r < COUNT(sizes); r++)
        for (int c = 0; c < COUNT(sizes); c++)
            for (int at_end = 0; at_end < 2; at_end++) {
                const int rows = sizes[r], columns = sizes[c];
                float *bias = floats(0, (size_t)columns, at_end),
                      *y = floats(1, (size_t)rows * (size_t)columns, at_end);
                bias_fill(rows, columns, bias, y);
                bias_gradient(rows, columns, y, bias);
                check_all(1.0f + (float)rows, bias, (size_t)columns);
            }
}

TEST(losses_and_optimizers_stay_inside)
{
    make_fences();
    for (size_t n = 0; n <= 130; n++)
        for (int at_end = 0; at_end < 2; at_end++) {
            float *a = floats(0, n, at_end), *b = floats(1, n, at_end), *c = floats(2, n, at_end);
            float *d = floats(3, n, at_end);
            ck_assert_double_eq(mse_loss_naive(n, a, b) + mse_loss_lanes(n, a, b), 0.0);
            mse_loss_backward(n, a, b, 1.0f, c);
            sgd_step(n, a, b, 0.1f, 0.1f);
            momentum_step(n, a, b, c, 0.1f, 0.9f, 0.1f, false);
            momentum_step(n, a, b, c, 0.1f, 0.9f, 0.1f, true);
            adam_step(n, a, b, c, d, 0.1f, 0.9, 0.999, 1e-8f, 0.1f, 0.1, 0.001);
        }
}

/* ---- the fences themselves -------------------------------------------------------------------------------------------- */

/* True if reading x[0] ends a process. */
static bool
is_forbidden(const volatile float *x)
{
    fflush(NULL);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* AddressSanitizer would explain it at length */
        signal(SIGBUS, SIG_DFL);
        (void)*x;
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status);
}

TEST(the_fences_hold)
{
    make_fences();
    for (int i = 0; i < FENCES; i++) {
        const float *first = floats(i, 5, false), *last = floats(i, 5, true);
        ck_assert(is_forbidden(first - 1) && !is_forbidden(first));
        ck_assert(is_forbidden(last + 5) && !is_forbidden(last + 4));
    }
}

TEST_MAIN("guard pages")
