/* The learning rate where p workers make the global batch p times as large. Its gradient is the mean over p times as many
 * samples, so the same rate would learn less from each sample.
 *
 *     none      rate            the global batch stays: nothing changes
 *     linear    rate p          p small steps, one after the other, at weights that hardly move meanwhile, are one step of p times
 *                               the rate (Goyal et al. 2017, arXiv:1706.02677). Not true in the first epochs: warm up (schedule.h)
 *     sqrt      rate sqrt(p)    the step's variance stays as it was: that of a mean over p times as many samples is p times smaller
 *                               (Krizhevsky 2014, arXiv:1404.5997, which then found linear to work better)
 *
 * SPDX-License-Identifier: MIT */
#ifndef NN_RATE_SCALE_H
#define NN_RATE_SCALE_H

#include "core/error.h"
#include <stdbool.h>

typedef enum RateScale { RATE_SCALE_NONE, RATE_SCALE_LINEAR, RATE_SCALE_SQRT } RateScale;

/* "none", "linear", "sqrt"; false with a sentence for another name, *scale is then unchanged. */
bool rate_scale_from_name(const char *name, RateScale *scale, Error *error);

/* The rate that one process learned with, for `workers` >= 1 that each bring a batch as large as its. */
double rate_for_batch(RateScale scale, double rate, int workers);

#endif
