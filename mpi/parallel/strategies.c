/* The list of strategies, and what is asked of it (mpi/parallel/strategy.h). SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "mpi/parallel/data/options.h"
#include "mpi/parallel/gossip/options.h"
#include "mpi/parallel/server/options.h"
#include "mpi/parallel/strategy.h"
#include <string.h>

const Strategy *const strategies[] = {
    &strategy_data, &strategy_server, &strategy_async, &strategy_gossip, &strategy_local, &strategy_easgd, NULL,
};

const Strategy *
strategy_named(const char *name)
{
    for (int i = 0; strategies[i] != NULL; i++)
        if (strcmp(strategies[i]->name, name) == 0)
            return strategies[i];
    return NULL;
}

/* ---- folders --------------------------------------------------------------------------------------------------------- */

/* Folder number f, in the order of the list; NULL behind the last. */
static const StrategyOptions *
folder(int f)
{
    const StrategyOptions *last = NULL;
    for (int i = 0; strategies[i] != NULL; i++) {
        const StrategyOptions *options = strategies[i]->options;
        if (options == NULL || options == last)
            continue;
        CHECK_THAT(f < STRATEGY_FOLDERS_MAX && options->size <= STRATEGY_VALUES_MAX,
                   "more options of strategies than there is room for: see StrategyValues");
        if (f-- == 0)
            return options;
        last = options;
    }
    return NULL;
}

StrategyValues
strategy_defaults(void)
{
    StrategyValues values = {0};
    for (int f = 0; folder(f) != NULL; f++)
        memcpy(values.of[f], folder(f)->defaults, folder(f)->size);
    return values;
}

const void *
strategy_values(const Strategy *strategy, const StrategyValues *values)
{
    for (int f = 0; folder(f) != NULL; f++)
        if (folder(f) == strategy->options)
            return values->of[f];
    return NULL;
}

int
strategy_options(StrategyValues *values, Option table[STRATEGY_OPTIONS_MAX])
{
    int count = 0;
    for (int f = 0; folder(f) != NULL; f++)
        for (int i = 0; i < folder(f)->count && count < STRATEGY_OPTIONS_MAX; i++, count++) {
            table[count] = folder(f)->option[i].option;
            table[count].value = values->of[f] + (size_t)table[count].value;
        }
    CHECK_THAT(count < STRATEGY_OPTIONS_MAX, "%d options of strategies are too many", count);
    return count;
}

bool
strategy_check(const StrategyValues *values, Error *error)
{
    for (int f = 0; folder(f) != NULL; f++)
        if (folder(f)->check != NULL && !folder(f)->check(values->of[f], error))
            return false;
    return true;
}

/* ---- options --------------------------------------------------------------------------------------------------------- */

static bool
has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (; text != NULL && *text != '\0'; text += strspn(text, " ")) {
        const size_t next = strcspn(text, " ");
        if (next == length && strncmp(text, word, length) == 0)
            return true;
        text += next;
    }
    return false;
}

/* The strategy's option of this name; NULL if it has none. */
static const StrategyOption *
option_of(const Strategy *strategy, const char *name)
{
    if (strategy == NULL || !has_word(strategy->uses, name))
        return NULL;
    for (int i = 0; i < strategy->options->count; i++)
        if (strcmp(strategy->options->option[i].option.name, name) == 0)
            return &strategy->options->option[i];
    return NULL;
}

bool
strategy_uses(const Strategy *strategy, const StrategyValues *values, const char *option)
{
    const StrategyOption *found = option_of(strategy, option);
    if (found == NULL || found->with == NULL)
        return found != NULL;
    const char *mine = strategy_values(strategy, values);
    const StrategyOption *with = option_of(strategy, found->with);
    return strcmp(*(const char *const *)(mine + (size_t)with->option.value), found->value) == 0;
}

bool
strategy_decides(const Strategy *strategy, const char *option)
{
    const StrategyOption *found = option_of(strategy, option);
    return found != NULL && found->decides;
}

const char *
strategy_users(const char *option, char *text, size_t size)
{
    const StrategyOption *found = NULL;
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; strategies[i] != NULL && length < size; i++) {
        const StrategyOption *its = option_of(strategies[i], option);
        if (its == NULL)
            continue;
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", found != NULL ? " and " : "", strategies[i]->name);
        found = its;
    }
    if (found != NULL && found->with != NULL && length < size)
        snprintf(text + length, size - length, " with --%s %s", found->with, found->value);
    return text;
}
