/* Data parallelism, for the command line (data.h says how it works). SPDX-License-Identifier: MIT */
#include "core/units.h"
#include "mpi/parallel/data/options.h"
#include <string.h>
#ifdef HAVE_MPI
#include "mpi/parallel/data/data.h"
#endif

static const DataOptions defaults = {.overlap = "ddp", .bucket = 25 << 20, .first_bucket = 1 << 20};

static const StrategyOption table[] = {
    {{"overlap", OPTION_CHOICE, STRATEGY_VALUE(DataOptions, overlap), "HOW",
      "data: which gradients are sent together, and when", "naive|fused|wfbp|ddp|greedy|optimal"}},
    {{"bucket", OPTION_BYTES, STRATEGY_VALUE(DataOptions, bucket), "SIZE",
      "data, ddp: a bucket of gradients is sent when it has reached it"},
     .with = "overlap",
     .value = "ddp"},
    {{"first-bucket", OPTION_BYTES, STRATEGY_VALUE(DataOptions, first_bucket), "SIZE",
      "data, ddp: that of the first bucket, small to begin early"},
     .with = "overlap",
     .value = "ddp"},
    {{"sync-batchnorm", OPTION_FLAG, STRATEGY_VALUE(DataOptions, sync_batchnorm), "",
      "data: batch normalisation by the statistics of the global batch, not of each rank's slice"},
     .decides = true},
};

static bool
check(const void *values, Error *error)
{
    const DataOptions *o = values;
    return (o->bucket > 0 && o->first_bucket > 0) ||
           error_set(error, "--%s: a bucket of 0 bytes holds nothing: give 1 or more, as in 25MB",
                     o->bucket == 0 ? "bucket" : "first-bucket");
}

static const StrategyOptions options = {.size = sizeof(DataOptions),
                                        .defaults = &defaults,
                                        .option = table,
                                        .count = sizeof(table) / sizeof(table[0]),
                                        .check = check};

static void
describe(const Strategy *strategy, const void *values, FILE *out)
{
    const DataOptions *o = values;
    char bucket[UNITS_SIZE], first[UNITS_SIZE];
    (void)strategy;
    fprintf(out, ", overlap %s", o->overlap);
    if (strcmp(o->overlap, "ddp") == 0)
        fprintf(out, " in buckets of %s, the first of %s", units_bytes(bucket, (double)o->bucket),
                units_bytes(first, (double)o->first_bucket));
    if (o->sync_batchnorm)
        fprintf(out, ", batch normalisation synchronised");
}

const Strategy strategy_data = {
    .name = "data",
    .idea = "each rank computes the gradient of its slice of the batch; an all-reduce adds them",
    .axis = GRID_DATA,
    .fewest = 1,
    .on_device = true,
    .synchronous = true,
    .options = &options,
    .uses = "overlap bucket first-bucket sync-batchnorm",
    .describe = describe,
#ifdef HAVE_MPI
    .create = data_create,
#endif
};
