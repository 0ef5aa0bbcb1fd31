/* Which layers' gradients are sent together, and how long a step of data-parallel SGD then takes. Nothing here communicates or
 * looks at a clock: seconds go in, seconds come out.
 *
 * Layers are numbered 1 .. L in the network's order; backward goes from L to 1. Layer l stands at [l - 1] of all arrays. The
 * gradient of layer l is final when its backward ends, at ready[l] = t_f + t_b[L] + .. + t_b[l]; from then on it may be sent.
 * There is one link, which carries one all-reduce at a time; t_c(n) are the seconds of one over n bytes. A group of neighbours
 * goes in one all-reduce, when the last of them is ready:
 *
 *     compute   forward | 4 | 3 | 2 | 1 |          | update
 *     network               [   4 3   ][   2 1    ]             groups {4, 3}, {2, 1}
 *
 *     begin(group) = max(end(group before), ready(lowest layer of group)),  end = begin + t_c(bytes of the group)
 *
 * That trades two things: every all-reduce pays a latency, which speaks for few groups; a long group begins late, which speaks for
 * many. The rules: wait-free backpropagation (Poseidon: Zhang et al., USENIX ATC 2017); MG-WFBP (Shi, Chu and Li, INFOCOM 2019,
 * arXiv 1811.11141; the condition as in the authors' github.com/HKBU-HPML/MG-WFBP, distributed_optimizer.py). The latter is greedy
 * and not always the best: tests/mpi/test_merge.c shows it, against an exact dynamic program.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_MODEL_MERGE_H
#define MPI_MODEL_MERGE_H

#include <stdbool.h>
#include <stdio.h>

enum { STEP_LAYERS = 1024 }; /* at most */

/* t_c: seconds of an all-reduce over bytes > 0. Must not shrink as bytes grow. */
typedef struct AllReduceTime {
    double (*seconds)(const void *context, double bytes);
    const void *context; /* stays the caller's */
} AllReduceTime;

/* The textbook's line a + n b. For a ring of p ranks a = 2 (p - 1) alpha and b = 2 (p - 1) / p (beta + gamma / 2). */
typedef struct AllReduceLine {
    double a, b; /* seconds; seconds per byte */
} AllReduceLine;
AllReduceTime all_reduce_line(const AllReduceLine *line); /* *line must live as long as what is returned */

/* What is known of a step. */
typedef struct StepCase {
    int layers;             /* L: 1 .. STEP_LAYERS */
    double forward;         /* t_f: seconds of the forward pass */
    const double *backward; /* t_b[l - 1]: seconds of layer l's backward */
    const double *bytes;    /* bytes[l - 1]: of layer l's gradients; 0 for a layer without weights */
    double update;          /* t_u: seconds of the optimiser, after the last all-reduce */
    AllReduceTime all_reduce;
} StepCase;

/* Layers first .. last, sent together. A group of 0 bytes is not sent and takes no time: begin = end. */
typedef struct StepGroup {
    int last, first; /* last >= first */
    double bytes;
    double ready;      /* seconds since the step began: when its gradients are final */
    double begin, end; /* of its all-reduce */
} StepGroup;

/* A step as predicted. Times are seconds since it began, at 0, with its forward pass. About 56 KiB. */
typedef struct Step {
    int layers, groups;
    double forward_end;
    double backward_begin[STEP_LAYERS],
        backward_end[STEP_LAYERS]; /* layer l at [l - 1]; they end in the order L .. 1 */
    StepGroup group[STEP_LAYERS];  /* in the order in which they are sent: group[0] has layer L */
    double update_begin;
    double seconds;       /* of the whole step */
    double communication; /* seconds that the line is busy */
    double exposed;       /* of these, seconds during which nothing is computed: communication - exposed is hidden */
} Step;

/* Any grouping: group g is layers first[g] .. first[g - 1] - 1, and group 0 ends with layer L. first[] shrinks down to 1.
 * overlapped: groups are sent as they become ready, otherwise only when backward has ended. False if this is no grouping: *step
 * is not changed then. */
bool step_of_groups(const StepCase *what, const int *first, int groups, bool overlapped, Step *step);

/* The strategies without a choice. */
void step_naive(const StepCase *what, Step *step); /* after backward, layer by layer: t_f + sum t_b + sum t_c */
void step_fused(const StepCase *what, Step *step); /* after backward, one all-reduce: t_f + sum t_b + t_c(sum) */
void step_wfbp(const StepCase *what, Step *step);  /* wait-free: each layer by itself as it becomes ready */

/* DistributedDataParallel's buckets (Li et al., VLDB 2020, arXiv 2006.15704): from layer L down, a bucket is closed by the layer
 * with which it has reached `bucket` bytes, the first one `first_bucket` bytes. 0: every layer closes its bucket. */
void step_buckets(const StepCase *what, double first_bucket, double bucket, Step *step);

/* MG-WFBP's greedy rule: from layer L down, layer l - 1 joins the group of l if it is ready before that group's all-reduce would
 * end, and either that has not begun by then, or waiting for it takes less than merging saves. What merging saves is
 * t_c(n) + t_c(m) - t_c(n + m), which for the line a + n b is the a of the paper. O(L). */
void merge_greedy(const StepCase *what, Step *step);

/* The shortest step that any grouping can have, exactly, whatever t_c is. With layers counted in the order in which they are
 * ready, f(j) = when the first j can have been sent:
 *     f(0) = 0,   f(j) = min over i < j of  max(f(i), ready[j]) + t_c(bytes of i + 1 .. j)
 * because an earlier end of the groups before never makes a later end. Of equally short ones that with the longest last group.
 * O(L^2). */
void merge_optimal(const StepCase *what, Step *step);

/* By the names of DataOptions.overlap: "naive", "fused", "wfbp", "ddp", "greedy", "optimal"; the buckets concern "ddp" only.
 * False for another name. */
enum { STEP_MODES = 6 };
extern const char *const step_modes[STEP_MODES];
bool step_of_mode(const char *mode, const StepCase *what, double first_bucket, double bucket, Step *step);

/* For people: a line for each of step_modes with its all-reduces, the predicted seconds of a step, how much of the
 * communication is overlapped, and beside it measured[m] of mode m and measured / predicted. measured: seconds[STEP_MODES], NaN
 * for a mode that was not measured; NULL: none was, and the columns are left out. */
void step_print(FILE *out, const StepCase *what, double first_bucket, double bucket, const double *measured);

#endif
