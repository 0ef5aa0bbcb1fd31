/* Samples for the perceptron: the functions of two bits, or two classes of a data set. See perceptron_samples.h.
 * SPDX-License-Identifier: MIT */
#include "cli/perceptron_samples.h"
#include "core/array.h"
#include "core/nearest.h"
#include "data/dataset.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int REST = -1; /* the class "all others" */

static void
samples_allocate(Samples *samples, size_t count, size_t n)
{
    samples->count = count;
    samples->n = n;
    samples->X = ARRAY(double, count *n);
    samples->y = ARRAY(int, count);
    samples->feature = ARRAY(int, n);
}

/* The four inputs 00, 01, 10, 11 and what the function makes of them. */
static bool
logic_create(Samples *samples, const char *name)
{
    static const struct {
        const char *name;
        int y[4];
    } functions[] = {
        {"and", {-1, -1, -1, +1}}, {"or", {-1, +1, +1, +1}}, {"nand", {+1, +1, +1, -1}}, {"xor", {-1, +1, +1, -1}}};
    for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); f++) {
        if (strcmp(name, functions[f].name) != 0)
            continue;
        samples_allocate(samples, 4, 2);
        for (int i = 0; i < 4; i++) {
            samples->X[2 * i] = i / 2;
            samples->X[2 * i + 1] = i % 2;
            samples->y[i] = functions[f].y[i];
        }
        samples->feature[0] = 1;
        samples->feature[1] = 2;
        strcpy(samples->positive, "true");
        strcpy(samples->negative, "false");
        return true;
    }
    return false;
}

/* The class that `text` names or numbers. */
static bool
find_class(const Dataset *dataset, const char *text, int *class, Error *error)
{
    Nearest nearest = nearest_to(text);
    for (int c = 0; c < dataset->classes && dataset->class_names != NULL; c++) {
        nearest_offer(&nearest, dataset->class_names[c]);
        if (strcmp(text, dataset->class_names[c]) == 0) {
            *class = c;
            return true;
        }
    }
    char *end;
    long number = strtol(text, &end, 10);
    if (end != text && *end == '\0' && number >= 0 && number < dataset->classes) {
        *class = (int)number;
        return true;
    }
    if (nearest.name != NULL)
        return error_set(error, "%s has no class '%s'; did you mean '%s'?", dataset->name, text, nearest.name);
    return error_set(error, "%s has no class '%s'; its classes are numbered 0 to %d", dataset->name, text,
                     dataset->classes - 1);
}

static void
name_class(char name[80], const Dataset *dataset, int class)
{
    if (class == REST)
        strcpy(name, "the rest");
    else if (dataset->class_names != NULL)
        snprintf(name, 80, "%s", dataset->class_names[class]);
    else
        snprintf(name, 80, "class %d", class);
}

/* Which features become x_1 .. x_n. */
static bool
choose_features(Samples *samples, const Dataset *dataset, const IntList *features, Error *error)
{
    for (size_t j = 0; j < samples->n; j++) {
        samples->feature[j] = features->count > 0 ? features->values[j] : (int)j + 1;
        if ((size_t)samples->feature[j] > dataset->features)
            return error_set(error, "%s has %zu features, so there is no feature %d", dataset->name, dataset->features,
                             samples->feature[j]);
    }
    return true;
}

/* A data set holds floats, and 1.4f is 1.39999998. The shortest decimal that means the same float is what stood in the file: its
 * double is what was meant. */
static double
decimal(float x)
{
    char text[32];
    int digits = 6;
    do
        snprintf(text, sizeof(text), "%.*g", digits, (double)x);
    while (digits++ < 9 && strtof(text, NULL) != x);
    return strtod(text, NULL);
}

/* Takes the samples of the two classes, in the order of the data set. */
static bool
take_samples(Samples *samples, const Dataset *dataset, int positive, int negative, Error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < dataset->count; i++) {
        int label = dataset->labels[i];
        if (label != positive && negative != REST && label != negative)
            continue;
        for (size_t j = 0; j < samples->n; j++)
            samples->X[count * samples->n + j] =
                decimal(dataset->x[i * dataset->features + (size_t)samples->feature[j] - 1]);
        samples->y[count++] = label == positive ? +1 : -1;
    }
    samples->count = count;
    return count > 0 || error_set(error, "%s has no samples of these classes", dataset->name);
}

static bool
dataset_samples(Samples *samples, const Dataset *dataset, const char *class_name, const char *against,
                const IntList *features, Error *error)
{
    int positive = 0, negative = REST;
    if (class_name != NULL && !find_class(dataset, class_name, &positive, error))
        return false;
    if (strcmp(against, "rest") != 0 && !find_class(dataset, against, &negative, error))
        return false;
    if (positive == negative)
        return error_set(error, "--class and --against are both '%s'; choose two classes, or --against rest", against);
    name_class(samples->positive, dataset, positive);
    name_class(samples->negative, dataset, negative);
    samples_allocate(samples, dataset->count, features->count > 0 ? (size_t)features->count : dataset->features);
    return choose_features(samples, dataset, features, error) &&
           take_samples(samples, dataset, positive, negative, error);
}

Status
samples_create(Samples *samples, const char *data, const char *class_name, const char *against, const IntList *features,
               Error *error)
{
    *samples = (Samples){0};
    bool done = true;
    if (logic_create(samples, data)) {
        if (class_name != NULL || features->count > 0)
            done =
                error_set(error, "--class and --features choose from a data set; '%s' is a function of two bits", data);
    } else {
        Dataset dataset;
        if (!dataset_open(data, &dataset, error))
            return STATUS_FAILED;
        done = dataset_samples(samples, &dataset, class_name, against, features, error);
        dataset_free(&dataset);
    }
    for (size_t i = 0; i < samples->count; i++)
        samples->positives += samples->y[i] == +1;
    if (!done)
        samples_free(samples);
    return done ? STATUS_DONE : STATUS_USAGE;
}

void
samples_free(Samples *samples)
{
    array_free(samples->X);
    array_free(samples->y);
    array_free(samples->feature);
    *samples = (Samples){0};
}

const char *
samples_input_name(const Samples *samples, const char *data, size_t j)
{
    static const char *const iris[] = {"sepal length (cm)", "sepal width (cm)", "petal length (cm)",
                                       "petal width (cm)"};
    static char text[32];
    if (strcmp(data, "iris") == 0)
        return iris[samples->feature[j - 1] - 1];
    snprintf(text, sizeof(text), "x%d", samples->feature[j - 1]);
    return text;
}
