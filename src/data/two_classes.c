/* Two classes of a data set, and the functions of two bits: see two_classes.h.
 * SPDX-License-Identifier: MIT */
#include "data/two_classes.h"
#include "core/array.h"
#include "core/checked.h"
#include "core/nearest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int REST = -1; /* the class "all others" */

bool
logic_dataset(const char *name, Dataset *dataset)
{
    static const struct {
        const char *name;
        int class[4]; /* of 00, 01, 10, 11; 0 is true */
    } functions[] = {{"and", {1, 1, 1, 0}}, {"or", {1, 0, 0, 0}}, {"nand", {0, 0, 0, 1}}, {"xor", {1, 0, 0, 1}}};
    for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); f++) {
        Error error;
        if (strcmp(name, functions[f].name) != 0)
            continue;
        CHECK_THAT(dataset_create(dataset, 4, 1, 1, 2, &error), "%s", error.text);
        for (int i = 0; i < 4; i++) {
            dataset->x[2 * i] = (float)(i / 2);
            dataset->x[2 * i + 1] = (float)(i % 2);
            dataset->labels[i] = functions[f].class[i];
        }
        dataset->classes = 2;
        CHECK_POINTER(dataset->class_names = calloc(2, sizeof(char *)));
        CHECK_POINTER(dataset->class_names[0] = strdup("true"));
        CHECK_POINTER(dataset->class_names[1] = strdup("false"));
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
choose_features(TwoClasses *samples, const Dataset *dataset, const IntList *features, Error *error)
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
take_samples(TwoClasses *samples, const Dataset *dataset, int positive, int negative, Error *error)
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
    for (size_t i = 0; i < count; i++)
        samples->positives += samples->y[i] == +1;
    return count > 0 || error_set(error, "%s has no samples of these classes", dataset->name);
}

bool
two_classes_create(TwoClasses *samples, const Dataset *dataset, const char *class_name, const char *against,
                   const IntList *features, Error *error)
{
    int positive = 0, negative = REST;
    *samples = (TwoClasses){.n = features->count > 0 ? (size_t)features->count : dataset->features};
    if (class_name != NULL && !find_class(dataset, class_name, &positive, error))
        return false;
    if (strcmp(against, "rest") != 0 && !find_class(dataset, against, &negative, error))
        return false;
    if (positive == negative)
        return error_set(error, "--class and --against are both '%s'; choose two classes, or --against rest", against);
    name_class(samples->positive, dataset, positive);
    name_class(samples->negative, dataset, negative);
    samples->X = ARRAY(double, dataset->count * samples->n);
    samples->y = ARRAY(int, dataset->count);
    samples->feature = ARRAY(int, samples->n);
    if (choose_features(samples, dataset, features, error) && take_samples(samples, dataset, positive, negative, error))
        return true;
    two_classes_free(samples);
    return false;
}

void
two_classes_free(TwoClasses *samples)
{
    array_free(samples->X);
    array_free(samples->y);
    array_free(samples->feature);
    *samples = (TwoClasses){0};
}
