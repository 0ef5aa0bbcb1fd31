/* Two classes of a data set in double (data/two_classes.h). SPDX-License-Identifier: MIT */
#include "data/two_classes.h"
#include "tests/testing.h"

TEST(functions_of_two_bits)
{
    static const struct {
        const char *name;
        int y[4];
    } cases[] = {
        {"and", {-1, -1, -1, +1}}, {"or", {-1, +1, +1, +1}}, {"nand", {+1, +1, +1, -1}}, {"xor", {-1, +1, +1, -1}}};
    for (int c = 0; c < 4; c++) {
        Dataset dataset;
        TwoClasses samples;
        ck_assert(logic_dataset(cases[c].name, &dataset));
        ck_assert(two_classes_create(&samples, &dataset, NULL, "false", &(IntList){0}, &error));
        ck_assert(samples.count == 4 && samples.n == 2);
        for (int i = 0; i < 4; i++)
            ck_assert(samples.y[i] == cases[c].y[i] && samples.X[2 * i] == i / 2 && samples.X[2 * i + 1] == i % 2);
        two_classes_free(&samples);
        dataset_free(&dataset);
    }
    ck_assert(!logic_dataset("nor", &(Dataset){0}));
}

/* The decimals of the file, not their floats; the chosen features, from 1 on. */
TEST(classes_and_features_are_chosen)
{
    Dataset iris;
    TwoClasses samples;
    ck_assert(dataset_open("iris", &iris, &error));
    ck_assert(two_classes_create(&samples, &iris, "setosa", "2", &(IntList){2, {3, 4}}, &error));
    ck_assert(samples.count == 100 && samples.positives == 50 && samples.n == 2 && samples.feature[1] == 4);
    ck_assert(samples.X[0] == 1.4 && samples.X[1] == 0.2 && samples.y[0] == +1 && samples.y[99] == -1);
    two_classes_free(&samples);
    ck_assert(!two_classes_create(&samples, &iris, "setosa", "0", &(IntList){0}, &error));
    ck_assert(!two_classes_create(&samples, &iris, "rose", "rest", &(IntList){0}, &error));
    ck_assert(!two_classes_create(&samples, &iris, NULL, "rest", &(IntList){1, {5}}, &error) && samples.X == NULL);
    dataset_free(&iris);
}

TEST_MAIN("two_classes")
