/* The commands of the program `rungs`: one file each. A command gets its own argv (argv[0] is its last word) and returns the
 * exit status: 0 done, 1 failed, 2 called wrongly.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_H
#define CLI_CLI_H

/* What `rungs --version` says. */
#define RUNGS_VERSION "0.1.0"

struct Model;
typedef enum Status { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 } Status;

int command_doctor(int argc, char **argv);                           /* doctor.c */
int command_train(const struct Model *model, int argc, char **argv); /* train.c */
int command_train_perceptron(int argc, char **argv);                 /* train_perceptron.c */
int command_train_xor(int argc, char **argv);                        /* train_xor.c */
int command_gradcheck(int argc, char **argv);                        /* gradcheck.c */
int command_toeplitz(int argc, char **argv);                         /* toeplitz.c */
int command_timeline(int argc, char **argv);                         /* timeline.c */
int command_bench(int argc, char **argv);            /* bench.c: argv[0] is "bench", argv[1] the operation ("gemv") */
int command_bench_network(int argc, char **argv);    /* bench_network.c: argv[0] is the network ("lenet") */
int command_bench_collective(int argc, char **argv); /* bench_collective.c: argv[0] is the collective ("allreduce") */
int command_bench_parallel(int argc, char **argv);   /* bench_parallel.c */
int command_backends(int argc, char **argv);         /* backends.c */
int command_model(int argc, char **argv);            /* model.c */

#endif
