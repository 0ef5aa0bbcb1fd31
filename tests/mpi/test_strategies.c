/* The tables of the strategies (mpi/parallel/strategy.h), and what is asked of them. SPDX-License-Identifier: MIT */
#include "mpi/model/merge.h"
#include "mpi/parallel/strategy.h"
#include "tests/testing.h"

/* The option of this name; NULL if there is none. */
static const Option *
find(const Option *table, const char *name, size_t length)
{
    for (int i = 0; i < STRATEGY_OPTIONS; i++)
        if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0)
            return &table[i];
    return NULL;
}

TEST(every_table_is_whole)
{
    StrategyValues values = strategy_defaults();
    Option table[STRATEGY_OPTIONS];
    strategy_options(&values, table);
    for (int i = 0; i < STRATEGIES; i++) {
        const Strategy *s = &strategies[i];
        ck_assert_ptr_eq(strategy_named(s->name), s); /* the only one of its name */
        ck_assert(strlen(s->idea) > 20 && s->fewest >= 1 && s->axis < GRID_AXES && s->create != NULL);
        for (const char *word = s->uses; *word != '\0';) {
            const size_t length = strcspn(word, " ");
            const Option *option = find(table, word, length);
            ck_assert_msg(option != NULL, "%s uses an option that there is not: %s", s->name, word);
            ck_assert_ptr_nonnull(strstr(option->help, s->name)); /* the help says whom it concerns */
            word += length + strspn(word + length, " ");
        }
    }
    ck_assert_ptr_null(strategy_named("dat"));
}

TEST(options_point_into_the_values)
{
    StrategyValues values = strategy_defaults(), others = strategy_defaults();
    Option table[STRATEGY_OPTIONS];
    strategy_options(&values, table);
    *(uint64_t *)find(table, "bucket", 6)->value = 5;
    *(int *)find(table, "servers", 7)->value = 6;
    *(double *)find(table, "elasticity", 10)->value = 0.5;
    const DataOptions *data = strategy_values(strategy_named("data"), &values);
    const ServerOptions *server = strategy_values(strategy_named("async"), &values);
    const PeerOptions *peer = strategy_values(strategy_named("easgd"), &values);
    ck_assert(data->bucket == 5 && data->first_bucket == 1 << 20 && strcmp(data->overlap, "ddp") == 0);
    ck_assert(server->servers == 6 && server->bound == -1 && peer->every == 4 && peer->elasticity == 0.5);
    data = strategy_values(strategy_named("data"), &others);
    ck_assert(data->bucket == 25 << 20);
}

TEST(it_is_known_whom_an_option_concerns)
{
    static const struct {
        const char *option, *users;
    } cases[] = {{"overlap", "data"},
                 {"bucket", "data with --overlap ddp"},
                 {"servers", "server and async"},
                 {"bound", "async"},
                 {"every", "local and easgd"},
                 {"elasticity", "easgd"},
                 {"cut", "pipeline"},
                 {"collectives", ""}};
    char text[128];
    for (size_t i = 0; i < COUNT(cases); i++)
        ck_assert_str_eq(strategy_users(cases[i].option, text, sizeof(text)), cases[i].users);
}

TEST(whether_an_option_is_used_depends_on_strategy_and_values)
{
    StrategyValues values = strategy_defaults();
    Option table[STRATEGY_OPTIONS];
    strategy_options(&values, table);
    ck_assert(strategy_uses(strategy_named("data"), &values, "bucket") &&
              strategy_uses(strategy_named("data"), &values, "overlap"));
    *(const char **)find(table, "overlap", 7)->value = "wfbp";
    ck_assert(!strategy_uses(strategy_named("data"), &values, "bucket") &&
              strategy_uses(strategy_named("data"), &values, "overlap"));
    ck_assert(!strategy_uses(NULL, &values, "overlap") && !strategy_uses(strategy_named("gossip"), &values, "every"));
    ck_assert(strategy_uses(strategy_named("local"), &values, "every") &&
              !strategy_uses(strategy_named("local"), &values, "elasticity"));
    ck_assert(!strategy_uses(strategy_named("data"), &values, "over") &&
              !strategy_uses(strategy_named("data"), &values, "overlaps"));
    ck_assert(strategy_decides(strategy_named("async"), "bound") &&
              !strategy_decides(strategy_named("server"), "bound"));
    ck_assert(!strategy_decides(strategy_named("async"), "servers") && !strategy_decides(NULL, "bound"));
}

TEST(replicas_share_the_batch)
{
    StrategyValues values = strategy_defaults();
    ck_assert_int_eq(strategy_replicas(strategy_named("data"), &values, 6), 6);
    ck_assert_int_eq(strategy_replicas(strategy_named("server"), &values, 6), 5);
    ck_assert_int_eq(strategy_replicas(strategy_named("pipeline"), &values, 6), 1);
    values.pipeline.stages = 3;
    ck_assert_int_eq(strategy_replicas(strategy_named("pipeline"), &values, 6), 2);
    ck_assert_int_eq(strategy_replicas(NULL, &values, 1), 1);
}

TEST(values_that_cannot_work_get_a_sentence)
{
    StrategyValues values = strategy_defaults();
    Option table[STRATEGY_OPTIONS];
    strategy_options(&values, table);
    ck_assert(strategy_check(&values, &error));
    *(uint64_t *)find(table, "first-bucket", 12)->value = 0;
    ck_assert(!strategy_check(&values, &error));
    ck_assert_str_eq(error.text, "--first-bucket: a bucket of 0 bytes holds nothing: give 1 or more, as in 25MB");
}

/* The table is compiled without MPI, too, and so these words stand there once more. */
TEST(overlaps_are_those_of_the_model)
{
    StrategyValues values = strategy_defaults();
    Option table[STRATEGY_OPTIONS];
    strategy_options(&values, table);
    char all[256] = "";
    for (int mode = 0; mode < STEP_MODES; mode++)
        snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", mode == 0 ? "" : "|", step_modes[mode]);
    ck_assert_str_eq(find(table, "overlap", 7)->choices, all);
}

TEST_MAIN("strategies")
