/* rungs train xor: lecture 2's network on the function that no single neuron can learn. The network is mlp.c, the figures are
 * xor_figure.c.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "core/array.h"
#include "core/csv.h"
#include "core/json.h"
#include "xor_figure.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>

static struct {
    IntList hidden;
    int epochs, batch;
    double rate;
    uint64_t seed;
    const char *csv, *boundary, *svg, *svg_loss, *json;
} o = {.hidden = {1, {2}}, .epochs = 5000, .batch = 4, .rate = 2, .seed = 1};

static const Option options[] = {
    {"hidden", OPTION_INTS, &o.hidden, "N,..", .help = "neurons of each hidden layer", .min = 1, .max = 1000},
    {"epochs", OPTION_INT, &o.epochs, "N", .help = "passes over the four samples", .min = 1, .max = 1e7},
    {"batch", OPTION_INT, &o.batch, "B", .help = "samples of a mini-batch; 4 is plain gradient descent", .min = 1,
     .max = 1e6},
    {"rate", OPTION_DOUBLE, &o.rate, "ETA", .help = "learning rate", .min = 1e-9, .max = 1e6},
    {"seed", OPTION_SIZE, &o.seed, "N", .help = "chooses the first weights and the order of the samples"},
    {"csv", OPTION_OUTPUT, &o.csv, "FILE", .help = "mean cost of every epoch"},
    {"boundary", OPTION_OUTPUT, &o.boundary, "FILE", .help = "the network's output on a grid of inputs, as CSV"},
    {"svg", OPTION_FIGURE, &o.svg, "FILE", .help = "figure of the output over the inputs (needs gnuplot)"},
    {"svg-loss", OPTION_FIGURE, &o.svg_loss, "FILE", .help = "figure of the cost by epoch (needs gnuplot)"},
    {"json", OPTION_OUTPUT, &o.json, "FILE", .help = "the result"},
    {0}};

static const Command command = {
    .name = "rungs train xor",
    .positional = "",
    .summary = "train a multi-layer perceptron on XOR by error backpropagation",
    .options = options,
    .notes = "Solved means that every output is on its target's side, below 0.4 or above 0.6 (Fahlman 1988).\n"
             "It ends with exit status 0 whether it is solved or not: a flat valley is a result. Try another --seed "
             "then.\n"};

enum { SAMPLES = 4 };
static const double X[SAMPLES][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, Y[SAMPLES] = {0, 1, 1, 0};

static bool
is_solved(Mlp *mlp)
{
    for (int i = 0; i < SAMPLES; i++)
        if (!(fabs(mlp_forward(mlp, X[i])[0] - Y[i]) < 0.4))
            return false;
    return true;
}

/* 2 inputs, the hidden layers, 1 output. */
static Mlp *
create_network(void)
{
    int sizes[OPTION_LIST_MAX + 2] = {2}, L = 1;
    for (int h = 0; h < o.hidden.count; h++)
        sizes[L++] = o.hidden.values[h];
    sizes[L++] = 1;
    return mlp_create(L, sizes, o.seed);
}

/* 1, 2, 5, 10, 20, 50 .. */
static int
next_shown(int epoch)
{
    int power = 1;
    while (power <= epoch / 10)
        power *= 10;
    return epoch == 2 * power ? 5 * power : 2 * epoch;
}

/* Prints the cost of epochs 1, 2, 5, 10 .. and of the last. Returns the first epoch after which it was solved to the end;
 * 0 if it is not. */
static int
train(Mlp *mlp, double *cost)
{
    int next = 1, solved_since = 0;
    printf("%8s  %s\n", "epoch", "mean cost");
    for (int epoch = 1; epoch <= o.epochs; epoch++) {
        cost[epoch - 1] = mlp_train_epoch(mlp, &X[0][0], Y, SAMPLES, (size_t)o.batch, o.rate, o.seed, (uint64_t)epoch);
        if (!is_solved(mlp))
            solved_since = 0;
        else if (solved_since == 0)
            solved_since = epoch;
        if (epoch == next || epoch == o.epochs)
            printf("%8d  %.6f\n", epoch, cost[epoch - 1]);
        if (epoch == next)
            next = next_shown(next);
    }
    return solved_since;
}

static void
print_network(Mlp *mlp, int solved_since)
{
    printf("\n x1 x2  target  output\n");
    for (int i = 0; i < SAMPLES; i++)
        printf("  %g  %g       %g  %.4f\n", X[i][0], X[i][1], Y[i], mlp_forward(mlp, X[i])[0]);
    if (solved_since > 0)
        printf("\nsolved: since epoch %d every output is within 0.4 of its target\n", solved_since);
    else if (mlp->L == 2)
        printf("\nnot solved: without a hidden layer the boundary is one line, and no line separates XOR\n");
    else
        printf(
            "\nnot solved: descent reached a flat place of the cost; try another --seed, more --hidden neurons or more "
            "--epochs\n");
}

static bool
write_csv(const double *cost, Error *error)
{
    Csv *csv = csv_create(o.csv, "epoch,cost", error);
    if (csv == NULL)
        return false;
    for (int e = 0; e < o.epochs; e++)
        csv_add(csv, "%d %g\n", e + 1, cost[e]);
    return csv_close(csv, error);
}

static bool
write_json(Mlp *mlp, const double *cost, int solved_since, Error *error)
{
    double outputs[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        outputs[i] = mlp_forward(mlp, X[i])[0];
    cJSON *json = cJSON_CreateObject();
    json_add(json, "command %s", command.name);
    cJSON_AddItemToObject(json, "layers", cJSON_CreateIntArray(&mlp->size[1], mlp->L));
    json_add(json, "epochs %d, batch %d, rate %g, seed %llu", o.epochs, o.batch, o.rate, (unsigned long long)o.seed);
    cJSON_AddBoolToObject(json, "solved", solved_since > 0);
    json_add(json, "solved_since %d, cost %g", solved_since, cost[o.epochs - 1]);
    cJSON_AddItemToObject(json, "outputs", json_doubles(outputs, SAMPLES));
    cJSON_AddItemToObject(json, "host", json_host());
    bool done = json_write(o.json, json, error);
    cJSON_Delete(json);
    return done;
}

int
command_train_xor(int argc, char **argv)
{
    int positional, status;
    Error error;
    if (!cli_parse(&command, argc, argv, &positional, &status))
        return status;
    Mlp *mlp = create_network();
    double *cost = ARRAY(double, (size_t)o.epochs);
    int solved_since = train(mlp, cost);
    print_network(mlp, solved_since);
    bool done = (o.csv == NULL || write_csv(cost, &error)) &&
                (o.boundary == NULL || xor_write_grid(o.boundary, mlp, &error)) &&
                (o.svg == NULL || xor_draw_boundary(o.svg, mlp, &error)) &&
                (o.svg_loss == NULL || xor_draw_loss(o.svg_loss, cost, (size_t)o.epochs, &error)) &&
                (o.json == NULL || write_json(mlp, cost, solved_since, &error));
    array_free(cost);
    mlp_free(mlp);
    return done ? STATUS_DONE : cli_fail(command.name, STATUS_FAILED, &error);
}
