# Prints, for each size and number of threads of a CSV of `rungs bench`, the fastest rung of ours: its rate, its fraction of the
# least time that the machine's peaks allow, and how many times as fast it is as the fastest peer. Against floors, if they are
# given:
#
#   -v peer=1.00      times the fastest peer, at every size
#   -v bound=0.90     fraction of the bound, at every size
#   -v mean=1.10      the geometric mean of times the fastest peer over all sizes, for each number of threads
#   -v lowest=1.60    times the lowest rung, whose name -v lowest_rung=float gives; without a name it is not spoken of
#
# ok: at the floor or above. below: with its whole interval below. unsure: below, but the interval holds the floor; or above, but the
# interval, wider than 10 %, does. Exit status: 1 if anything is below, or a rung was
# wrong. A row has no comma in front of its state, and what stands behind the reason is read of measured rows alone, which have none.
# SPDX-License-Identifier: MIT
BEGIN { FS = "," }
NR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
$column["state"] == "wrong" { failed = 1; print "  " $column["size"] ": " $column["rung"] " is WRONG" }
$column["state"] == "measured" && $column["kind"] == "rung" {
    key = $column["size"] "," $column["threads"]
    if (!(key in seconds))
        keys[++count] = key
    if (!(key in seconds) || $column["seconds"] + 0 < seconds[key]) {
        seconds[key] = $column["seconds"] + 0
        rung[key] = $column["rung"]
        rate[key] = $column["flops"] / seconds[key] / 1e9
        share[key] = $column["seconds_bound"] / seconds[key]
        with[key] = $column["peer"]
        if (lowest_rung != "") {
            times[key] = $column["times_naive"]; times_low[key] = $column["times_naive_low"]; times_high[key] = $column["times_naive_high"]
        }
        ratio[key] = $column["times_peer"]; low[key] = $column["times_peer_low"]; high[key] = $column["times_peer_high"]
    }
}

function verdict(value, bottom, top, floor)
{
    if (bottom + 0 < floor + 0 && top + 0 >= floor + 0 && (value + 0 < floor + 0 || top - bottom > 0.1 * value))
        return "unsure"
    if (value + 0 >= floor + 0)
        return "ok"
    failed = 1
    return "below"
}

function judged(value, bottom, top, floor)
{
    return floor == "" ? "" : sprintf(" (%.2f: %s)", floor, verdict(value, bottom, top, floor))
}

END {
    for (i = 1; i <= count; i++) {
        key = keys[i]
        split(key, part, ",")
        text = sprintf("  %-16s %2d thread%s  %-13s %6.1f GFLOP/s  %3.0f %% of the bound%s", part[1], part[2], part[2] > 1 ? "s" : " ",
                       rung[key], rate[key], 100 * share[key], judged(share[key], share[key], share[key], bound))
        if (times[key] != "")
            text = text sprintf("  %5.2f [%.2f, %.2f] times %s%s", times[key], times_low[key], times_high[key], lowest_rung,
                                judged(times[key], times_low[key], times_high[key], lowest))
        if (with[key] != "") {
            noisy = high[key] - low[key] > 0.1 * ratio[key] && low[key] <= 1 && high[key] >= 1
            text = text sprintf("  %5.2f [%.2f, %.2f] times %s%s%s", ratio[key], low[key], high[key], with[key],
                                judged(ratio[key], low[key], high[key], peer), noisy && peer == "" ? "  too noisy to say" : "")
            if (!(part[2] in ratios))
                order[++orders] = part[2]
            logs[part[2]] += log(ratio[key])
            ratios[part[2]]++
        }
        print text
    }
    for (i = 1; i <= orders; i++) {
        threads = order[i]
        if (ratios[threads] > 1) {
            value = exp(logs[threads] / ratios[threads])
            printf "  geometric mean of %d sizes, %d thread%s: %.2f%s\n", ratios[threads], threads, (threads > 1 ? "s" : ""), value,
                   judged(value, value, value, mean)
        }
    }
    exit failed
}
