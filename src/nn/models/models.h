/* Networks by name, each a small function in a file of its own: what a paper draws, in the calls of nn/net.h.
 *
 *     const Model *model = model_find("resnet50");
 *     Net *net = net_create(backend, seed);
 *     int x = net_input(net, model->input.height, model->input.width, model->input.channels);
 *     net_softmax_loss(net, model->build(net, x, model->classes));
 *
 * A network that is only counted needs no backend (NULL will do), and nothing is allocated for its parameters and activations
 * until net_build. SPDX-License-Identifier: MIT */
#ifndef NN_MODELS_MODELS_H
#define NN_MODELS_MODELS_H

#include "nn/net.h"

/* Appends a network that reads value x; returns the logits, one for each class. The loss is the caller's. */
typedef int ModelBuild(Net *net, int x, int classes);

/* How a network is trained on a data set where nobody says otherwise, by Adam. */
typedef struct ModelDefaults {
    const char *data; /* "digits"; NULL: any other, which ends the list */
    int epochs, batch;
    double rate;
    const char *normalize; /* NORMALIZER_NAMES (data/dataset.h) */
    int hidden;            /* neurons of mlp's hidden layer; 0: of other models */
} ModelDefaults;

typedef struct Model {
    const char *name;    /* "resnet50" */
    const char *summary; /* what it is and where it was published */
    Shape input;         /* the images that it was designed for; most take others as well */
    int classes;
    ModelBuild *build;
    int smallest;                  /* pixels in each direction that the images need */
    const ModelDefaults *defaults; /* the first one's data are those that it is trained on; NULL: there are none here */
} Model;

/* The whole table. */
const Model *models(int *count);

/* NULL if there is no model of that name. */
const Model *model_find(const char *name);

/* The input and the model, without a loss and not built: what shape inference needs. The caller frees with net_free. */
Net *model_create(const Model *model, const Backend *backend, uint64_t seed);

ModelBuild mlp_build;                   /* mlp.c */
ModelBuild lenet_build;                 /* lenet.c */
ModelBuild lenet_caffe_build;           /* lenet.c */
ModelBuild alexnet_build;               /* alexnet.c */
ModelBuild alexnet_ungrouped_build;     /* alexnet.c */
ModelBuild alexnet_torchvision_build;   /* alexnet.c */
ModelBuild overfeat_build;              /* overfeat.c */
ModelBuild vgg16_build;                 /* vgg16.c */
ModelBuild vgg_small_build;             /* vgg_small.c */
ModelBuild googlenet_build;             /* googlenet.c */
ModelBuild googlenet_floor_build;       /* googlenet.c */
ModelBuild googlenet_torchvision_build; /* googlenet.c */
ModelBuild resnet20_build;              /* resnet20.c */
ModelBuild resnet50_build;              /* resnet50.c */
ModelBuild resnet50_v15_build;          /* resnet50.c */

/* mlp.c: a perceptron of any hidden layers, each followed by the activation (net_relu, net_tanh, net_sigmoid). */
int mlp_layers(Net *net, int x, const int *hidden, int count, int (*activation)(Net *net, int x), int classes);

#endif
