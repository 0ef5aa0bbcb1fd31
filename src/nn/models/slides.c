/* Lecture 3's slide "Summary of popular CNNs", beside our own counts. Its source is V. Sze et al., "Efficient processing of deep
 * neural networks: a tutorial and survey", Proceedings of the IEEE 105(12), 2017. A cell agrees if our number, rounded to as many
 * digits, is the cell's. SPDX-License-Identifier: MIT */
#include "nn/models/slides.h"
#include "core/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_WEIGHTS = 7, ALL_MACS, ROWS };

static const char *const row_names[ROWS] = {
    "convolutions", "depth in convolutions", "  weights", "  MACs", "dense layers", "  weights", "  MACs", "weights",
    "MACs"};

typedef struct Column {
    const char *model; /* the one that it counts; other forms begin with the same name */
    const char *title;
    const char *cell[ROWS];
    const char *why; /* the cells that differ, and other slides that count the same; may be NULL */
} Column;

static const char lenet_why[] =
    "The slides' column mixes three networks.\n"
    "- Its shapes (channels 1 and 20, filters 20 and 50, two dense layers, 500 and 10) are those of Caffe's LeNet, "
    "which "
    "has\n"
    "  20 x 25 + 50 x 20 x 25 + 500 x 800 + 10 x 500 = 430,500 weights: `rungs model lenet-caffe`.\n"
    "- Its weights are LeNet-5's: 2.6k is 6 x 25 + 16 x 6 x 25 = 2,550, and 58k is 120 x 400 + 84 x 120 = 58,080, "
    "which leaves\n"
    "  out the last layer, 10 x 84 = 840.\n"
    "- 60k and 341k are the paper's 60,000 trained parameters and 340,908 connections. A connection is a MAC or the "
    "addition of\n"
    "  a bias; the pooling and the output layer have some too; and each filter of the second convolution reads only "
    "some of\n"
    "  the six channels: 122,304 + 5,880 + 151,600 + 2,000 + 48,120 + 10,164 + 840 = 340,908. The dense layers' part "
    "is\n"
    "  48,120 + 10,164 = 58,284; the other 282,624 are the slides' 283k.\n";

static const char overfeat_why[] =
    "A dense layer uses each weight once for a sample: its MACs are its weights. Here\n"
    "36,864 x 3,072 + 3,072 x 4,096 + 4,096 x 1,000 = 129,925,120, which is 130M in both rows. The slides have 124M "
    "MACs here\n"
    "and 130M at VGG 16, whose dense layers have 124M weights: two cells have changed places. The totals are right.\n"
    "(Of the dense filter sizes 1, 6 and 12 on the slide, 6 and 1 occur in this model.)\n";

static const char vgg16_why[] = "A dense layer uses each weight once for a sample: its MACs are its weights. Here\n"
                                "25,088 x 4,096 + 4,096 x 4,096 + 4,096 x 1,000 = 123,633,664, which is 124M in both "
                                "rows. The slides have 130M MACs here\n"
                                "and 124M at OverFeat, whose dense layers have 130M weights: two cells have changed "
                                "places. The totals are right.\n";

static const char googlenet_why[] =
    "The slides' 1.43G comes out if no pooling window may reach over the border of its image: (112 - 3) / 2 + 1 = 55.5 "
    "is then\n"
    "rounded down, and the images have 55, 27, 13 and 6 pixels: 1,430,532,352 MACs in convolutions, as\n"
    "`rungs model googlenet-floor` shows. The network of the paper rounds up, to 56, 28, 14 and 7: 1,581,647,872 MACs, "
    "11 %\n"
    "more. The weights are the same.\n";

static const char resnet50_why[] =
    "The slide on training counts 11.7G MACs for an image, forward and backward: 3 x 3.9G. Without rounding, and "
    "without the\n"
    "gradient of the image, which nobody needs, it is 3 x 3,857,973,248 - 118,013,952 = 11,455,905,792.\n";

static const Column columns[] = {
    {"lenet", "LeNet 5", {"2", "2", "2.6k", "283k", "2", "58k", "58k", "60k", "341k"}, lenet_why},
    {"alexnet", "AlexNet", {"5", "5", "2.3M", "666M", "3", "58.6M", "58.6M", "61M", "724M"}, NULL},
    {"overfeat", "Overfeat fast", {"5", "5", "16M", "2.67G", "3", "130M", "124M", "146M", "2.8G"}, overfeat_why},
    {"vgg16", "VGG 16", {"13", "13", "14.7M", "15.3G", "3", "124M", "130M", "138M", "15.5G"}, vgg16_why},
    {"googlenet", "GoogLeNet v1", {"57", "21", "6.0M", "1.43G", "1", "1M", "1M", "7M", "1.43G"}, googlenet_why},
    {"resnet50", "ResNet 50", {"53", "49", "23.5M", "3.86G", "1", "2M", "2M", "25.5M", "3.9G"}, resnet50_why},
};
enum { COLUMN_COUNT = sizeof(columns) / sizeof(columns[0]) };

static const Column *
column_of(const char *name)
{
    for (int i = 0; i < COLUMN_COUNT; i++) {
        const size_t length = strlen(columns[i].model);
        if (strncmp(columns[i].model, name, length) == 0 && (name[length] == '\0' || name[length] == '-'))
            return &columns[i];
    }
    return NULL;
}

const char *
slides_weights(const char *name)
{
    const Column *column = column_of(name);
    return column != NULL && strcmp(column->model, name) == 0 ? column->cell[ALL_WEIGHTS] : "";
}

const char *
slides_macs(const char *name)
{
    const Column *column = column_of(name);
    return column != NULL && strcmp(column->model, name) == 0 ? column->cell[ALL_MACS] : "";
}

/* "23.5M" stands for 23.45 to 23.55 million. */
static bool
agrees(const char *cell, uint64_t number)
{
    char *end;
    const double value = strtod(cell, &end);
    const char *point = memchr(cell, '.', (size_t)(end - cell));
    const double unit = *end == 'k' ? 1e3 : *end == 'M' ? 1e6 : *end == 'G' ? 1e9 : 1;
    const double last_digit = unit * pow(10, point ? -(double)(end - point - 1) : 0);
    return fabs((double)number - value * unit) <= 0.5 * last_digit;
}

static void
explain(const Column *column, const Model *model, bool differs, FILE *out)
{
    const bool other_form = strcmp(column->model, model->name) != 0;
    if (other_form && differs)
        fprintf(out, "\nThe slides count `rungs model %s`; this is another form of it.\n", column->model);
    if (!other_form && column->why != NULL)
        fprintf(out, "\n%s", column->why);
}

void
slides_print(const Model *model, const NetWork *work, FILE *out)
{
    const Column *column = column_of(model->name);
    const Work *conv = &work->convolutions, *dense = &work->dense, *all = &work->all;
    const uint64_t batch = (uint64_t)work->batch;
    const uint64_t number[ROWS] = {
        (uint64_t)conv->layers, (uint64_t)work->depth,  conv->weights, conv->forward / batch, (uint64_t)dense->layers,
        dense->weights,         dense->forward / batch, all->weights,  all->forward / batch};
    int differing = 0;
    fprintf(out, "\n%-21s %19s %14s\n", "one sample, forward", model->name, column ? column->title : "");
    for (int row = 0; row < ROWS; row++) {
        char text[UNITS_SIZE];
        const bool differs = column != NULL && !agrees(column->cell[row], number[row]);
        fprintf(out, "%-21s %19s", row_names[row], units_grouped(text, number[row]));
        if (column != NULL)
            fprintf(out, " %14s%s", column->cell[row], differs ? "  differs" : "");
        fprintf(out, "\n");
        differing += differs;
    }
    if (column != NULL)
        explain(column, model, differing > 0, out);
}
