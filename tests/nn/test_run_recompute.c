/* Recomputation: the same bits at every segmentation, and memory that is what the plan says, to the byte.
 * SPDX-License-Identifier: MIT */
#include "tests/nn/run_case.h"

enum { LAYERS_MAX = 128 };

/* Every segmentation is slow, and ten times as slow under a sanitizer: every seventh then, and in `make test`. */
static int
every(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return 7;
#else
    return test_thorough() ? 1 : 7;
#endif
}

static RunOptions
with_segments(const RunSegment *segments, int count)
{
    return (RunOptions){.max_batch = CASE_BATCH, .recomputed = segments, .segments = count};
}

/* One network whose weights stay as they are; its averages are put back before each step. */
typedef struct Subject {
    const RunCase *c;
    Net *net;
    float *averages;
    CaseResult want;
    size_t memory; /* without recomputation */
    int checked;
} Subject;

static Subject
subject_create(const RunCase *c)
{
    Subject s = {.c = c, .net = case_net(c)};
    const RunOptions plain = with_segments(NULL, 0);
    s.averages = copied(net_averages(s.net), net_average_count(s.net));
    s.want = case_whole(c, &plain);
    s.memory = run_memory_planned(s.net, 0, net_layer_count(s.net), &plain);
    return s;
}

static void
subject_free(Subject *s)
{
    array_free(s->averages);
    case_result_free(&s->want);
    net_free(s->net);
}

/* Returns the bytes of the run. */
static size_t
check_segments(Subject *s, const RunSegment *segments, int count)
{
    const RunOptions options = with_segments(segments, count);
    const Batch batch = case_batch(0, CASE_BATCH);
    memcpy(net_averages(s->net), s->averages, net_average_count(s->net) * sizeof(float));
    Run *run = run_create(s->net, &options);
    const size_t bytes = run_memory(run);
    ck_assert_uint_eq(bytes, run_memory_planned(s->net, 0, net_layer_count(s->net), &options));
    const double loss = run_forward(run, &batch);
    run_backward(run, 1, RUN_ONLY);
    CaseResult got = case_result(s->net, loss);
    ck_assert_same_result(s->c->name, &got, &s->want);
    ck_assert_same_bits(s->c->name, run_output(run), s->want.output, CASE_BATCH * CASE_CLASSES);
    case_result_free(&got);
    run_free(run);
    s->checked++;
    return bytes;
}

/* Every partition of layers 1 .. L-1 into consecutive segments: bit i of the number says whether a segment ends behind layer i
 * + 1. All of them are recomputed, or every other one. */
static int
segments_of(unsigned long long ends, int layers, bool alternate, RunSegment *segments)
{
    int count = 0, begin = 1;
    bool take = true;
    for (int l = 1; l < layers; l++) {
        if (l < layers - 1 && !(ends >> (l - 1) % 64 & 1))
            continue;
        if (take)
            segments[count++] = (RunSegment){begin, l + 1};
        take = !alternate || !take;
        begin = l + 1;
    }
    return count;
}

TEST(every_segmentation_of_lenet)
{
    Subject s = subject_create(&run_cases[LENET]);
    const int layers = net_layer_count(s.net);
    RunSegment segments[LAYERS_MAX];
    ck_assert_int_eq(layers, 13);
    for (unsigned long long ends = 0; ends < 1ULL << (layers - 2); ends += (unsigned)every())
        for (int alternate = 0; alternate < 2; alternate++)
            check_segments(&s, segments, segments_of(ends, layers, alternate, segments));
    ck_assert_int_eq(s.checked, 2 * (2047 / every() + 1));
    subject_free(&s);
}

/* Every segment alone: residual blocks whole, cut at each place, and several of them. */
static void
check_every_segment(const RunCase *c)
{
    Subject s = subject_create(c);
    const int layers = net_layer_count(s.net);
    for (int first = 1; first < layers; first++)
        for (int last = first + 1; last <= layers; last++)
            if ((first * layers + last) % every() == 0)
                check_segments(&s, &(RunSegment){first, last}, 1);
    ck_assert_int_ge(s.checked, layers * (layers - 1) / 2 / every() - layers);
    subject_free(&s);
}

TEST(every_segment_of_residual_networks)
{
    check_every_segment(&run_cases[SMALL_RESNET]);
    check_every_segment(&run_cases[RESNET20]);
}

TEST(random_segmentations_of_residual_networks)
{
    for (int c = SMALL_RESNET; c <= RESNET20; c++) {
        Subject s = subject_create(&run_cases[c]);
        RunSegment segments[LAYERS_MAX];
        srand(7);
        for (int i = 0; i < 200 / every(); i++) {
            unsigned long long ends = ~0ULL;
            for (int k = 0; k < 1 + i % 4; k++) /* longer segments each time */
                ends &=
                    (unsigned long long)rand() << 42 ^ (unsigned long long)rand() << 21 ^ (unsigned long long)rand();
            check_segments(&s, segments, segments_of(ends, net_layer_count(s.net), i % 2, segments));
        }
        subject_free(&s);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------------------ */

/* A backend whose memory is counted and surrounded by guards. */
enum { GUARD = 4096 };
static size_t allocated;
static const Memory *real;

static void *
counted_allocate(size_t bytes)
{
    unsigned char *block = real->allocate(bytes + 2 * GUARD);
    allocated += bytes;
    memset(block, 0xff, bytes + 2 * GUARD); /* NaN: what is read before it is written shows */
    memcpy(block, &bytes, sizeof bytes);
    return block + GUARD;
}

static void
counted_free(void *memory)
{
    if (!memory)
        return;
    unsigned char *block = (unsigned char *)memory - GUARD;
    size_t bytes;
    memcpy(&bytes, block, sizeof bytes);
    for (size_t i = sizeof bytes; i < GUARD; i++)
        ck_assert_msg(block[i] == 0xff && block[GUARD + bytes + i - sizeof bytes] == 0xff,
                      "the run has written outside its %zu bytes", bytes);
    allocated -= bytes;
    real->free(block);
}

/* A chain of dense layers whose memory can be counted by hand: in floats a value of one layer is 16 x 64. */
enum { WIDTH = 64, BATCH = 16, DEPTH = 12 };

static Net *
chain(const Backend *backend)
{
    Net *net = net_create(backend, 1);
    int x = net_input(net, 1, 1, WIDTH);
    for (int l = 0; l < DEPTH; l++)
        x = net_dense(net, x, WIDTH);
    net_mse_loss(net, x);
    net_build(net);
    return net;
}

static size_t
chain_values(const RunSegment *segments, int count)
{
    static float x[BATCH * WIDTH], targets[BATCH * WIDTH];
    Backend backend = *cpu_backend("best", NULL);
    Memory counted = *backend.memory;
    real = backend.memory;
    counted.allocate = counted_allocate;
    counted.free = counted_free;
    backend.memory = &counted;
    Net *net = chain(&backend);
    const size_t before = allocated;
    Run *run = run_create(net, &(RunOptions){.max_batch = BATCH, .recomputed = segments, .segments = count});
    const size_t bytes = allocated - before;
    ck_assert_uint_eq(bytes, run_memory(run)); /* what was counted is what was planned */
    rng_fill_normal(1, 1, 0, x, BATCH * WIDTH, 0, 1);
    const double loss = run_forward(run, &(Batch){.size = BATCH, .x = x, .targets = targets});
    ck_assert(loss > 0 && loss < 1e6);
    run_backward(run, 1, RUN_ONLY);
    for (size_t i = 0; i < net_parameter_count(net); i++)
        ck_assert(net_gradients(net)[i] == net_gradients(net)[i]); /* no NaN came in */
    run_free(run);
    net_free(net);
    ck_assert_uint_eq(allocated, 0);
    ck_assert_uint_eq(bytes % (BATCH * WIDTH * sizeof(float)), 0);
    return bytes / (BATCH * WIDTH * sizeof(float));
}

/* In k segments of n layers, when the last layer goes backward there are: the outputs of the k - 1 segments before, the n - 1
 * values inside the last one (again), the output of the network, which is the caller's, and dy of the last two layers. Without
 * recomputation: all 12 values and the two dy. */
TEST(memory_is_that_of_the_formula)
{
    RunSegment segments[DEPTH];
    ck_assert_uint_eq(chain_values(NULL, 0), DEPTH + 2);
    for (int n = 1; n <= DEPTH; n++) {
        if (DEPTH % n != 0)
            continue;
        const int k = DEPTH / n;
        for (int s = 0; s < k; s++)
            segments[s] = (RunSegment){1 + s * n, 1 + (s + 1) * n};
        ck_assert_uint_eq(chain_values(segments, k), (size_t)((k - 1) + (n - 1) + 1 + 2));
    }
}

/* About sqrt(L) segments of sqrt(L) layers more than halve the memory of ResNet-20. */
TEST(recomputation_saves_memory)
{
    Subject s = subject_create(&run_cases[RESNET20]);
    const int layers = net_layer_count(s.net);
    RunSegment segments[LAYERS_MAX];
    int count = 0;
    for (int first = 1; first < layers; first += 9)
        segments[count++] = (RunSegment){first, first + 9 < layers ? first + 9 : layers};
    const size_t bytes = check_segments(&s, segments, count);
    ck_assert_msg(bytes * 2 < s.memory, "%zu bytes with %d segments, %zu without", bytes, count, s.memory);
    subject_free(&s);
}

TEST_MAIN("run recompute")
