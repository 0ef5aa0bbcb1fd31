# Prints, for each size and number of threads of a CSV of `rungs bench`, the fastest rung and its ratio to the fastest peer.
# Fields are found by the names in the header; none that is used here is quoted. SPDX-License-Identifier: MIT
BEGIN { FS = "," }
NR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
$column["state"] == "wrong" { wrong = 1; print "  " $column["size"] ": " $column["rung"] " is WRONG" }
$column["state"] == "measured" && $column["times_peer"] != "" {
    key = $column["size"] "," $column["threads"]
    if (!(key in best)) {
        keys[++count] = key
        best[key] = $column["seconds"] + 0
        line[key] = ""
    }
    if (line[key] == "" || $column["seconds"] + 0 < best[key]) {
        best[key] = $column["seconds"] + 0
        ratio = $column["times_peer"]; low = $column["times_peer_low"]; high = $column["times_peer_high"]
        verdict = (high - low > 0.1 * ratio && low <= 1 && high >= 1) ? "  too noisy to say" : ""
        line[key] = sprintf("%-10s %5.2f [%.2f, %.2f]%s", $column["rung"], ratio, low, high, verdict)
    }
}
END {
    for (i = 1; i <= count; i++) {
        split(keys[i], part, ",")
        printf "  %-14s %3d thread%s  %s\n", part[1], part[2], (part[2] > 1 ? "s" : " "), line[keys[i]]
    }
    exit wrong
}
