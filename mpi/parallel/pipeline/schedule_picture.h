/* What a simulated schedule looks like: as text for the terminal, and as a figure.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_PIPELINE_SCHEDULE_PICTURE_H
#define MPI_PARALLEL_PIPELINE_SCHEDULE_PICTURE_H

#include "mpi/parallel/pipeline/schedule.h"

/* A row for each stage, time to the right, F0,3 for the forward pass of micro-batch 3 on stage 0 (F0,3.1: of its chunk 1); idle
 * time is dots. At most `columns` wide: what does not fit is cut, and the last line says so. */
void pipeline_picture_text(const PipelineSchedule *schedule, const PipelineRun *run, int columns, FILE *out);

/* The same with a box for each instruction; below it the micro-batches in flight on each stage over the same time axis. Needs
 * gnuplot; false with a sentence. */
bool pipeline_picture_svg(const PipelineSchedule *schedule, const PipelineRun *run, const char *title, const char *path,
                          Error *error);

#endif
