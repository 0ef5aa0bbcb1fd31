/* See lab_07_buckets.h. The buckets are chosen first, and tensors made that must lead to them. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "lab_07_buckets.h"
#include "core/array.h"
#include "grade.h"
#include "mpi/parallel/data/buckets.h"
#include "nn/models/models.h"

enum { MOST = 64, ROUNDS = 200 };

/* What is wanted: tensors with these numbers of floats, in the order in which they are finished, and how many of them each
 * bucket has. */
typedef struct Want {
    size_t count[MOST];
    int tensors;
    int in_bucket[MOST];
    int buckets;
} Want;

static void
add_tensor(Want *want, size_t count)
{
    want->count[want->tensors++] = count;
    want->in_bucket[want->buckets - 1]++;
}

/* They fill the gradient array from its end to its beginning. */
static BucketTensors
tensors_of(const Want *want)
{
    BucketTensors tensors = {.tensor = ARRAY(BucketTensor, (size_t)want->tensors), .count = want->tensors};
    size_t end = 0;
    for (int t = 0; t < want->tensors; t++)
        end += want->count[t];
    for (int t = 0; t < want->tensors; t++) {
        end -= want->count[t];
        tensors.tensor[t] = (BucketTensor){end, want->count[t], t};
    }
    tensors.layers = want->tensors;
    return tensors;
}

static void
compare(const Want *want, size_t first_cap, size_t cap)
{
    BucketTensors tensors = tensors_of(want);
    const Buckets plan = buckets_by_size(&tensors, first_cap, cap);
    int t = 0;
    for (int b = 0; b < want->buckets && b < plan.buckets; b++) {
        size_t count = 0;
        for (int i = 0; i < want->in_bucket[b]; i++)
            count += want->count[t++];
        const Bucket got = plan.bucket[b];
        grade_that(got.tensors == want->in_bucket[b],
                   "caps of %zu and %zu bytes: bucket %d has %d tensors, want %d, which are %zu bytes", first_cap, cap,
                   b, got.tensors, want->in_bucket[b], count * sizeof(float));
        grade_that(got.count == count && got.first == tensors.tensor[t - 1].first,
                   "caps of %zu and %zu bytes: bucket %d is gradients %zu to %zu, want %zu to %zu", first_cap, cap, b,
                   got.first, got.first + got.count, tensors.tensor[t - 1].first, tensors.tensor[t - 1].first + count);
    }
    grade_that(plan.buckets == want->buckets, "caps of %zu and %zu bytes: %d buckets, want %d", first_cap, cap,
               plan.buckets, want->buckets);
    array_free(plan.bucket);
    array_free(tensors.tensor);
}

/* Adds a bucket that its last tensor brings to `floats` or above; not if it is the last one, which may stay below. */
static void
add_bucket(Want *want, Rng *rng, size_t floats, bool last)
{
    size_t filled = 0;
    want->buckets++;
    for (int more = (int)grade_uniform(rng, 0, 4); more > 0 && filled + 1 < floats; more--) {
        const size_t room = floats - 1 - filled; /* what leaves it open */
        const size_t count = 1 + (size_t)grade_uniform(rng, 0, (double)(room - 1));
        add_tensor(want, count);
        filled += count;
    }
    const bool full = !last || filled == 0 || filled % 2 == 0;
    if (full)
        add_tensor(want, floats - filled + (size_t)grade_uniform(rng, 0, 9));
}

void
lab_07_random_buckets(void)
{
    Rng rng = grade_rng();
    for (int round = 0; round < ROUNDS; round++) {
        Want want = {.tensors = 0};
        const size_t floats = 2 + (size_t)grade_uniform(&rng, 0, 100);
        const int buckets = 1 + (int)grade_uniform(&rng, 0, 8);
        for (int b = 0; b < buckets; b++)
            add_bucket(&want, &rng, floats, b + 1 == buckets);
        compare(&want, floats * sizeof(float), floats * sizeof(float));
    }
}

void
lab_07_first_bucket(void)
{
    Rng rng = grade_rng();
    for (int round = 0; round < ROUNDS; round++) {
        Want want = {.tensors = 0};
        const size_t first = 2 + (size_t)grade_uniform(&rng, 0, 10), others = 2 + (size_t)grade_uniform(&rng, 0, 100);
        add_bucket(&want, &rng, first, false);
        for (int b = 0; b < 4; b++)
            add_bucket(&want, &rng, others, b == 3);
        compare(&want, first * sizeof(float), others * sizeof(float));
    }
}

void
lab_07_edges(void)
{
    const Want exact = {{10, 10, 10, 10}, 4, {2, 2}, 2}, below = {{10, 9, 1, 10}, 4, {3, 1}, 2};
    const Want large = {{1000, 1, 1, 1000, 1}, 5, {1, 3, 1}, 3}, one = {{5}, 1, {1}, 1};
    const Want each = {{3, 1, 2}, 3, {1, 1, 1}, 3}, none_full = {{3, 1, 2}, 3, {3}, 1};
    compare(&exact, 80, 80); /* full at exactly its size */
    compare(&below, 80, 80); /* a float less is not full */
    compare(&large, 80, 80); /* a tensor that is larger than the cap is not cut */
    compare(&one, 80, 80);
    compare(&each, 0, 0);
    compare(&none_full, 1000, 1000);
    compare(&none_full, 24, 0); /* the first cap is the only one that matters here */
}

/* A network of 161 tensors, at the sizes of PyTorch: 1 MiB, then 25. */
void
lab_07_resnet50(void)
{
    static const int tensors_want[] = {2, 15, 12, 51, 81};
    Net *net = model_create(model_find("resnet50"), NULL, 1);
    BucketTensors tensors = buckets_tensors(net);
    const Buckets plan = buckets_by_size(&tensors, (size_t)1 << 20, (size_t)25 << 20);
    grade_that(plan.buckets == 5, "ResNet-50, 1 MiB and 25 MiB: %d buckets, want 5", plan.buckets);
    for (int b = 0; b < 5; b++)
        grade_that(plan.bucket[b].tensors == tensors_want[b], "ResNet-50, bucket %d: %d tensors, want %d", b,
                   plan.bucket[b].tensors, tensors_want[b]);
    array_free(plan.bucket);
    array_free(tensors.tensor);
    net_free(net);
}

#endif
