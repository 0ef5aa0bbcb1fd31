/* rungs train perceptron: lecture 1's rule on logic, flowers, or any table of numbers. The rule itself is in perceptron.c,
 * the samples come from data/two_classes.c, figures from perceptron_figure.c.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "core/array.h"
#include "core/csv.h"
#include "core/json.h"
#include "core/rng.h"
#include "data/two_classes.h"
#include "perceptron.h"
#include "perceptron_figure.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *data, *class_name, *against, *start, *csv, *boundary, *svg, *json;
    IntList features;
    double rate;
    int epochs;
    uint64_t seed;
} o = {.data = "iris", .against = "rest", .start = "zeros", .rate = 0.5, .epochs = 1000, .seed = 1};

static const Option options[] = {
    {"data", OPTION_STRING, &o.data, "SET",
     .help = "and, or, nand, xor, iris, digits, or FILE.csv (last column: the class)"},
    {"class", OPTION_STRING, &o.class_name, "NAME",
     .help = "the class that is +1, by name or number (the first if not given)"},
    {"against", OPTION_STRING, &o.against, "NAME", .help = "the class that is -1, or rest: all others"},
    {"features", OPTION_INTS, &o.features, "I,J", .help = "use only these features, counted from 1", .min = 1,
     .max = 1e6},
    {"rate", OPTION_DOUBLE, &o.rate, "R", .help = "learning rate, 0 < r < 1"},
    {"epochs", OPTION_INT, &o.epochs, "N", .help = "stop after N epochs", .min = 1, .max = 1e9},
    {"start", OPTION_CHOICE, &o.start, "HOW", .help = "weights before the first epoch", .choices = "zeros|random"},
    {"seed", OPTION_SIZE, &o.seed, "N", .help = "chooses the weights of --start random, within -0.01 .. 0.01"},
    {"csv", OPTION_OUTPUT, &o.csv, "FILE", .help = "mistakes and weights of every epoch"},
    {"boundary", OPTION_OUTPUT, &o.boundary, "FILE", .help = "samples, predictions and weights as CSV (two features)"},
    {"svg", OPTION_FIGURE, &o.svg, "FILE", .help = "figure of samples and boundary (two features; needs gnuplot)"},
    {"json", OPTION_OUTPUT, &o.json, "FILE", .help = "the result"},
    {0}};

static const Command command = {
    .name = "rungs train perceptron",
    .positional = "",
    .summary = "train Rosenblatt's perceptron until an epoch passes without a mistake",
    .options = options,
    .notes = "It ends with exit status 0 whether it converged or not: not converging is a result.\n"
             "Example: rungs train perceptron --data iris --class setosa --features 3,4 --svg boundary.svg\n"};

/* What a run leaves behind, besides the weights. */
typedef struct Run {
    PerceptronResult result;
    size_t first_mistakes[16]; /* of the first epochs */
    size_t least_mistakes;     /* of the best epoch */
    int same_as;               /* after the last epoch the weights were those after this epoch; 0: not seen */
} Run;

/* "epoch,mistakes,w0,w1 .." */
static Csv *
csv_open(size_t n, Error *error)
{
    char *header = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&header, &size);
    fprintf(text, "epoch,mistakes");
    for (size_t j = 0; j <= n; j++)
        fprintf(text, ",w%zu", j);
    fclose(text);
    Csv *csv = csv_create(o.csv, header, error);
    free(header);
    return csv;
}

static void
csv_epoch(Csv *csv, const Run *run, const double *w, size_t n)
{
    csv_add(csv, "%d %zu", run->result.epochs, run->result.mistakes);
    for (size_t j = 0; j <= n; j++)
        csv_number(csv, w[j]);
    csv_end_row(csv);
}

/* Adds one epoch to the run. */
static void
run_epoch(Run *run, double *w, const TwoClasses *samples)
{
    PerceptronResult epoch = perceptron_train(w, samples->X, samples->y, samples->count, samples->n, o.rate, 1);
    PerceptronResult *all = &run->result;
    if (all->epochs < (int)(sizeof(run->first_mistakes) / sizeof(run->first_mistakes[0])))
        run->first_mistakes[all->epochs] = epoch.mistakes;
    if (all->epochs == 0 || epoch.mistakes < run->least_mistakes)
        run->least_mistakes = epoch.mistakes;
    all->epochs++;
    all->updates += epoch.updates;
    all->mistakes = epoch.mistakes;
    all->converged = epoch.converged;
}

/* Epoch after epoch until it converges, goes round in a circle, or the epochs are over. An epoch depends on the weights
 * before it and on nothing else, so weights that come back exactly prove that it never ends. To see that, the weights
 * after epochs 1, 2, 4, 8 .. are kept, one at a time (Brent 1980). */
static Run
train(double *w, const TwoClasses *samples, Csv *csv)
{
    Run run = {0};
    size_t bytes = (samples->n + 1) * sizeof(double);
    double *kept = ARRAY(double, samples->n + 1);
    int kept_epoch = 0;
    while (!run.result.converged && run.same_as == 0 && run.result.epochs < o.epochs) {
        run_epoch(&run, w, samples);
        if (csv != NULL)
            csv_epoch(csv, &run, w, samples->n);
        if (!run.result.converged && kept_epoch > 0 && memcmp(w, kept, bytes) == 0)
            run.same_as = kept_epoch;
        if (run.result.epochs >= 2 * kept_epoch) {
            memcpy(kept, w, bytes);
            kept_epoch = run.result.epochs;
        }
    }
    array_free(kept);
    return run;
}

static size_t
count_right(const double *w, const TwoClasses *samples)
{
    size_t right = 0;
    for (size_t i = 0; i < samples->count; i++)
        right += perceptron_predict(w, &samples->X[i * samples->n], samples->n) == samples->y[i];
    return right;
}

static void
print_reason(const Run *run)
{
    printf("not converged after %d epoch%s, %zu updates\n", run->result.epochs, run->result.epochs == 1 ? "" : "s",
           run->result.updates);
    if (run->same_as > 0)
        printf("  The weights after epoch %d are exactly those after epoch %d: from here on the epochs repeat.\n",
               run->result.epochs, run->same_as);
    if (strcmp(o.data, "xor") == 0)
        printf("  No line separates XOR. 00 is -1:      w0 < 0\n"
               "  01 and 10 are +1: w0 + w2 >= 0 and w0 + w1 >= 0; added: 2 w0 + w1 + w2 >= 0\n"
               "  so w0 + w1 + w2 >= -w0 > 0, but 11 is -1 and needs w0 + w1 + w2 < 0. A hidden layer solves it: rungs "
               "train xor\n");
    else if (run->same_as > 0)
        printf("  For separable samples the rule always ends (Novikoff 1962), so no plane separates these (rounding "
               "aside).\n");
    else
        printf("  Either no plane separates these samples, and no number of epochs helps, or %d epoch%s too few:\n"
               "  try --epochs %.0f. The best epoch made %zu mistake%s.\n",
               run->result.epochs, run->result.epochs == 1 ? " is" : "s are", 10.0 * run->result.epochs,
               run->least_mistakes, run->least_mistakes == 1 ? "" : "s");
}

static void
print_run(const Run *run, const double *w, const TwoClasses *samples)
{
    const PerceptronResult *result = &run->result;
    printf("data       %s, %zu samples of %zu input%s: %s is +1 (%zu), %s -1 (%zu)\n", o.data, samples->count,
           samples->n, samples->n == 1 ? "" : "s", samples->positive, samples->positives, samples->negative,
           samples->count - samples->positives);
    printf("rule       w_j <- w_j + r (y - yhat) x_j, r = %g, start %s\n", o.rate, o.start);
    printf("mistakes  ");
    int shown = (int)(sizeof(run->first_mistakes) / sizeof(run->first_mistakes[0]));
    for (int e = 0; e < result->epochs && e < shown; e++)
        printf(" %zu", run->first_mistakes[e]);
    printf("%s   by epoch\n", result->epochs > shown ? " .." : "");
    printf("weights   ");
    for (size_t j = 0; j <= samples->n && j <= 8; j++)
        printf(" w%zu = %.6g", j, w[j]);
    printf("%s\n", samples->n > 8 ? " .." : "");
    size_t right = count_right(w, samples);
    printf("accuracy   %zu of %zu (%.1f %%)\n", right, samples->count, 100.0 * (double)right / (double)samples->count);
    if (result->converged)
        printf("converged after %d epoch%s, %zu update%s: the last epoch made no mistake\n", result->epochs,
               result->epochs == 1 ? "" : "s", result->updates, result->updates == 1 ? "" : "s");
    else
        print_reason(run);
}

static bool
write_json(const Run *run, const double *w, const TwoClasses *samples, Error *error)
{
    cJSON *json = cJSON_CreateObject();
    json_add(json, "command %s, data %s, positive %s, negative %s, samples %zu, inputs %zu, rate %g, start %s",
             command.name, o.data, samples->positive, samples->negative, samples->count, samples->n, o.rate, o.start);
    cJSON_AddBoolToObject(json, "converged", run->result.converged);
    cJSON_AddBoolToObject(json, "repeats", run->same_as > 0);
    json_add(json, "epochs %d, updates %zu, mistakes %zu, accuracy %g", run->result.epochs, run->result.updates,
             run->result.mistakes, (double)count_right(w, samples) / (double)samples->count);
    cJSON_AddItemToObject(json, "weights", json_doubles(w, samples->n + 1));
    cJSON_AddItemToObject(json, "host", json_host());
    bool done = json_write(o.json, json, error);
    cJSON_Delete(json);
    return done;
}

/* How input x_j (j from 0) is called in a figure. */
static const char *
input_name(const TwoClasses *samples, size_t j, char text[32])
{
    static const char *const iris[] = {"sepal length (cm)", "sepal width (cm)", "petal length (cm)",
                                       "petal width (cm)"};
    if (strcmp(o.data, "iris") == 0)
        return iris[samples->feature[j] - 1];
    snprintf(text, 32, "x%d", samples->feature[j]);
    return text;
}

static bool
write_figures(const TwoClasses *samples, const double *w, Error *error)
{
    char names[2][32];
    if (o.boundary == NULL && o.svg == NULL)
        return true;
    const PerceptronFigure figure = {samples->X,
                                     w,
                                     samples->y,
                                     samples->count,
                                     {input_name(samples, 0, names[0]), input_name(samples, 1, names[1])},
                                     samples->positive,
                                     samples->negative};
    return (o.boundary == NULL || perceptron_figure_csv(&figure, o.boundary, error)) &&
           (o.svg == NULL || perceptron_figure_svg(&figure, o.svg, error));
}

/* Trains, prints, writes the files. */
static bool
run_samples(const TwoClasses *samples, Error *error)
{
    Csv *csv = o.csv != NULL ? csv_open(samples->n, error) : NULL;
    if (o.csv != NULL && csv == NULL)
        return false;
    double *w = ARRAY(double, samples->n + 1);
    for (size_t j = 0; j <= samples->n && strcmp(o.start, "random") == 0; j++)
        w[j] = 0.02 * rng_uniform_at(o.seed, 0, j) - 0.01;
    Run run = train(w, samples, csv);
    print_run(&run, w, samples);
    bool done = csv_close(csv, error) && (o.json == NULL || write_json(&run, w, samples, error)) &&
                write_figures(samples, w, error);
    array_free(w);
    return done;
}

/* What the table of options cannot say. */
static bool
check_options(const TwoClasses *samples, Error *error)
{
    if (!(o.rate > 0 && o.rate < 1))
        return error_set(error, "--rate must lie between 0 and 1 (0 < r < 1), got %g", o.rate);
    return (o.boundary == NULL && o.svg == NULL) || samples->n == 2 ||
           error_set(error, "a boundary is drawn over two inputs, these samples have %zu; choose two with --features",
                     samples->n);
}

/* Opens the data set and takes its two classes. */
static Status
open_samples(TwoClasses *samples, Error *error)
{
    Dataset dataset;
    const bool logic = logic_dataset(o.data, &dataset);
    if (!logic && !dataset_open(o.data, &dataset, error))
        return STATUS_FAILED;
    const bool chosen = o.class_name != NULL || o.features.count > 0;
    const bool good =
        logic && chosen
            ? error_set(error, "--class and --features choose from a data set; '%s' is a function of two bits", o.data)
            : two_classes_create(samples, &dataset, o.class_name, logic ? "false" : o.against, &o.features, error);
    dataset_free(&dataset);
    return good ? STATUS_DONE : STATUS_USAGE;
}

int
command_train_perceptron(int argc, char **argv)
{
    int positional, status;
    Error error;
    TwoClasses samples = {0};
    if (!cli_parse(&command, argc, argv, &positional, &status))
        return status;
    status = open_samples(&samples, &error);
    if (status == STATUS_DONE && !check_options(&samples, &error))
        status = STATUS_USAGE;
    if (status == STATUS_DONE && !run_samples(&samples, &error))
        status = STATUS_FAILED;
    two_classes_free(&samples);
    return status == STATUS_DONE ? STATUS_DONE : cli_fail(command.name, status, &error);
}
