/* rungs bench mlp, rungs bench lenet: a training step of a network (cpu/step.h). SPDX-License-Identifier: MIT */
#include "cli/bench.h"
#include "cli/cli.h"
#include "cpu/backend.h"
#include "cpu/step.h"
#include <stdio.h>

int
command_bench_network(int argc, char **argv)
{
    char name[64], rungs[160], rungs_help[320];
    int positional, status;
    Error error = {""};
    const char *torch = NULL;
    BenchNet what = {.model = bench_net_model(argv[0]), .hidden = {1, {64}}, .inputs = 64, .classes = 10};
    BenchOptions o = {.rungs = "naive,best",
                      .sizes = what.model != NULL ? "64" : "32",
                      .rounds = 15,
                      .seconds = 60,
                      .seed = 1,
                      .threads = bench_threads()};
    const Option options[] = {
        {"torch", OPTION_STRING, &torch, "PYTHON", "a Python that has PyTorch: measures it in turns"},
        {what.model == NULL ? "inputs" : NULL, OPTION_INT, &what.inputs, "N", "features of a sample", .min = 1,
         .max = 1e6},
        {"hidden", OPTION_INTS, &what.hidden, "LIST", "neurons of each hidden layer", .min = 1, .max = 1e5},
        {"classes", OPTION_INT, &what.classes, "N", "outputs", .min = 1, .max = 1e5},
        {0},
    };
    snprintf(name, sizeof name, "rungs bench %s", argv[0]);
    snprintf(rungs_help, sizeof rungs_help,
             "all, or some of %s: naive and best are bottom and top rung of every ladder, the others the top with this "
             "rung of gemm",
             cpu_backend_names());
    const BenchKind kind = {
        .name = name,
        .positional = "",
        .summary = what.model != NULL ? "measure training steps of LeNet-5 on images of 28 x 28 pixels"
                                      : "measure training steps of a small network",
        .notes = "  rungs bench lenet --threads 1,2 --torch python3 --floor pytorch=1.0\n",
        .rungs = "kernels",
        .rungs_help = rungs_help,
        .sizes = "batch",
        .sizes_help = "samples in a step",
        .threads = true,
        .options = options,
    };
    if (!bench_parse(&kind, &o, argc, argv, &positional, &status))
        return status;
    if (!bench_threads_check(&o.threads, &error))
        return cli_fail(name, STATUS_USAGE, &error);
    snprintf(rungs, sizeof rungs, "%.140s%s", o.rungs, torch != NULL ? ",pytorch" : "");
    o.rungs = rungs;
    return bench_run(&(Bench){.name = name,
                              .o = &o,
                              .ladder = step_ladder(&what, torch),
                              .peaks = true,
                              .sizes_option = "batch",
                              .sample_seconds = 0.1});
}
