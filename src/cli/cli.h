/* The commands of the program `rungs`: one file each. A command gets its own argv (argv[0] is its last word) and returns the
 * exit status: 0 done, 1 failed, 2 called wrongly.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "core/nearest.h"
#include "core/options.h"

/* What `rungs --version` says. */
#define RUNGS_VERSION "0.1.0"

struct Model;
typedef enum Status { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 } Status;

/* ---- what commands have in common: cli.c ---- */

/* Parses, and checks the files to write. False: *status is what to return. */
bool cli_parse(const Command *command, int argc, char **argv, int *positional, int *status);

/* Prints the sentence behind the command's name, on rank 0; returns status. */
int cli_fail(const char *name, int status, const Error *error);

/* "rungs: there is no command 'trian'; did you mean 'rungs train'?" on stderr, or which call lists them where nothing is near. who:
 * "rungs", what: "command ", before: "rungs ", list: "'rungs --help' lists them". Returns STATUS_USAGE. */
int cli_unknown(const char *who, const char *what, const Nearest *nearest, const char *before, const char *list);

/* Checks the files of OPTION_OUTPUT and OPTION_FIGURE before minutes are spent on what goes into them: STATUS_USAGE with a
 * sentence if two are the same file, STATUS_FAILED if one cannot be written or drawn. Leaves nothing behind. */
Status cli_check_outputs(const Option *options, Error *error);

typedef struct CliFile {
    const char *name; /* of the option, without the dashes */
    const char *path; /* NULL: not given */
    bool input;       /* is read, not written */
} CliFile;

/* False with a sentence if a file to write is also another one of the files, whatever the two paths look like. The same
 * device (/dev/null) may be given twice. */
bool cli_files_differ(const CliFile *files, size_t count, Error *error);

/* False with a sentence if a file to write cannot be. Leaves nothing behind. */
bool cli_files_writable(const CliFile *files, size_t count, Error *error);

/* ---- the commands ---- */

int command_doctor(int argc, char **argv);                           /* doctor.c */
int command_train(const struct Model *model, int argc, char **argv); /* train.c */
int command_train_perceptron(int argc, char **argv);                 /* train_perceptron.c */
int command_train_xor(int argc, char **argv);                        /* train_xor.c */
int command_gradcheck(int argc, char **argv);                        /* gradcheck.c */
int command_toeplitz(int argc, char **argv);                         /* toeplitz.c */
int command_timeline(int argc, char **argv);                         /* timeline.c */
int command_schedule(int argc, char **argv);                         /* schedule.c */
int command_bench(int argc, char **argv);            /* bench.c: argv[0] is "bench", argv[1] the operation ("gemv") */
int command_bench_network(int argc, char **argv);    /* bench_network.c: argv[0] is the network ("lenet") */
int command_bench_collective(int argc, char **argv); /* bench_collective.c: argv[0] is the collective ("allreduce") */
int command_bench_parallel(int argc, char **argv);   /* bench_parallel.c */
int command_backends(int argc, char **argv);         /* backends.c */
int command_model(int argc, char **argv);            /* model.c */

#endif
