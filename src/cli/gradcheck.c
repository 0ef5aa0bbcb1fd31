/* rungs gradcheck: lecture 2's derivatives three ways: by the tape (autodiff.c), by the formula of the slides, and by
 * differences of the function itself (gradient_check.c). The functions and formulas are in derivatives.c.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "core/csv.h"
#include "core/json.h"
#include "derivatives.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct {
    int points;
    double tolerance;
    uint64_t seed;
    bool tape;
    const char *csv, *json;
} o = {.points = 100, .tolerance = 1e-6, .seed = 1};

static const Option options[] = {
    {"points", OPTION_INT, &o.points, "N", .help = "random points of each function's domain", .min = 1, .max = 1e6},
    {"tolerance", OPTION_DOUBLE, &o.tolerance, "T", .help = "largest relative error that passes", .min = 1e-15,
     .max = 1},
    {"seed", OPTION_SIZE, &o.seed, "N", .help = "chooses the points"},
    {"tape", OPTION_FLAG, &o.tape, .help = "show the tape of z = x^2 + x y + y^2 at (1, 2) instead"},
    {"csv", OPTION_OUTPUT, &o.csv, "FILE", .help = "every point of every function"},
    {"json", OPTION_OUTPUT, &o.json, "FILE", .help = "the table"},
    {0}};

static const Command command = {
    .name = "rungs gradcheck",
    .positional = "",
    .summary = "compare derivatives: automatic, by formula, by central differences",
    .options = options,
    .notes = "The table shows each function at the worst of its points. Exit status 1 if one is not ok.\n"};

/* One function's worst point, and how many of its points failed. */
typedef struct Worst {
    DerivativePoint point;
    DerivativeResult result;
    int failed;
} Worst;

static void
csv_point(Csv *csv, const Derivative *row, const DerivativePoint *point, const DerivativeResult *result)
{
    csv_add(csv, "%s %s %s %g %g %g %g %g %g %g %s\n", row->function, row->formula, row->by == 0 ? "x" : "y",
            point->v[0], point->v[1], point->c, result->tape, result->formula, result->difference, result->error,
            result->ok ? "ok" : "WRONG");
}

/* Points are drawn from a stream of the row's own: a row added to the table leaves the others' points alone. */
static Worst
check_row(const Derivative *row, size_t i, Csv *csv)
{
    Rng rng = rng_create(o.seed, i);
    Worst worst = {0};
    for (int p = 0; p < o.points; p++) {
        DerivativePoint point = derivative_draw(row, &rng);
        DerivativeResult result = derivative_check(row, &point, o.tolerance);
        /* A wrong point is worse than any right one, among equals the larger error; NaN is larger than all. */
        bool worse = result.ok == worst.result.ok ? !(result.error <= worst.result.error) : !result.ok;
        if (p == 0 || worse) {
            worst.point = point;
            worst.result = result;
        }
        worst.failed += !result.ok;
        if (csv != NULL)
            csv_point(csv, row, &point, &result);
    }
    return worst;
}

/* "x 1.2346  y -2.0000  c 0.5000", without what the function does not have. */
static void
describe_point(char text[64], const Derivative *row, const DerivativePoint *point)
{
    int used = snprintf(text, 64, "x %.4f", point->v[0]);
    if (row->y != DOMAIN_NONE)
        used += snprintf(text + used, 64 - (size_t)used, " y %.4f", point->v[1]);
    if (row->c != DOMAIN_NONE)
        snprintf(text + used, 64 - (size_t)used, " c %.4f", point->c);
}

static void
print_row(const Derivative *row, const Worst *worst)
{
    char point[64];
    describe_point(point, row, &worst->point);
    const DerivativeResult *result = &worst->result;
    printf("%-20s %-23s %-20s %13.8g %13.8g %13.8g %8.1e  %s\n", row->function, row->formula, point, result->tape,
           result->formula, result->difference, result->error, result->ok ? "ok" : "WRONG");
}

static cJSON *
json_row(const Derivative *row, const Worst *worst)
{
    cJSON *json = cJSON_CreateObject();
    json_add(json, "group %s, function %s, derivative %s, condition %s, x %g, y %g, c %g", row->group, row->function,
             row->formula, row->condition, worst->point.v[0], worst->point.v[1], worst->point.c);
    json_add(json, "tape %g, formula %g, difference %g, error %g, failed %d", worst->result.tape, worst->result.formula,
             worst->result.difference, worst->result.error, worst->failed);
    return json;
}

/* Checks and prints the whole table; rows go into the JSON array. Returns how many functions failed. */
static int
check_all(Csv *csv, cJSON *rows)
{
    size_t count;
    const Derivative *table = derivatives(&count);
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(table[i].group, table[i - 1].group) != 0)
            printf("%s%-20s %-23s %-20s %13s %13s %13s %8s\n", i == 0 ? "" : "\n", table[i].group, "derivative", "at",
                   "tape", "formula", "differences", "error");
        Worst worst = check_row(&table[i], i, csv);
        print_row(&table[i], &worst);
        cJSON_AddItemToArray(rows, json_row(&table[i], &worst));
        failed += worst.failed > 0;
    }
    if (failed == 0)
        printf("\nall %zu ok at %d point%s each\n", count, o.points, o.points == 1 ? "" : "s");
    else
        printf("\n%d of %zu WRONG\n", failed, count);
    return failed;
}

static void
show_tape(void)
{
    Tape *tape = tape_create();
    Scalar x = tape_variable(tape, 1), y = tape_variable(tape, 2);
    Scalar xx = tape_mul(tape, x, x), xy = tape_mul(tape, x, y), yy = tape_mul(tape, y, y);
    Scalar z = tape_add(tape, tape_add(tape, xx, xy), yy);
    tape_backward(tape, z);
    printf("z = x^2 + x y + y^2 at x = 1, y = 2: dz/dx = 2x + y = %g, dz/dy = x + 2y = %g\n\n", tape_gradient(tape, x),
           tape_gradient(tape, y));
    tape_print(tape, stdout);
    tape_free(tape);
}

int
command_gradcheck(int argc, char **argv)
{
    int positional, status;
    Error error;
    Csv *csv = NULL;
    if (!cli_parse(&command, argc, argv, &positional, &status))
        return status;
    if (o.tape) {
        show_tape();
        return STATUS_DONE;
    }
    if (o.csv != NULL && (csv = csv_create(o.csv, "function,derivative,by,x,y,c,tape,formula,differences,error,verdict",
                                           &error)) == NULL)
        return cli_fail(command.name, STATUS_FAILED, &error);
    cJSON *json = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(json, "functions");
    int failed = check_all(csv, rows);
    json_add(json, "failed %d", failed);
    cJSON_AddItemToObject(json, "host", json_host());
    bool done = csv_close(csv, &error) && (o.json == NULL || json_write(o.json, json, &error));
    cJSON_Delete(json);
    if (!done)
        return cli_fail(command.name, STATUS_FAILED, &error);
    return failed == 0 ? STATUS_DONE : STATUS_FAILED;
}
