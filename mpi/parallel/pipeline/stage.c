/* What a stage is made of (stage.h). SPDX-License-Identifier: MIT */
#include "mpi/parallel/pipeline/stage.h"
#include "core/array.h"

/* The boundary before the chunk at this depth, seen from the stage on one side: neighbour is the one on the other. */
static StageBoundary
boundary_at(const PipelinePlan *plan, const Net *net, int depth, int other)
{
    StageBoundary boundary = {.neighbour = -1};
    int chunk;
    if (depth == 0 || depth == plan->depths)
        return boundary;
    boundary.count = net_boundary(net, plan->cut[depth], boundary.values);
    boundary.neighbour = pipeline_stage_of(plan->schedule, other, &chunk);
    return boundary;
}

/* The part of the segment that is in the range. */
static RunSegment
clip(RunSegment segment, LayerRange range)
{
    return (RunSegment){segment.first > range.first ? segment.first : range.first,
                        segment.last < range.last ? segment.last : range.last};
}

static Run *
create_run(const Stage *stage, const StageChunk *chunk)
{
    RunOptions options = train_run_options(stage->train);
    RunSegment *segments = ARRAY(RunSegment, (size_t)options.segments);
    int count = 0;
    for (int s = 0; s < options.segments; s++) {
        segments[count] = clip(options.recomputed[s], chunk->layers);
        count += segments[count].first < segments[count].last;
    }
    options.recomputed = segments;
    options.segments = count;
    options.range = chunk->layers;
    options.splits = stage->plan->schedule->split;
    Run *run = run_create(stage->net, &options);
    array_free(segments);
    return run;
}

/* A free flight of the chunk for each F: their number is the largest that is needed at once. */
static void
assign_flights(const PipelineSchedule *schedule, int stage, StageChunk *chunk)
{
    const PipelineStage *line = &schedule->stage[stage];
    const PipelineKind last = schedule->split ? PIPELINE_W : PIPELINE_B;
    bool *busy = ARRAY(bool, (size_t)schedule->micros);
    int ordered = 0;
    for (int k = 0; k < line->count; k++) {
        const PipelineInstruction what = line->instruction[k];
        if (what.chunk != chunk->number)
            continue;
        if (what.kind == PIPELINE_F) {
            int f = 0;
            while (busy[f])
                f++;
            busy[f] = true;
            chunk->flight_of[what.micro] = f;
            chunk->order[ordered++] = what.micro;
            chunk->flights = f + 1 > chunk->flights ? f + 1 : chunk->flights;
        } else if (what.kind == last) {
            busy[chunk->flight_of[what.micro]] = false;
        }
    }
    array_free(busy);
}

static void
make_flight(const Stage *stage, const StageChunk *chunk, StageFlight *flight)
{
    *flight = (StageFlight){.run = create_run(stage, chunk), .free = true};
    for (int i = 0; i < chunk->before.count; i++) {
        flight->x_before[i] = run_value(flight->run, chunk->before.values[i]);
        flight->dx_before[i] = run_value_gradient(flight->run, chunk->before.values[i]);
    }
    for (int i = 0; i < chunk->behind.count; i++) {
        flight->x_behind[i] = run_value(flight->run, chunk->behind.values[i]);
        flight->dx_behind[i] = run_value_gradient(flight->run, chunk->behind.values[i]);
    }
}

static void
make_chunk(Stage *stage, int number)
{
    const PipelinePlan *plan = stage->plan;
    const size_t micros = (size_t)plan->schedule->micros;
    const int depth = pipeline_depth(plan->schedule, stage->number, number);
    StageChunk *chunk = &stage->chunk[number];
    *chunk = (StageChunk){.number = number,
                          .depth = depth,
                          .layers = pipeline_layers(plan, stage->number, number),
                          .before = boundary_at(plan, stage->net, depth, depth - 1),
                          .behind = boundary_at(plan, stage->net, depth + 1, depth + 1),
                          .flight_of = ARRAY(int, micros),
                          .order = ARRAY(int, micros)};
    assign_flights(plan->schedule, stage->number, chunk);
    chunk->flight = ARRAY(StageFlight, (size_t)chunk->flights);
    for (int f = 0; f < chunk->flights; f++)
        make_flight(stage, chunk, &chunk->flight[f]);
    stage->sends_max += 2 * NET_BOUNDARY * chunk->flights;
}

Stage *
stage_create(const PipelinePlan *plan, Net *net, const TrainOptions *train, Queue *queue, Comm *comm)
{
    Stage *stage = ARRAY(Stage, 1);
    *stage = (Stage){.plan = plan, .number = comm->rank, .net = net, .train = train, .queue = queue, .comm = comm};
    stage->chunk = ARRAY(StageChunk, (size_t)plan->schedule->chunks);
    for (int c = 0; c < plan->schedule->chunks; c++)
        make_chunk(stage, c);
    stage->sends = ARRAY(StageSend, (size_t)stage->sends_max);
    return stage;
}

void
stage_free(Stage *stage)
{
    if (stage == NULL)
        return;
    for (int c = 0; c < stage->plan->schedule->chunks; c++) {
        StageChunk *chunk = &stage->chunk[c];
        for (int f = 0; f < chunk->flights; f++)
            run_free(chunk->flight[f].run);
        run_free(chunk->evaluation);
        array_free(chunk->flight);
        array_free(chunk->flight_of);
        array_free(chunk->order);
    }
    array_free(stage->chunk);
    array_free(stage->sends);
    array_free(stage);
}

size_t
stage_memory(const Stage *stage)
{
    size_t bytes = 0;
    for (int c = 0; c < stage->plan->schedule->chunks; c++)
        for (int f = 0; f < stage->chunk[c].flights; f++)
            bytes += run_memory(stage->chunk[c].flight[f].run);
    return bytes;
}
