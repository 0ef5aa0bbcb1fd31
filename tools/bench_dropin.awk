# From what tests/mpi/dropin_times.c prints (bytes, place, seconds of MPI_Allreduce, of PMPI_Allreduce, wrong elements) the CSV that
# tools/bench_collective.awk judges: for each size and place the median of the seconds, and of how many times as fast the drop-in library
# was in a round, with the 95 % interval that its order gives (the ranks n / 2 -+ 0.98 sqrt(n) of n rounds).   -v rung=NAME
# SPDX-License-Identifier: MIT
BEGIN { print "bytes,rung,kind,place,seconds,times_peer,times_peer_low,times_peer_high,peer,state,reason" }

NF == 5 {
    key = $1 "," rung ",rung," $2
    if (!(key in rounds))
        keys[++keyed] = key
    n = ++rounds[key]
    seconds[key, n] = $3 + 0
    ratio[key, n] = $4 / $3
    wrong[key] += $5
}

# values[key, 1 .. n] in order.
function sort(values, key, n,    i, k, value)
{
    for (i = 2; i <= n; i++) {
        value = values[key, i]
        for (k = i - 1; k > 0 && values[key, k] > value; k--)
            values[key, k + 1] = values[key, k]
        values[key, k + 1] = value
    }
}

function median(values, key, n)
{
    return (values[key, int((n + 1) / 2)] + values[key, int(n / 2) + 1]) / 2
}

END {
    for (i = 1; i <= keyed; i++) {
        key = keys[i]
        n = rounds[key]
        if (wrong[key] > 0) {
            print key ",,,,,,wrong," wrong[key] " wrong elements"
            continue
        }
        sort(seconds, key, n)
        sort(ratio, key, n)
        low = int(n / 2 - 0.98 * sqrt(n))
        low = low < 1 ? 1 : low
        printf "%s,%.6g,%.4f,%.4f,%.4f,the library,measured,\n", key, median(seconds, key, n), median(ratio, key, n), ratio[key, low], ratio[key, n + 1 - low]
    }
    exit keyed == 0
}
