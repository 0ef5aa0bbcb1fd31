/* Which gradients travel together (mpi/parallel/data/buckets.h). SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "mpi/parallel/data/buckets.h"
#include "nn/models/models.h"
#include "tests/testing.h"

enum { TENSORS = 6 };

/* The drawing of buckets.h: three layers of a weight and a bias each, 400, 40, 80, 8, 60 and 6 bytes from the array's end on. */
static BucketTensors
six_tensors(void)
{
    static const size_t counts[TENSORS] = {2, 15, 2, 20, 10, 100}; /* the last layer's bias first */
    BucketTensors tensors = {.tensor = ARRAY(BucketTensor, TENSORS), .count = TENSORS, .layers = 3};
    size_t left = 149;
    for (int t = 0; t < TENSORS; t++) {
        left -= counts[t];
        tensors.tensor[t] = (BucketTensor){left, counts[t], t / 2};
    }
    return tensors;
}

/* Every element is in one bucket, and the buckets go from the array's end to its beginning. */
static void
check_cover(const Buckets *plan, size_t n, int tensors)
{
    size_t left = n;
    for (int b = 0; b < plan->buckets; b++) {
        ck_assert_uint_eq(plan->bucket[b].first + plan->bucket[b].count, left);
        left = plan->bucket[b].first;
        tensors -= plan->bucket[b].tensors;
    }
    ck_assert_uint_eq(left, 0);
    ck_assert_int_eq(tensors, 0);
}

static void
check_tensors(Buckets plan, int buckets, const int *tensors)
{
    check_cover(&plan, 149, TENSORS);
    ck_assert_int_eq(plan.buckets, buckets);
    for (int b = 0; b < buckets; b++)
        ck_assert_int_eq(plan.bucket[b].tensors, tensors[b]);
    array_free(plan.bucket);
}

TEST(plans_are_those_of_the_drawing)
{
    const BucketTensors tensors = six_tensors();
    check_tensors(buckets_by_tensor(&tensors), 6, (int[]){1, 1, 1, 1, 1, 1});
    check_tensors(buckets_by_layer(&tensors), 3, (int[]){2, 2, 2});
    check_tensors(buckets_whole(&tensors), 1, (int[]){6});
    check_tensors(buckets_by_group(&tensors, (int[]){0, 0, 1}), 2, (int[]){4, 2});
    check_tensors(buckets_by_group(&tensors, (int[]){0, 1, 1}), 2, (int[]){2, 4});
    array_free(tensors.tensor);
}

/* Bytes 8, 60, 8, 80, 40, 400. */
TEST(a_bucket_is_closed_by_the_tensor_that_fills_it)
{
    const BucketTensors tensors = six_tensors();
    check_tensors(buckets_by_size(&tensors, 8, 148), 3, (int[]){1, 3, 2});
    check_tensors(buckets_by_size(&tensors, 9, 148), 2, (int[]){2, 4});
    check_tensors(buckets_by_size(&tensors, 9, 88), 3, (int[]){2, 2, 2});
    check_tensors(buckets_by_size(&tensors, 9, 89), 3, (int[]){2, 3, 1});
    check_tensors(buckets_by_size(&tensors, 1, 1), 6, (int[]){1, 1, 1, 1, 1, 1});
    check_tensors(buckets_by_size(&tensors, 597, 597), 1, (int[]){6});
    array_free(tensors.tensor);
}

/* Tensors that become final one after the other, but do not stand side by side, cannot be sent as one range. */
TEST(what_does_not_adjoin_is_not_sent_together)
{
    BucketTensors tensors = six_tensors();
    const BucketTensor second = tensors.tensor[1];
    tensors.tensor[1] = tensors.tensor[4];
    tensors.tensor[4] = second;
    const Buckets plan = buckets_whole(&tensors);
    ck_assert_int_eq(plan.buckets, 4); /* 0 | 4 | 2 3 1 | 5 */
    ck_assert_uint_eq(plan.bucket[2].first, tensors.tensor[3].first);
    ck_assert_uint_eq(plan.bucket[2].count, 2 + 20 + 15);
    array_free(plan.bucket);
    array_free(tensors.tensor);
}

static void
check_mebibytes(const BucketTensors *tensors, size_t n, size_t first_cap, int buckets, const double *mebibytes,
                const int *counts)
{
    const Buckets plan = buckets_by_size(tensors, first_cap, 25 << 20);
    check_cover(&plan, n, tensors->count);
    ck_assert_int_eq(plan.buckets, buckets);
    for (int b = 0; b < buckets; b++) {
        const double got = (double)(plan.bucket[b].count * sizeof(float)) / (1 << 20);
        ck_assert_msg(fabs(got - mebibytes[b]) <= 0.0051, "bucket %d: %.4f MiB, expected %.2f", b, got, mebibytes[b]);
        ck_assert_int_eq(plan.bucket[b].tensors, counts[b]);
    }
    array_free(plan.bucket);
}

/* DistributedDataParallel's buckets of torchvision's resnet50, whose 161 tensors are ours, in the same order. */
TEST(resnet50_has_the_buckets_of_pytorch)
{
    Net *net = model_create(model_find("resnet50"), NULL, 0);
    const BucketTensors tensors = buckets_tensors(net);
    ck_assert_int_eq(tensors.count, 161);
    ck_assert_int_eq(tensors.layers, 107); /* 53 convolutions, 53 normalisations, a dense layer */
    const size_t n = net_parameter_count(net);
    check_mebibytes(&tensors, n, 1 << 20, 5, (double[]){7.82, 30.04, 25.04, 25.32, 9.27}, (int[]){2, 15, 12, 51, 81});
    check_mebibytes(&tensors, n, 25 << 20, 4, (double[]){28.86, 25.04, 27.05, 16.55}, (int[]){14, 12, 39, 96});
    array_free(tensors.tensor);
    net_free(net);
}

TEST(layers_without_parameters_are_not_counted)
{
    Net *net = net_create(NULL, 1);
    int x = net_input(net, 4, 4, 2);
    x = net_relu(net, net_conv2d(net, x, (Conv2d){.channels = 3, .kernel = 3, .no_bias = true}));
    x = net_dense(net, net_flatten(net, x), 5);
    const BucketTensors tensors = buckets_tensors(net);
    ck_assert_int_eq(tensors.count, 3);
    ck_assert_int_eq(tensors.layers, 2);
    const BucketTensor want[] = {{54 + 60, 5, 0}, {54, 60, 0}, {0, 54, 1}};
    for (int t = 0; t < 3; t++) {
        ck_assert_uint_eq(tensors.tensor[t].first, want[t].first);
        ck_assert_uint_eq(tensors.tensor[t].count, want[t].count);
        ck_assert_int_eq(tensors.tensor[t].layer, want[t].layer);
    }
    array_free(tensors.tensor);
    net_free(net);
}

TEST_MAIN("plan")
