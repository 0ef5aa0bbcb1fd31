/* The tables of collectives that go by one name. No rank is needed to look them up. SPDX-License-Identifier: MIT */
#include "mpi/collectives/ladders.h"
#include "tests/testing.h"

static CollectiveFunction *
function_of(const Collectives *c, CollectiveKind kind)
{
    switch (kind) {
    case COLLECTIVE_ALLREDUCE:
        return (CollectiveFunction *)c->all_reduce;
    case COLLECTIVE_REDUCE:
        return (CollectiveFunction *)c->reduce;
    case COLLECTIVE_BROADCAST:
        return (CollectiveFunction *)c->broadcast;
    case COLLECTIVE_REDUCE_SCATTER:
        return (CollectiveFunction *)c->reduce_scatter;
    case COLLECTIVE_ALL_GATHER:
        return (CollectiveFunction *)c->all_gather;
    case COLLECTIVE_GATHER:
        return (CollectiveFunction *)c->gather;
    case COLLECTIVE_SCATTER:
        return (CollectiveFunction *)c->scatter;
    case COLLECTIVE_ALL_TO_ALL:
        return (CollectiveFunction *)c->all_to_all;
    default:
        return (CollectiveFunction *)c->barrier;
    }
}

/* The rung of the ladder that the table uses. */
static const CollectiveRung *
rung_used(const Collectives *c, const CollectiveLadder *ladder)
{
    for (int i = 0; i < ladder->count; i++)
        if (ladder->rungs[i].function == function_of(c, ladder->kind))
            return &ladder->rungs[i];
    return NULL;
}

TEST(every_all_reduce_names_a_whole_table)
{
    for (int i = 0; i < allreduce_ladder.count; i++) {
        const char *name = allreduce_ladder.rungs[i].name;
        const Collectives *c = collectives_named(name, NULL);
        ck_assert_ptr_nonnull(c);
        ck_assert_str_eq(c->name, name);
        ck_assert(c->all_reduce == (AllReduce *)allreduce_ladder.rungs[i].function);
        for (int k = 0; collective_ladders[k] != NULL; k++) {
            const CollectiveLadder *ladder = collective_ladders[k];
            const CollectiveRung *used = rung_used(c, ladder), *same = collective_rung(ladder, name);
            ck_assert_msg(used != NULL, "%s: its %s is on no ladder", name, ladder->name);
            ck_assert_msg(same == NULL || used == same, "%s: its %s is %s", name, ladder->name, used->name);
            ck_assert_msg(used->peer == allreduce_ladder.rungs[i].peer, "%s: its %s is %s", name, ladder->name,
                          used->name);
        }
        ck_assert_ptr_eq(collectives_named(name, NULL), c);
    }
}

TEST(the_naive_table_is_the_bottom_of_each_ladder)
{
    const Collectives *naive = collectives_named("naive", NULL);
    for (int k = 0; collective_ladders[k] != NULL; k++)
        ck_assert_ptr_eq(rung_used(naive, collective_ladders[k]), &collective_ladders[k]->rungs[0]);
}

TEST(an_unknown_table_is_refused_in_a_sentence)
{
    ck_assert_refused(collectives_named("naiv", &error), "'naiv'");
    ck_assert_ptr_nonnull(strstr(error.text, "did you mean 'naive'?"));
    for (int i = 0; i < allreduce_ladder.count; i++)
        ck_assert_msg(strstr(error.text, allreduce_ladder.rungs[i].name) != NULL, "not named: %s in: %s",
                      allreduce_ladder.rungs[i].name, error.text);
    ck_assert_ptr_null(collectives_named("butterflies", &error));
    ck_assert_ptr_null(strstr(error.text, "did you mean"));
    ck_assert_ptr_null(collectives_named("", &error));
    ck_assert_ptr_null(collectives_named("Naive", NULL));
}

TEST_MAIN("choose")
