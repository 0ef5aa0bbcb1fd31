# What a CSV of `rungs bench parallel` says of its plans, held to floors.
#
#   -v efficiency=0.95     the best plan's speed, as a fraction of that of one rank alone on its samples
#   -v ratio=0.5:2         seconds of communication for one of computation, of the fused plan: between these
#   -v order=1             no plan may be slower than another one that was predicted to be slower by more than 10 %; those within
#                          10 % of each other, predicted or measured, may change places. The shortest step must be a merged plan's
#                          (greedy, optimal), or one's that is within 2 % of it
#   -v hidden=0.80         of the communication that overlapping plans can hide by the model, the fraction that they must
#   -v times=1.5           the best plan's images per second, as a multiple of the peer's
#
# Exit status: 1 if something is not as it must be, or a row was wrong.
# SPDX-License-Identifier: MIT
BEGIN { FS = "," }
NR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
$column["kind"] == "apart" { apart = $column["seconds"] + 0 }
$column["kind"] == "peer" { peers++ }
$column["kind"] == "plan" {
    name[++count] = $column["row"]
    overlap[count] = $column["overlap"]
    seconds[count] = $column["seconds"] + 0
    communication[count] = $column["seconds_communication"] + 0
    predicted[count] = $column["seconds_predicted"]
    hides[count] = $column["hidden"]
    share[count] = $column["efficiency"] + 0
    beside_peer[count] = $column["times_peer"] + 0
    if ($column["wrong"] + 0 != 0) {
        failed = 1
        print "  " name[count] " is WRONG"
    }
    if (best == 0 || seconds[count] < seconds[best])
        best = count
    if ((overlap[count] == "greedy" || overlap[count] == "optimal") && (merged == 0 || seconds[count] < seconds[merged]))
        merged = count
}

function verdict(good)
{
    if (!good)
        failed = 1
    return good ? "ok" : "not as it must be"
}

function print_ratio(    part, i, value, shown)
{
    split(ratio, part, ":")
    for (i = 1; i <= count; i++)
        if (overlap[i] == "fused") {
            value = communication[i] / apart
            printf "  communication is %.2f times computation, fused (%s to %s): %s\n", value, part[1], part[2],
                   verdict(value >= part[1] + 0 && value <= part[2] + 0)
            shown++
        }
    if (!shown)
        print "  no fused plan was measured: " verdict(0)
}

function print_order(    i, j, wrong)
{
    for (i = 1; i <= count; i++)
        for (j = 1; j <= count; j++)
            if (predicted[i] != "" && predicted[j] != "" && predicted[j] > 1.1 * predicted[i] &&
                seconds[i] > 1.1 * seconds[j]) {
                printf "  %s was predicted to be faster than %s (%.4g s, %.4g s), and is slower (%.4g s, %.4g s)\n", name[i],
                       name[j], predicted[i], predicted[j], seconds[i], seconds[j]
                wrong = 1
            }
    print "  the order of the plans beside the predicted one: " verdict(!wrong)
    if (!merged)
        print "  no merged plan was measured: " verdict(0)
    else
        printf "  the shortest step is %s's, %.4g s; of the merged ones %s's, %.4g s: %s\n", name[best], seconds[best],
               name[merged], seconds[merged], verdict(seconds[merged] <= 1.02 * seconds[best])
}

function print_hidden(    i, shown)
{
    for (i = 1; i <= count; i++)
        if (hides[i] != "") {
            printf "  %-20s hides %5.1f %% of what can be hidden (at least %g %%): %s\n", name[i], 100 * hides[i], 100 * hidden,
                   verdict(hides[i] >= hidden + 0)
            shown++
        }
    if (!shown)
        print "  nothing could be hidden: " verdict(0)
}

END {
    if (!count)
        print "  no plan was measured: " verdict(0)
    else {
        if (ratio != "")
            print_ratio()
        if (efficiency != "")
            printf "  weak-scaling efficiency of the best plan, %s: %.3f (at least %g): %s\n", name[best], share[best], efficiency,
                   verdict(share[best] >= efficiency + 0)
        if (order != "")
            print_order()
        if (hidden != "")
            print_hidden()
        if (times != "" && !peers)
            print "  no peer was measured: " verdict(0)
        else if (times != "")
            printf "  images per second of the best plan, %s, as a multiple of the peer's: %.2f (at least %g): %s\n", name[best],
                   beside_peer[best], times, verdict(beside_peer[best] >= times + 0)
    }
    exit failed
}
