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

typedef struct Model {
    const char *name;    /* "resnet50" */
    const char *summary; /* what it is and where it was published */
    Shape input;         /* the images that it was designed for; most take others as well */
    int classes;
    ModelBuild *build;
} Model;

/* The whole table. */
const Model *models(int *count);

/* NULL if there is no model of that name. */
const Model *model_find(const char *name);

/* The input and the model, without a loss and not built: what shape inference needs. The caller frees with net_free. */
Net *model_create(const Model *model, const Backend *backend, uint64_t seed);

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

#endif
