# Prints, for each size and place of a CSV of `rungs bench allreduce`, the fastest of some rungs and how many times as fast it is as the
# library's fastest row, against a floor for its size.
#
#   -v title="private vectors"    the first line
#   -v place=in                   in, out or both
#   -v rungs=ring:segmented_ring  which rungs compete, or all
#   -v floors=0:1.00,65536:1.20 from a number of bytes on; sizes below the first have no line. best: 0.95 of the best rung of
#   ours
#                                 (from quartile to quartile: the two were not measured in pairs)
#
# ok: at the floor or above. below: with its whole interval below. unsure: below, but the interval holds the floor; or above, but the
# interval, wider than 10 %, does. Exit status: 1 if anything is below, or a rung was wrong. Reasons hold commas: what stands behind
# them is read of measured rows alone, which have none.
# SPDX-License-Identifier: MIT
BEGIN {
    FS = ","
    count = split(floors, part, ",")
    for (i = 1; i <= count && floors != "best"; i++) {
        split(part[i], pair, ":")
        from[i] = pair[1]; times[i] = pair[2]
    }
}
NR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
$column["state"] == "wrong" { failed = 1; print "  " $column["bytes"] ": " $column["rung"] " is WRONG" }
$column["state"] == "measured" && $column["kind"] == "rung" && (place == "both" || place == $column["place"]) {
    key = $column["bytes"] " " $column["place"]
    seconds = $column["seconds"] + 0
    if (!(key in best) || seconds < best[key]) {
        best[key] = seconds
        best_low[key] = $column["seconds_low"] + 0; best_high[key] = $column["seconds_high"] + 0
    }
    if (rungs != "all" && index(":" rungs ":", ":" $column["rung"] ":") == 0)
        next
    if (!(key in fastest))
        keys[++keyed] = key
    if (!(key in fastest) || seconds < fastest[key]) {
        fastest[key] = seconds
        seconds_low[key] = $column["seconds_low"] + 0; seconds_high[key] = $column["seconds_high"] + 0
        rung[key] = $column["rung"]
        peer[key] = $column["peer"]
        value[key] = $column["times_peer"] + 0; low[key] = $column["times_peer_low"] + 0; high[key] = $column["times_peer_high"] + 0
    }
}

function floor_of(bytes,    i, found)
{
    found = ""
    for (i = 1; i <= count; i++)
        if (bytes + 0 >= from[i] + 0)
            found = times[i]
    return found
}

function verdict(key, floor)
{
    if (low[key] < floor + 0 && high[key] >= floor + 0 && (value[key] < floor + 0 || high[key] - low[key] > 0.1 * value[key]))
        return "unsure"
    if (value[key] >= floor + 0)
        return "ok"
    failed = 1
    return "below"
}

END {
    print title ":"
    for (i = 1; i <= keyed; i++) {
        key = keys[i]
        split(key, part, " ")
        if (floors == "best") {
            value[key] = best[key] / fastest[key]
            low[key] = high[key] = 1 # it is the best itself
            if (fastest[key] > best[key]) {
                low[key] = best_low[key] / seconds_high[key]; high[key] = best_high[key] / seconds_low[key]
            }
            peer[key] = "the best"
        }
        floor = floors == "best" ? 0.95 : floor_of(part[1])
        if (floor == "" || peer[key] == "")
            continue
        printf "  %10d B %-3s  %-18s %10.2f us  %5.2f [%.2f, %.2f] times %s (%.2f: %s)\n", part[1], part[2], rung[key], 1e6 * fastest[key],
               value[key], low[key], high[key], peer[key], floor, verdict(key, floor)
        shown++
    }
    if (!shown)
        print "  nothing was measured"
    exit failed
}
