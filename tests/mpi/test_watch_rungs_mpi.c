/* Messages, bytes and steps of the rungs of all-reduce as counted, beside the formulas of their headers.
 * SPDX-License-Identifier: MIT */
#include "core/gnuplot.h"
#include "mpi/collectives/collectives.h"
#include "tests/mpi/watch_case.h"

static int
ceil_lg(int ranks)
{
    int steps = 0;
    while (1 << steps < ranks)
        steps++;
    return steps;
}

/* Runs the rung on N floats; NULL if this build does not have it. */
static const CollectiveRung *
watch_rung(const char *name, WatchCounts *counts)
{
    const CollectiveLadder *ladder = collective_ladder(COLLECTIVE_ALLREDUCE);
    const CollectiveRung *rung = collective_rung(ladder, name);
    begin();
    if (rung != NULL)
        collective_run(ladder, rung, comm, x, y, N, ELEMENT_FLOAT, REDUCTION_SUM, 0);
    *counts = watch_end(comm->mpi);
    comm_free(comm);
    return rung;
}

static void
skip_unless(const CollectiveRung *rung, bool powers_only)
{
    if (rung == NULL)
        skip_test("this build has no such rung");
    if (powers_only && (p & (p - 1)) != 0)
        skip_test("%d ranks are no power of two", p);
}

TEST(naive_goes_through_its_root)
{
    WatchCounts counts;
    skip_unless(watch_rung("naive", &counts), false);
    const int mine = r == 0 ? p - 1 : 1;
    expect("messages sent", counts.mine.sent, mine);
    expect("messages received", counts.mine.received, mine);
    expect("bytes sent", counts.mine.sent_bytes, mine * (int64_t)sizeof(x));
    expect("bytes received", counts.mine.received_bytes, mine * (int64_t)sizeof(x));
    expect("most messages of a rank", counts.busiest.sent, p - 1);
    expect("all messages", counts.total.sent, 2 * (p - 1));
    expect("steps", counts.steps, 2 * (p - 1));
    expect("the library's own collectives", counts.total.collectives, 0);
}

TEST(whole_ring_sends_all_to_the_next)
{
    WatchCounts counts;
    skip_unless(watch_rung("whole_ring", &counts), false);
    expect("messages", counts.mine.sent, p - 1);
    expect("bytes", counts.mine.sent_bytes, (p - 1) * (int64_t)sizeof(x));
    expect("steps", counts.steps, p - 1);
}

TEST(tree_climbs_up_and_down)
{
    WatchCounts counts;
    skip_unless(watch_rung("tree", &counts), false);
    expect("all messages", counts.total.sent, 2 * (p - 1));
    expect("steps", counts.steps, 2 * ceil_lg(p));
}

TEST(recursive_doubling_takes_lg_p_steps)
{
    WatchCounts counts;
    skip_unless(watch_rung("recursive_doubling", &counts), true);
    expect("messages", counts.mine.sent, ceil_lg(p));
    expect("bytes", counts.mine.sent_bytes, ceil_lg(p) * (int64_t)sizeof(x));
    expect("steps", counts.steps, ceil_lg(p));
}

TEST(ring_sends_twice_all_but_its_chunk)
{
    WatchCounts counts;
    skip_unless(watch_rung("ring", &counts), false);
    expect("messages", counts.mine.sent, 2 * (p - 1));
    expect("bytes", counts.mine.sent_bytes, 2 * (p - 1) * (int64_t)sizeof(x) / p);
    expect("bytes received", counts.mine.received_bytes, 2 * (p - 1) * (int64_t)sizeof(x) / p);
    expect("steps", counts.steps, 2 * (p - 1));
}

TEST(rabenseifner_takes_few_steps_and_few_bytes)
{
    WatchCounts counts;
    skip_unless(watch_rung("rabenseifner", &counts), true);
    expect("messages", counts.mine.sent, 2 * ceil_lg(p));
    expect("bytes", counts.mine.sent_bytes, 2 * (p - 1) * (int64_t)sizeof(x) / p);
    expect("steps", counts.steps, 2 * ceil_lg(p));
}

TEST(a_figure_has_a_lane_for_each_rank)
{
    WatchCounts counts;
    watch_rung("naive", &counts);
    if (!gnuplot_is_here(&error))
        skip_test("%s", error.text);
    const char *path = testing_path("naive.svg");
    bool found = true;
    if (r == 0) {
        ck_assert_ok(watch_svg(path, "naive all-reduce", &error));
        static char text[1 << 20];
        FILE *file = fopen(path, "rb");
        const size_t length = fread(text, 1, sizeof(text) - 1, file);
        fclose(file);
        text[length] = '\0';
        char lane[32];
        snprintf(lane, sizeof(lane), "rank %d", p - 1);
        found = strstr(text, lane) != NULL && strstr(text, "naive all-reduce") != NULL;
    }
    ck_assert_all(found);
}

TEST_MAIN_MPI("watch_rungs")
