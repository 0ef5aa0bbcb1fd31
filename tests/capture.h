/* What a function prints, and how it ends, when it may end the process.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_CAPTURE_H
#define TESTS_CAPTURE_H

enum { CAPTURED_RETURNED = 77 }; /* the status where function came back */

typedef struct Captured {
    int status;      /* exit status, or -1 if a signal ended it */
    char text[4096]; /* what was written to stdout and stderr, as far as it fits */
} Captured;

/* Runs function(argument) in a child. */
Captured capture(void (*function)(void *), void *argument);

/* Runs call() in a child. Fails unless it ends with status 1 and has printed `sentence`: for CHECK_THAT (core/checked.h). */
#define ck_assert_ends(call, sentence) testing_ends((call), (sentence), #call, __FILE__, __LINE__)

/* TEST_ENDS(name, sentence) { ... } is a test that its body ends so; TEST_ENDS_CALL has a body of one line. */
#define TEST_ENDS(name, sentence)                                                                                      \
    static void name##_call(void);                                                                                     \
    TEST_CALL(name, ck_assert_ends(name##_call, sentence))                                                             \
    static void name##_call(void)
#define TEST_ENDS_CALL(name, sentence, ...)                                                                            \
    TEST_ENDS(name, sentence)                                                                                          \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

void testing_ends(void (*call)(void), const char *sentence, const char *what, const char *file, int line);

#endif
