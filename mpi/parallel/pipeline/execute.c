/* One instruction after the other (stage.h says what waits for what). SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/clock.h"
#include "mpi/parallel/pipeline/stage.h"
#include <string.h>

/* What an instruction needs to know of its step. */
typedef struct Execution {
    Stage *stage;
    Trainer *trainer;
    const TrainStep *step;
    Batch batch; /* of this replica */
    double loss;
} Execution;

static bool
is_remote(const Stage *stage, const StageBoundary *boundary)
{
    return boundary->neighbour >= 0 && boundary->neighbour != stage->number;
}

static StageFlight *
flight_of(StageChunk *chunk, int micro)
{
    return &chunk->flight[chunk->flight_of[micro]];
}

/* ---- the timeline ---------------------------------------------------------------------------------------------------------- */

/* Computation is in lane 0, messages are in lane 1. prefix: "", "wait ", "send ". */
static void
record(const Execution *e, const char *prefix, PipelineInstruction what, int lane, double start, double end)
{
    char label[PIPELINE_LABEL], name[PIPELINE_LABEL + 8];
    if (e->trainer->trace == NULL)
        return;
    snprintf(name, sizeof(name), "%s%s", prefix, pipeline_label(e->stage->plan->schedule, what, label));
    trace_span(e->trainer->trace, name, "pipeline", e->trainer->process, lane, start, end);
}

/* ---- messages -------------------------------------------------------------------------------------------------------------- */

/* That of value i of a micro-batch, over the boundary before `depth`. */
static int
tag_of(const PipelinePlan *plan, bool backward, int depth, int i, int micro)
{
    const PipelineSchedule *schedule = plan->schedule;
    const int chunk = depth / schedule->stages;
    return ((backward * schedule->chunks + chunk) * plan->values + i) * schedule->micros + micro;
}

/* Forgets the sends that are done; wait: all are, in the end. */
static void
sweep_sends(const Execution *e, bool wait)
{
    Stage *stage = e->stage;
    int left = 0;
    for (int i = 0; i < stage->sending; i++) {
        const StageSend send = stage->sends[i];
        if (wait)
            queue_wait(stage->queue, send.ticket);
        if (queue_done(stage->queue, send.ticket))
            record(e, "send ", send.what, 1, send.start, clock_now());
        else
            stage->sends[left++] = send;
    }
    stage->sending = left;
}

static Ticket
send_value(const Execution *e, PipelineInstruction what, StageBoundary *boundary, int tag, const void *x, size_t bytes)
{
    Stage *stage = e->stage;
    const Ticket ticket = queue_send(stage->queue, stage->comm, boundary->neighbour, tag, x, bytes);
    sweep_sends(e, false);
    stage->sends[stage->sending++] = (StageSend){ticket, what, clock_now()};
    boundary->messages++;
    boundary->bytes += bytes;
    return ticket;
}

/* The batch itself is where the caller has it. */
static const void *
value_behind(const StageChunk *chunk, const StageFlight *flight, int i)
{
    const int value = chunk->behind.values[i];
    return value == 0 ? run_value(flight->run, 0).data : flight->x_behind[i].data;
}

static size_t
value_bytes(RunValue value, int size)
{
    return value.elements * (size_t)size * number_bytes(value.type);
}

static size_t
gradient_bytes(RunValue value, int size)
{
    return value.elements * (size_t)size * sizeof(float);
}

static void
send_forward(const Execution *e, PipelineInstruction what, StageChunk *chunk, StageFlight *flight, int size)
{
    for (int i = 0; i < chunk->behind.count; i++)
        flight->x_out[i] =
            send_value(e, what, &chunk->behind, tag_of(e->stage->plan, false, chunk->depth + 1, i, what.micro),
                       value_behind(chunk, flight, i), value_bytes(flight->x_behind[i], size));
}

static void
send_backward(const Execution *e, PipelineInstruction what, StageChunk *chunk, StageFlight *flight, int size)
{
    for (int i = 0; i < chunk->before.count; i++)
        if (flight->dx_before[i] != NULL)
            flight->dx_out[i] =
                send_value(e, what, &chunk->before, tag_of(e->stage->plan, true, chunk->depth, i, what.micro),
                           flight->dx_before[i], gradient_bytes(flight->x_before[i], size));
}

static void
receive_backward(const Execution *e, const StageChunk *chunk, StageFlight *flight, int micro, int size)
{
    Stage *stage = e->stage;
    for (int i = 0; i < chunk->behind.count; i++)
        if (flight->dx_behind[i] != NULL)
            flight->dx_in[i] = queue_receive(stage->queue, stage->comm, chunk->behind.neighbour,
                                             tag_of(stage->plan, true, chunk->depth + 1, i, micro),
                                             flight->dx_behind[i], gradient_bytes(flight->x_behind[i], size));
}

/* The next micro-batches of the chunk, as long as their flights are free and what these sent is gone; wait: the first one's in any
 * case. */
static void
receive_forward(const Execution *e, StageChunk *chunk, bool wait)
{
    Stage *stage = e->stage;
    for (; is_remote(stage, &chunk->before) && chunk->posted < stage->plan->schedule->micros; chunk->posted++) {
        const int micro = chunk->order[chunk->posted];
        int first;
        const int size = train_micro_batch(stage->train, e->step->samples, micro, &first);
        StageFlight *flight = flight_of(chunk, micro);
        if (!flight->free)
            return;
        for (int i = 0; i < chunk->before.count; i++) {
            if (wait)
                queue_wait(stage->queue, flight->dx_out[i]);
            else if (!queue_done(stage->queue, flight->dx_out[i]))
                return;
        }
        wait = false;
        flight->free = false;
        for (int i = 0; i < chunk->before.count && size > 0; i++)
            flight->x_in[i] = queue_receive(stage->queue, stage->comm, chunk->before.neighbour,
                                            tag_of(stage->plan, false, chunk->depth, i, micro),
                                            flight->x_before[i].data, value_bytes(flight->x_before[i], size));
    }
}

static void
wait_all(const Execution *e, PipelineInstruction what, const Ticket *tickets, int count)
{
    const double start = clock_now();
    bool waited = false;
    for (int i = 0; i < count; i++) {
        waited = waited || !queue_done(e->stage->queue, tickets[i]);
        queue_wait(e->stage->queue, tickets[i]);
    }
    if (waited)
        record(e, "wait ", what, 0, start, clock_now());
}

/* ---- between two chunks of this stage -------------------------------------------------------------------------------------- */

/* The chunk at a depth of this stage. */
static StageChunk *
chunk_at(const Stage *stage, int depth)
{
    int chunk;
    pipeline_stage_of(stage->plan->schedule, depth, &chunk);
    return &stage->chunk[chunk];
}

static void
copy_forward(const Execution *e, const StageChunk *chunk, const StageFlight *flight, int micro, int size)
{
    StageChunk *from = chunk_at(e->stage, chunk->depth - 1);
    for (int i = 0; i < chunk->before.count; i++)
        memcpy(flight->x_before[i].data, value_behind(from, flight_of(from, micro), i),
               value_bytes(flight->x_before[i], size));
}

static void
copy_backward(const Execution *e, const StageChunk *chunk, const StageFlight *flight, int micro, int size)
{
    StageChunk *to = chunk_at(e->stage, chunk->depth - 1);
    for (int i = 0; i < chunk->before.count; i++)
        if (flight->dx_before[i] != NULL)
            memcpy(flight_of(to, micro)->dx_behind[i], flight->dx_before[i], gradient_bytes(flight->x_before[i], size));
}

/* ---- instructions ---------------------------------------------------------------------------------------------------------- */

/* The rows of a micro-batch, and its part of the global batch. */
static Batch
micro_batch(const Execution *e, int micro, double *share)
{
    int first;
    const int size = train_micro_batch(e->stage->train, e->step->samples, micro, &first);
    *share = (double)size / e->step->whole;
    return train_part_of_batch(e->stage->net, &e->batch, first, size);
}

static void
do_forward(Execution *e, PipelineInstruction what, StageChunk *chunk)
{
    Stage *stage = e->stage;
    double share;
    const Batch batch = micro_batch(e, what.micro, &share);
    StageFlight *flight = flight_of(chunk, what.micro);
    receive_forward(e, chunk, flight->free);
    flight->free = false;
    if (++stage->counts.in_flight > stage->counts.peak)
        stage->counts.peak = stage->counts.in_flight;
    if (batch.size == 0)
        return;
    if (is_remote(stage, &chunk->before))
        wait_all(e, what, flight->x_in, chunk->before.count);
    else if (chunk->depth > 0)
        copy_forward(e, chunk, flight, what.micro, batch.size);
    const double start = clock_now(), loss = run_forward(flight->run, &batch);
    stage->counts.busy += clock_now() - start;
    record(e, "", what, 0, start, clock_now());
    if (chunk->behind.neighbour < 0)
        e->loss += share * loss;
    if (is_remote(stage, &chunk->behind)) {
        send_forward(e, what, chunk, flight, batch.size);
        receive_backward(e, chunk, flight, what.micro, batch.size);
    }
}

/* The first gradients of a step replace those of the step before; with the last they are final. */
static RunGradients
next_gradients(const Stage *stage, StageChunk *chunk)
{
    const int number = chunk->gradients++;
    return (number == 0 ? RUN_FIRST : 0) | (chunk->gradients == stage->plan->schedule->micros ? RUN_LAST : 0);
}

static void
do_backward(const Execution *e, PipelineInstruction what, StageChunk *chunk)
{
    Stage *stage = e->stage;
    double share;
    const Batch batch = micro_batch(e, what.micro, &share);
    StageFlight *flight = flight_of(chunk, what.micro);
    const bool split = stage->plan->schedule->split, inputs = what.kind == PIPELINE_B,
               weights = !split || what.kind == PIPELINE_W;
    if (is_remote(stage, &chunk->behind) && inputs && batch.size > 0) {
        wait_all(e, what, flight->dx_in, chunk->behind.count);
        wait_all(e, what, flight->x_out, chunk->behind.count);
    }
    const double start = clock_now();
    if (batch.size == 0 && weights)
        run_without_samples(flight->run, next_gradients(stage, chunk));
    else if (batch.size > 0 && inputs && weights)
        run_backward(flight->run, (float)share, next_gradients(stage, chunk));
    else if (batch.size > 0 && inputs)
        run_backward_inputs(flight->run, (float)share);
    else if (batch.size > 0)
        run_backward_weights(flight->run, next_gradients(stage, chunk));
    stage->counts.busy += clock_now() - start;
    record(e, "", what, 0, start, clock_now());
    if (inputs && is_remote(stage, &chunk->before) && batch.size > 0)
        send_backward(e, what, chunk, flight, batch.size);
    else if (inputs && chunk->depth > 0 && batch.size > 0)
        copy_backward(e, chunk, flight, what.micro, batch.size);
    if (weights) {
        flight->free = true;
        stage->counts.in_flight--;
    }
}

/* ---- a step ---------------------------------------------------------------------------------------------------------------- */

/* What could not be loaded are zeros: the other stages wait for messages all the same. */
static Batch
loaded_or_zeros(const Net *net, Batch batch, int size)
{
    if (batch.x != NULL && batch.size == size)
        return batch;
    batch.size = size;
    batch.x = ARRAY(float, (size_t)size *shape_elements(net_input_shape(net)));
    batch.labels = ARRAY(int, (size_t)size);
    return batch;
}

static void
free_zeros(const Batch *batch, const Batch *given)
{
    if (batch->x == given->x)
        return;
    array_free((void *)batch->x);
    array_free((void *)batch->labels);
}

double
stage_step(Stage *stage, Trainer *trainer, const TrainStep *step)
{
    const PipelineStage *line = &stage->plan->schedule->stage[stage->number];
    const int chunks = stage->plan->schedule->chunks;
    Execution e = {stage, trainer, step, loaded_or_zeros(stage->net, step->batch, step->samples), 0};
    const double start = clock_now();
    for (int c = 0; c < chunks; c++)
        stage->chunk[c].posted = stage->chunk[c].gradients = 0;
    for (int k = 0; k < line->count; k++) {
        const PipelineInstruction what = line->instruction[k];
        for (int c = 0; c < chunks; c++)
            receive_forward(&e, &stage->chunk[c], false);
        if (what.kind == PIPELINE_F)
            do_forward(&e, what, &stage->chunk[what.chunk]);
        else
            do_backward(&e, what, &stage->chunk[what.chunk]);
    }
    stage->counts.seconds += clock_now() - start;
    sweep_sends(&e, true);
    free_zeros(&e.batch, &step->batch);
    return e.loss;
}

/* ---- evaluation ------------------------------------------------------------------------------------------------------------ */

static void
plan_evaluation(const Stage *stage, StageChunk *chunk, int size)
{
    if (chunk->evaluation != NULL && run_max_batch(chunk->evaluation) >= size)
        return;
    run_free(chunk->evaluation);
    chunk->evaluation =
        run_create(stage->net, &(RunOptions){.max_batch = size, .range = chunk->layers, .inference = true});
}

/* Sends the values of a boundary behind a run, or receives those before it, and waits; to and from a chunk of this stage there is
 * nothing to wait for. */
static void
pass_on(Stage *stage, const StageChunk *chunk, Run *run, int size, bool forward)
{
    const StageBoundary *boundary = forward ? &chunk->behind : &chunk->before;
    Ticket ticket[NET_BOUNDARY];
    for (int i = 0; i < boundary->count; i++) {
        const RunValue value = run_value(run, boundary->values[i]);
        const size_t bytes = value_bytes(value, size);
        const int tag = tag_of(stage->plan, false, chunk->depth + forward, i, 0);
        ticket[i] = forward ? queue_send(stage->queue, stage->comm, boundary->neighbour, tag, value.data, bytes)
                            : queue_receive(stage->queue, stage->comm, boundary->neighbour, tag, value.data, bytes);
    }
    for (int i = 0; i < boundary->count; i++)
        queue_wait(stage->queue, ticket[i]);
}

const float *
stage_evaluate(Stage *stage, const Batch *given, double *loss)
{
    const PipelinePlan *plan = stage->plan;
    const Batch batch = loaded_or_zeros(stage->net, *given, given->size);
    const float *output = NULL;
    Run *before = NULL; /* of the chunk before, where that is here, too */
    for (int depth = 0; depth < plan->depths; depth++) {
        int number;
        if (pipeline_stage_of(plan->schedule, depth, &number) != stage->number) {
            before = NULL;
            continue;
        }
        StageChunk *chunk = &stage->chunk[number];
        plan_evaluation(stage, chunk, batch.size);
        Run *run = chunk->evaluation;
        if (before == NULL && depth > 0)
            pass_on(stage, chunk, run, batch.size, false);
        for (int i = 0; before != NULL && i < chunk->before.count; i++) {
            const RunValue to = run_value(run, chunk->before.values[i]);
            memcpy(to.data, run_value(before, chunk->before.values[i]).data, value_bytes(to, batch.size));
        }
        *loss = run_forward(run, &batch);
        before = run;
        if (is_remote(stage, &chunk->behind))
            pass_on(stage, chunk, run, batch.size, true);
        if (depth == plan->depths - 1)
            output = run_output(run);
    }
    free_zeros(&batch, given);
    return output;
}
