/* Many things measured by all ranks, each of them again and again, in rounds: what disturbs one sample of a thing then disturbs no
 * other sample of it, and the least one is what it takes.
 *
 *     survey_line, survey_point   what to measure, once for a first impression
 *     survey_measure              rounds of all of it: few if their samples agree, else until the time limit
 *     survey_fit, survey_fit_line what came out (mpi/model/fit.h)
 *
 * All ranks of the communicator call everything, and have the same numbers.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_MODEL_SURVEY_H
#define MPI_MODEL_SURVEY_H

#include "mpi/model/fit.h"

/* What some ranks do over and over again, while those without a part wait. */
typedef struct Probe {
    Comm *comm; /* whose messages these are: all ranks, a node, those at one place of the nodes. NULL: takes no part */
    void (*play)(const struct Probe *probe, size_t bytes);
    char *x, *y; /* [longest] */
    size_t longest;
} Probe;

typedef struct Survey Survey;

/* The points of a line: sizes of 8 bytes to the longest, or to one that takes more than 20 ms. */
typedef struct SurveyLine {
    int first, count;
} SurveyLine;

Survey *survey_create(Comm *all);
void survey_free(Survey *survey);

/* Returns its number. */
int survey_point(Survey *survey, const Probe *probe, size_t bytes);
SurveyLine survey_line(Survey *survey, const Probe *probe);

/* About a second in the memory of one node; where samples do not agree about three, or what RUNGS_FIT_SECONDS says on rank 0. */
void survey_measure(Survey *survey);

/* After it. Of each play of the line `factor` counts; false if the line is too noisy. */
FitPoint survey_fit(const Survey *survey, int point);
bool survey_fit_line(const Survey *survey, SurveyLine line, double factor, Curve *curve);

#endif
