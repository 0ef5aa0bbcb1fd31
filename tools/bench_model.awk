# What the cost model said of the rungs of a CSV of `rungs bench`, beside what was measured: for each rung the median of the errors
# |predicted - measured| / measured, in place and not, over sizes of 64 KB and more; and if asked, who is faster than whom.
#
#   -v error=0.25             the largest median error that is good
#   -v order=33554432         at this size the order of times must be the predicted one; rungs whose predicted or measured times are
#                             within 10 % of each other may change places
#   -v ratio=ring:naive:2.5   from 1 MB on, ring must be at least 2.5 times as fast as naive
#
# Exit status: 1 if something is not as it must be, or a rung was wrong. Reasons hold commas: what stands behind them is read of
# measured rows alone, which have none.
# SPDX-License-Identifier: MIT
BEGIN { FS = "," }
NR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
$column["state"] == "wrong" { failed = 1; print "  " $column["bytes"] ": " $column["rung"] " is WRONG" }
$column["state"] == "measured" && $column["kind"] == "rung" {
    name = $column["rung"]
    at = $column["bytes"] " " $column["place"]
    if (!(name in errors))
        rungs[++count] = name
    if (!(at in seen))
        places[++keyed] = at
    seen[at] = 1
    errors[name] += 0
    measured[name, at] = $column["seconds"] + 0
    if ($column["seconds_predicted"] != "")
        predicted[name, at] = $column["seconds_predicted"] + 0
    if ($column["bytes"] + 0 >= 65536 && (name, at) in predicted)
        error_of[name, ++errors[name]] = distance(predicted[name, at], measured[name, at])
}

function distance(a, b)
{
    return (a > b ? a - b : b - a) / b
}

function verdict(good)
{
    if (!good)
        failed = 1
    return good ? "ok" : "below"
}

function median(name,    n, i, j, swap)
{
    n = errors[name]
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && error_of[name, j - 1] > error_of[name, j]; j--) {
            swap = error_of[name, j]
            error_of[name, j] = error_of[name, j - 1]
            error_of[name, j - 1] = swap
        }
    return n % 2 ? error_of[name, (n + 1) / 2] : (error_of[name, n / 2] + error_of[name, n / 2 + 1]) / 2
}

function print_errors(    i, value, good)
{
    print "median error of the prediction, 64 KB and more (at most " 100 * error " %):"
    for (i = 1; i <= count; i++) {
        if (!errors[rungs[i]])
            continue
        value = median(rungs[i])
        good = verdict(value <= error + 0) == "ok"
        printf "  %-20s %6.1f %% of %d times: %s\n", rungs[i], 100 * value, errors[rungs[i]], good ? "ok" : "above"
        shown++
    }
}

function print_ratios(    part, i, bytes, value)
{
    split(ratio, part, ":")
    print part[1] " beside " part[2] ", 1 MB and more (at least " part[3] " times as fast):"
    for (i = 1; i <= keyed; i++) {
        split(places[i], bytes, " ")
        if (bytes[1] + 0 < 1048576 || !((part[1], places[i]) in measured) || !((part[2], places[i]) in measured))
            continue
        value = measured[part[2], places[i]] / measured[part[1], places[i]]
        printf "  %10d B %-3s  %5.2f times: %s\n", bytes[1], bytes[2], value, verdict(value >= part[3] + 0)
        compared++
    }
    if (!compared)
        print "  nothing was measured: " verdict(0)
}

function print_order(at,    i, j, a, b, wrong)
{
    for (i = 1; i <= count; i++)
        for (j = 1; j <= count; j++) {
            a = rungs[i]; b = rungs[j]
            if (!((a, at) in predicted) || !((b, at) in predicted))
                continue
            if (predicted[b, at] > 1.1 * predicted[a, at] && measured[a, at] > 1.1 * measured[b, at]) {
                printf "  %s: %s was predicted to be faster than %s (%.4g s, %.4g s), and is slower (%.4g s, %.4g s)\n", at, a, b,
                       predicted[a, at], predicted[b, at], measured[a, at], measured[b, at]
                wrong = failed = 1
            }
        }
    if (!wrong)
        print "  " at ": ok"
}

END {
    if (ratio != "")
        print_ratios()
    if (order != "") {
        print "the order of the rungs beside the predicted one:"
        for (i = 1; i <= keyed; i++)
            if (index(places[i], order " ") == 1) {
                print_order(places[i])
                ordered++
            }
        if (!ordered)
            print "  nothing was measured: " verdict(0)
    }
    print_errors()
    if (!shown)
        print "  nothing was measured: " verdict(0)
    exit failed
}
