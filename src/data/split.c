/* Which samples train and which test: see dataset.h.
 * SPDX-License-Identifier: MIT */
#include "data/dataset.h"

#include "core/array.h"
#include "core/rng.h"
#include <math.h>
#include <stdlib.h>

/* Splitting's own stream of random numbers, apart from those that draw weights and batches under the same seed. */
static const uint64_t SPLIT_STREAM = (uint64_t)0x53504c54 << 32; /* "SPLT" */

void
split_free(Split *split)
{
    array_free(split->train);
    array_free(split->validation);
    array_free(split->test);
    *split = (Split){0};
}

static bool
allocate(Split *split, size_t train, size_t validation, size_t test, Error *error)
{
    *split = (Split){.train_count = train, .validation_count = validation, .test_count = test};
    split->train = array_try_create(train, sizeof(size_t), error);
    split->validation = split->train ? array_try_create(validation, sizeof(size_t), error) : NULL;
    split->test = split->validation ? array_try_create(test, sizeof(size_t), error) : NULL;
    if (split->test)
        return true;
    split_free(split);
    return false;
}

typedef struct Share {
    double missing; /* of the exact share, after rounding down */
    int class;
} Share;

static int
most_missing_first(const void *a, const void *b)
{
    const Share *x = a, *y = b;
    if (x->missing != y->missing)
        return x->missing > y->missing ? -1 : 1;
    return x->class - y->class;
}

/* How many samples each class gives to one part: quota[c] of the room[c] that it still has, `total` together.
 *
 * Largest remainders (Hamilton): class c should give fraction * size[c], which is no integer. Each gives the integer part; the
 * samples then missing come one each from the classes with the largest fractional parts, the lower class first if equal. */
static void
apportion(const size_t *size, const size_t *room, int classes, double fraction, size_t total, size_t *quota)
{
    Share *shares = ARRAY(Share, (size_t)classes);
    size_t given = 0;
    for (int c = 0; c < classes; c++) {
        double exact = fraction * (double)size[c], whole = floor(exact);
        quota[c] = whole < (double)room[c] ? (size_t)whole : room[c];
        given += quota[c];
        shares[c] = (Share){exact - (double)quota[c], c};
    }
    qsort(shares, (size_t)classes, sizeof(*shares), most_missing_first);
    for (int i = 0; given < total; i = (i + 1) % classes) { /* total is at most the sum of the rooms, so this ends */
        int c = shares[i].class;
        if (quota[c] < room[c]) {
            quota[c]++;
            given++;
        }
    }
    array_free(shares);
}

/* [classes] numbers each: how many samples a class has, and how many of them each part still wants. */
typedef struct Quotas {
    size_t *size, *room, *validation, *test;
    size_t validation_total, test_total;
} Quotas;

static void
plan(const Dataset *dataset, double validation, double test, Quotas *quotas)
{
    size_t classes = (size_t)dataset->classes;
    *quotas =
        (Quotas){ARRAY(size_t, classes), ARRAY(size_t, classes), ARRAY(size_t, classes), ARRAY(size_t, classes), 0, 0};
    for (size_t i = 0; i < dataset->count; i++)
        quotas->size[dataset->labels[i]]++;
    double count = (double)dataset->count;
    quotas->test_total = (size_t)fmin(round(test * count), count);
    quotas->validation_total = (size_t)fmin(round(validation * count), count - (double)quotas->test_total);
    apportion(quotas->size, quotas->size, dataset->classes, test, quotas->test_total, quotas->test);
    for (size_t c = 0; c < classes; c++)
        quotas->room[c] = quotas->size[c] - quotas->test[c];
    apportion(quotas->size, quotas->room, dataset->classes, validation, quotas->validation_total, quotas->validation);
}

/* Walks once through all samples in random order and puts each where its class is still wanted: so every part is in
 * random order too. */
static bool
deal(const Dataset *dataset, uint64_t seed, Quotas *quotas, Split *split, Error *error)
{
    size_t *order = array_try_create(dataset->count, sizeof(size_t), error);
    if (!order)
        return false;
    for (size_t i = 0; i < dataset->count; i++)
        order[i] = i;
    Rng rng = rng_create(seed, SPLIT_STREAM);
    rng_shuffle(&rng, order, dataset->count);
    size_t train = 0, validation = 0, test = 0;
    for (size_t i = 0; i < dataset->count; i++) {
        int class = dataset->labels[order[i]];
        if (quotas->test[class] > 0) {
            quotas->test[class]--;
            split->test[test++] = order[i];
        } else if (quotas->validation[class] > 0) {
            quotas->validation[class]--;
            split->validation[validation++] = order[i];
        } else {
            split->train[train++] = order[i];
        }
    }
    array_free(order);
    return true;
}

static bool
check(const Dataset *dataset, double validation, double test, Error *error)
{
    if (!(validation >= 0 && test >= 0 && validation + test <= 1 + 1e-9))
        return error_set(error,
                         "the fractions of validation (%g) and test (%g) must be 0 or more and 1 at most together",
                         validation, test);
    if (dataset->count == 0 || dataset->classes < 1)
        return error_set(error, "a data set without samples or classes cannot be split");
    for (size_t i = 0; i < dataset->count; i++) {
        if (dataset->labels[i] < 0 || dataset->labels[i] >= dataset->classes)
            return error_set(error, "sample %zu has label %d, expected 0 .. %d", i, dataset->labels[i],
                             dataset->classes - 1);
    }
    return true;
}

bool
dataset_split(const Dataset *dataset, double validation, double test, uint64_t seed, Split *split, Error *error)
{
    *split = (Split){0};
    if (!check(dataset, validation, test, error))
        return false;
    Quotas quotas;
    plan(dataset, validation, test, &quotas);
    size_t rest = dataset->count - quotas.validation_total - quotas.test_total;
    bool ok = allocate(split, rest, quotas.validation_total, quotas.test_total, error) &&
              deal(dataset, seed, &quotas, split, error);
    array_free(quotas.size);
    array_free(quotas.room);
    array_free(quotas.validation);
    array_free(quotas.test);
    if (!ok)
        split_free(split);
    return ok;
}

bool
dataset_split_at(const Dataset *dataset, size_t train_count, double validation, Split *split, Error *error)
{
    *split = (Split){0};
    if (train_count > dataset->count)
        return error_set(error, "%zu training samples were wanted, but %s has %zu samples", train_count, dataset->name,
                         dataset->count);
    const size_t count = (size_t)(validation * (double)train_count), rest = train_count - count;
    if (!allocate(split, rest, count, dataset->count - train_count, error))
        return false;
    for (size_t i = 0; i < rest; i++)
        split->train[i] = i;
    for (size_t i = 0; i < count; i++)
        split->validation[i] = rest + i;
    for (size_t i = 0; i < split->test_count; i++)
        split->test[i] = train_count + i;
    return true;
}
