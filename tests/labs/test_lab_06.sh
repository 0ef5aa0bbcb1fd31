#!/bin/sh
# The tests of lab 06 must be able to fail: mistakes that students make cost the points of the right test, and the message leads to
# them. A mistake is made in the reference by one sed command. SPDX-License-Identifier: MIT
# Thorough: one compilation for each of many wrong answers.
set -u
cd "$(dirname "$0")/../.." || exit 1
name=lab_06
# shellcheck source=tests/labs/labs.sh
. tests/labs/labs.sh
naive=mpi/collectives/allreduce/01_naive.c ring=mpi/collectives/allreduce/05_ring.c chunk=mpi/chunk.c shift=mpi/practice/ring_shift.c
wrong_answers $naive $ring $chunk $shift
needs_mpi

mistake 06.1 $naive '/BEGIN SOLUTION/,/END SOLUTION/s/collective_copy(.*//' 0/10 'every length, 1, 2, 3, 4 and 7 ranks' '1 rank: rank 0: n = 1: element 0 is nan, want 1' "rank 0 loses its own vector"
also 5/5 'in place' "but in place it is there"
mistake 06.2 $chunk 's/.count = short_count + (part < longer)/.count = short_count/' 0/7 'the parts cover the vector' 'all parts together have' "the rest belongs to nobody"
mistake 06.3 $ring 's/r - 2 - step)/r - 1 - step)/' 0/12 'every length (uses 06.2)' 'rank' "the chunk that came in is taken for another one"
mistake 06.3 $ring '/^ring_reduce_scatter/,/END SOLUTION/s/point_exchange(comm, next, \(.*\), before, to, in.count, type);/point_send(comm, next, \1, type); point_receive(comm, before, to, in.count, type);/' \
    0/5 'no deadlock (uses 06.2)' 'deadlock: rank 0 waits for rank 1' "a ring in which all send first"
also 4/4 'the input is left alone (uses 06.2)' "which works for short vectors"
mistake 06.4 $ring '/^ring_all_gather/,/END SOLUTION/s/for (int step = 0; step < p - 1; step++)/for (int step = 0; step < p; step++)/' 0/6 'messages and bytes (uses 06.2)' 'messages with .* elements were sent' "one step too many"
also 10/10 'every length (uses 06.2)' "whose results are right"

# What students are given, its first line taken away and nothing fixed.
rm -rf "$work/student" && mkdir "$work/student"
awk -v MODE=skeleton -f tools/labs_cut.awk "$shift" | sed '/EXERCISE_NOT_SOLVED(/d' >"$work/student/ring_shift.c"
grade_student 06.5
says '  no deadlock  *0/8 ' && says 'rank 0 waits in MPI_Send for rank'
verdict $? "the deadlock that is handed out is found, with who waits for whom"
finish
