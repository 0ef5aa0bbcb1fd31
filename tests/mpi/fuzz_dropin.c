/* Random programs for the drop-in library: communicators that come and go, in an order of its own on each rank, and random
 * collective calls on them (fuzz_calls.h), each compared with the MPI library's own.   `make mpi-fuzz SECONDS=600 RANKS=4 SEED=17`
 *
 *     fuzz_dropin SECONDS [SEED]
 *
 * A round of STEPS steps is a function of its seed and the number of ranks; the next round has the next seed. What is wrong is
 * said with the round's seed, with which it is the first round of another run; so is a step that does not end. Rank 0 says at the
 * end how much was right.
 * SPDX-License-Identifier: MIT */
#include "tests/mpi/fuzz_calls.h"
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { STEPS = 150, LIVE = 24, PATIENCE = 120 /* seconds for a round */ };

/* The communicators of this rank. Ranks of a split have different ones at the same place, those left out none. */
typedef struct Program {
    uint64_t seed;
    int step;
    Dice dice;
    MPI_Comm live[LIVE], waiting[LIVE]; /* waiting: freed by the program, by this rank only later */
    long calls;
} Program;

/* Global, for the signal's handler. */
static Program program;
static int p, r;

static void
say_stuck(int signal)
{
    (void)signal;
    char text[160];
    const int length = snprintf(text, sizeof(text), "fuzz_dropin: rank %d of %d: step %d of SEED=%llu does not end\n",
                                r, p, program.step, (unsigned long long)program.seed);
    if (write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(4);
    _exit(3);
}

static _Noreturn void
say_wrong(const char *what)
{
    fprintf(stderr, "fuzz_dropin: rank %d of %d: step %d of SEED=%llu: %s is wrong\n", r, p, program.step,
            (unsigned long long)program.seed, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void
expect(bool right, const char *what)
{
    program.calls++;
    if (!right)
        say_wrong(what);
}

/* ---- collective calls ------------------------------------------------------------------------------------------------- */

static void
call(MPI_Comm mpi)
{
    Dice *dice = &program.dice;
    switch (draw(&dice->all, 9)) {
    case 0:
    case 1:
        expect(fuzz_allreduce(dice, mpi), "MPI_Allreduce");
        break;
    case 2:
        expect(fuzz_reduce(dice, mpi), "MPI_Reduce");
        break;
    case 3:
        expect(fuzz_broadcast(dice, mpi), "MPI_Bcast");
        break;
    case 4:
        expect(fuzz_exchange(dice, mpi, MPI_Allgather, PMPI_Allgather, false), "MPI_Allgather");
        break;
    case 5:
        expect(fuzz_exchange(dice, mpi, MPI_Alltoall, PMPI_Alltoall, true), "MPI_Alltoall");
        break;
    case 6:
    case 7:
        expect(fuzz_reduce_scatter(dice, mpi), "MPI_Reduce_scatter");
        break;
    default:
        CHECK_MPI(MPI_Barrier(mpi));
        program.calls++;
    }
}

/* Rank 0's numbers on two communicators of all ranks, in whatever order each rank asks for them. */
static void
call_in_any_order(MPI_Comm a, MPI_Comm b)
{
    MPI_Comm two[2] = {a, b};
    int number[2] = {r, r};
    const int first = draw(&program.dice.mine, 2);
    for (int i = 0; i < 2; i++) {
        const int which = (first + i) % 2;
        if (r == 0)
            number[which] = 1000 + which;
        CHECK_MPI(MPI_Bcast(&number[which], 1, MPI_INT, 0, two[which]));
    }
    expect(number[0] == 1000 && number[1] == 1001, "MPI_Bcast in another order on each rank");
}

/* ---- communicators ---------------------------------------------------------------------------------------------------- */

/* The program frees its communicator; this rank does so now, or at another time, after others. */
static void
free_some_time(MPI_Comm *mpi)
{
    MPI_Comm *place = &program.waiting[draw(&program.dice.mine, LIVE)];
    if (*place != MPI_COMM_NULL)
        CHECK_MPI(MPI_Comm_free(place));
    *place = *mpi;
    *mpi = MPI_COMM_NULL;
}

/* From another one, or from that of all ranks; those that are left out have none. */
static MPI_Comm
create(MPI_Comm parent, int way)
{
    MPI_Comm new = MPI_COMM_NULL;
    const int colors = draw(&program.dice.all, 3) + 1, key = draw(&program.dice.mine, 5);
    const int color = draw(&program.dice.mine, colors + 1);
    if (parent == MPI_COMM_NULL)
        return new;
    if (way == 0)
        CHECK_MPI(MPI_Comm_dup(parent, &new));
    else
        CHECK_MPI(MPI_Comm_split(parent, color == colors ? MPI_UNDEFINED : color, key, &new));
    return new;
}

static void
take_step(void)
{
    Dice *dice = &program.dice;
    const int what = draw(&dice->all, 20), at = draw(&dice->all, LIVE), from = draw(&dice->all, LIVE);
    MPI_Comm *place = &program.live[at];
    if (what < 3) {
        free_some_time(place);
        *place = create(what == 0 ? program.live[from] : MPI_COMM_WORLD, what);
    } else if (what == 3) {
        free_some_time(place);
    } else if (what == 4) {
        MPI_Comm a = create(MPI_COMM_WORLD, 0), b = create(MPI_COMM_WORLD, 0);
        call_in_any_order(a, b);
        free_some_time(&a);
        free_some_time(&b);
    } else {
        /* Calls on one communicator draw for all, those on others do not: each has dice of its own. */
        Rng after = rng_create(program.seed, 1000 + (uint64_t)program.step), rest = dice->all;
        dice->all = after;
        MPI_Comm mpi = what < 9 ? MPI_COMM_WORLD : *place;
        for (int i = draw(&dice->all, 3); i >= 0 && mpi != MPI_COMM_NULL; i--)
            call(mpi);
        dice->all = rest;
    }
}

static void
run_round(uint64_t seed)
{
    program.seed = seed;
    program.dice = (Dice){rng_create(seed, 0), rng_create(seed, 1 + (uint64_t)r)};
    for (int i = 0; i < LIVE; i++)
        program.live[i] = program.waiting[i] = MPI_COMM_NULL;
    for (program.step = 0; program.step < STEPS; program.step++)
        take_step();
    for (int i = 0; i < LIVE; i++)
        free_some_time(&program.live[i]);
    for (int i = 0; i < LIVE; i++)
        if (program.waiting[i] != MPI_COMM_NULL)
            CHECK_MPI(MPI_Comm_free(&program.waiting[i]));
}

int
main(int argc, char **argv)
{
    CHECK_MPI(MPI_Init(&argc, &argv));
    CHECK_THAT(argc > 1, "usage: fuzz_dropin SECONDS [SEED]");
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &p));
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &r));
    const double end = MPI_Wtime() + atof(argv[1]);
    unsigned long long seed =
        argc > 2 ? strtoull(argv[2], NULL, 10) : (unsigned long long)getpid() * 1000003ULL % 1000000;
    CHECK_MPI(PMPI_Bcast(&seed, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD));
    const unsigned long long first = seed;
    signal(SIGALRM, say_stuck);
    for (int more = 1; more; seed++) {
        alarm(PATIENCE);
        run_round(seed);
        more = MPI_Wtime() < end;
        CHECK_MPI(PMPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD));
    }
    alarm(0);
    if (r == 0)
        printf("fuzz_dropin: SEED=%llu: %llu rounds, %ld calls of rank 0 of %d: all right\n", first, seed - first,
               program.calls, p);
    CHECK_MPI(MPI_Finalize());
    return 0;
}
