/* Lab 07: data-parallel training, exercises/07-data-parallel. The buckets and the order in which they are sent are tested without
 * ranks; the rest on 1, 2, 3, 4 and 7, against one process. Results and calls are counted, nothing is timed.
 * SPDX-License-Identifier: MIT */
#include "grade_ranks.h"
#include "lab_07_buckets.h"
#ifdef HAVE_MPI
#include "lab_07_reducer.h"

#define LOCAL_TEST(name, body)                                                                                         \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        body();                                                                                                        \
    }
#else
#define LOCAL_TEST(name, body) GRADE_NEEDS_MPI(name)
#endif

LOCAL_TEST(buckets_random, lab_07_random_buckets)
LOCAL_TEST(buckets_first, lab_07_first_bucket)
LOCAL_TEST(buckets_edges, lab_07_edges)
LOCAL_TEST(buckets_resnet50, lab_07_resnet50)

LOCAL_TEST(hook_complete, lab_07_sent_when_complete)
LOCAL_TEST(hook_order, lab_07_sent_in_order)
LOCAL_TEST(hook_layers, lab_07_whole_layers)
GRADE_RANKS_TEST(hook_sums, "07.2 sums")

GRADE_RANKS_TEST(step_same, "07.3 same")
GRADE_RANKS_TEST(step_loss, "07.3 loss")
GRADE_RANKS_TEST(step_counts, "07.3 all-reduces")

GRADE_RANKS_TEST_FROM(2, server_same, "07.4 same")
GRADE_RANKS_TEST_FROM(2, server_order, "07.4 order")
GRADE_RANKS_TEST_FROM(2, server_update, "07.4 update")

/* Seconds: for runs of ranks, on one busy core. */
GRADE_LAB("07", "Data-parallel training", {"07.1", "closed at the cap", 8, &buckets_random, 5},
          {"07.1", "the first has a cap of its own", 5, &buckets_first, 5},
          {"07.1", "exactly full, too large, not full", 6, &buckets_edges, 5},
          {"07.1", "the buckets of ResNet-50", 4, &buckets_resnet50, 5},
          {"07.2", "sent when complete, once", 9, &hook_complete, 30}, {"07.2", "sent in order", 10, &hook_order, 30},
          {"07.2", "several tensors at once", 5, &hook_layers, 30},
          {"07.2", "the sums, gradients in any order", 6, &hook_sums, 90},
          {"07.3", "as one process (uses 07.2)", 12, &step_same, 90},
          {"07.3", "the loss, and who stops (uses 07.2)", 5, &step_loss, 90},
          {"07.3", "all-reduces of a step (uses 07.2)", 5, &step_counts, 90},
          {"07.4", "as one process", 12, &server_same, 90},
          {"07.4", "in the order of the workers", 8, &server_order, 90},
          {"07.4", "one update in a step", 5, &server_update, 90})
