#!/bin/sh
# The tests of lab 07 must be able to fail: mistakes that students make cost the points of the right test, and the message leads to
# them. A mistake is made in the reference by one sed command. SPDX-License-Identifier: MIT
# Thorough: one compilation for each of many wrong answers.
set -u
cd "$(dirname "$0")/../.." || exit 1
name=lab_07
# shellcheck source=tests/labs/labs.sh
. tests/labs/labs.sh
buckets=mpi/parallel/data/buckets.c reducer=mpi/parallel/data/reducer.c step=mpi/parallel/data/data.c server=mpi/parallel/server/synchronous.c
wrong_answers $buckets $reducer $step $server
needs_mpi

mistake 07.1 $buckets '/^buckets_by_size/,/END SOLUTION/s/plan.buckets == 1 ? first_cap : cap/cap/' 0/5 'the first has a cap of its own' 'bucket 0 has' "one cap for all buckets"
also 8/8 'closed at the cap' "which is right for all others"
mistake 07.1 $buckets '/^buckets_by_size/,/END SOLUTION/s/sizeof(float) </sizeof(float) <=/' 0/6 'exactly full, too large, not full' 'bucket 0 has 3 tensors, want 2' "a bucket that is exactly full stays open"
mistake 07.1 $buckets '/^buckets_by_size/,/END SOLUTION/s/bucket->count \* sizeof(float)/bucket->count/' 0/4 'the buckets of ResNet-50' 'want' "floats are taken for bytes"

mistake 07.2 $reducer '/^launch/,/END SOLUTION/s/while (/if (/' 0/10 'sent in order' 'are all before it, but it was not sent' "what waited behind a bucket is forgotten"
also 9/9 'sent when complete, once' "which nobody sees as long as all come in order"
mistake 07.2 $reducer '/^launch/,/END SOLUTION/s/pending\[reducer->next_bucket\] == 0/pending[reducer->next_bucket] <= 1/' 0/9 'sent when complete, once' 'is not complete yet\|before its gradients were there' "a bucket leaves one tensor too early"
mistake 07.2 $reducer '/^mark_ready(/,/END SOLUTION/s/--reducer->pending/reducer->pending/' 0/6 'the sums, gradients in any order' 'is .*, want' "nothing is counted"

mistake 07.3 $step '/^learn/,/END SOLUTION/s/reducer_finish(data->reducer);//' 0/12 'as one process (uses 07.2)' '2 ranks: rank 0: --overlap naive: after step 0: parameter' "nobody waits for the sums"
mistake 07.3 $step '/^learn/,/END SOLUTION/s/parallel_agree(.*);//' 0/5 'the loss, and who stops (uses 07.2)' 'step->loss is nan' "the loss is nobody's"
also 12/12 'as one process (uses 07.2)' "but the weights are right"

mistake 07.4 $server '/^serve_all/,/END SOLUTION/s/take_push(ps, worker,/take_push(ps, ANY_WORKER,/' 0/8 'in the order of the workers' 'plus worker 1' "whoever comes first is added first"
also 12/12 'as one process' "which is right to rounding"
mistake 07.4 $server '/^serve_all/,/END SOLUTION/s/answer_push(ps, worker);/if (worker > 0) answer_push(ps, worker);/' 0/12 'as one process' 'rank 1 waits\|ended before its end' "one worker is not answered"
finish
