# At which density is a sparse product as fast as the dense one? Reads the CSV of `rungs bench spmm` at sizes MxNxKxD (D entries in
# 1000 places), prints for each MxNxK and number of threads what the fastest rung takes, and for each rung the density at which it
# crosses the peer `dense`: between two densities the logarithm of the ratio of times is taken to be a line over the logarithm of the
# density. Its interval comes from those of the ratios. -v plot=FILE: also writes a gnuplot script that draws time over density.
# Fields are found by the names in the header; none that is used here comes behind a quoted one. SPDX-License-Identifier: MIT
BEGIN { FS = "," }
NR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
$column["state"] == "wrong" { wrong = 1; print "  " $column["size"] ": " $column["rung"] " is WRONG" }
$column["state"] == "measured" {
    if (split($column["size"], part, "x") != 4)
        next
    density = part[4] / 10
    place = part[1] "x" part[2] "x" part[3] ", " $column["threads"] " thread" ($column["threads"] > 1 ? "s" : "")
    if (!(place in places)) {
        places[place] = ++place_count
        place_at[place_count] = place
        work[place] = 2e-9 * part[1] * part[2] * part[3] # GFLOP with the zeros
    }
    if (!((place, density) in seen)) {
        seen[place, density] = 1
        density_at[place, ++count[place]] = density
    }
    rung = $column["rung"]
    seconds[place, rung, density] = $column["seconds"] + 0
    if (rung == "dense")
        next
    if (!(rung in known)) {
        known[rung] = 1
        rungs[++rung_count] = rung
    }
    ratio[place, rung, density, "value"] = $column["times_peer"] + 0
    ratio[place, rung, density, "low"] = $column["times_peer_low"] + 0
    ratio[place, rung, density, "high"] = $column["times_peer_high"] + 0
}

# Where the series falls below 1, the last time that it does: a density, or 0: it is always below, or -1: never.
function crossing(place, rung, which,    i, x, y, last_x, last_y, found, above) {
    found = 0
    for (i = 1; i <= count[place]; i++) {
        if (!((place, rung, density_at[place, i], which) in ratio))
            continue
        x = log(density_at[place, i])
        y = log(ratio[place, rung, density_at[place, i], which])
        if (above && y < 0)
            found = exp(last_x + (x - last_x) * last_y / (last_y - y))
        above = y >= 0
        last_x = x
        last_y = y
    }
    return above ? -1 : found
}

# A density for people; what was not reached is said to be beyond.
function density_text(place, density) {
    if (density == 0)
        return "below " density_at[place, 1] " %"
    return density < 0 ? "above " density_at[place, count[place]] " %" : sprintf("%.3g %%", density)
}

function fastest(place, density,    r, best) {
    best = ""
    for (r = 1; r <= rung_count; r++)
        if ((place, rungs[r], density) in seconds && \
            (best == "" || seconds[place, rungs[r], density] < seconds[place, best, density]))
            best = rungs[r]
    return best
}

# Densities may come in any order.
function sort_densities(place,    i, j, keep) {
    for (i = 2; i <= count[place]; i++) {
        keep = density_at[place, i]
        for (j = i - 1; j >= 1 && density_at[place, j] > keep; j--)
            density_at[place, j + 1] = density_at[place, j]
        density_at[place, j + 1] = keep
    }
}

function print_place(place,    i, d, best, r) {
    print place
    printf "  %8s  %9s  %9s  %-10s %14s %14s   %s\n", "density", "dense, ms", "sparse, ms", "rung", "GFLOP/s", \
        "with zeros", "times dense"
    for (i = 1; i <= count[place]; i++) {
        d = density_at[place, i]
        best = fastest(place, d)
        if (best != "" && (place, "dense", d) in seconds)
            printf "  %6.1f %%  %9.3f  %10.3f  %-10s %14.1f %14.1f   %.2f [%.2f, %.2f]\n", d, \
                1e3 * seconds[place, "dense", d], 1e3 * seconds[place, best, d], best, \
                work[place] * d / 100 / seconds[place, best, d], work[place] / seconds[place, best, d], \
                ratio[place, best, d, "value"], ratio[place, best, d, "low"], ratio[place, best, d, "high"]
    }
    for (r = 1; r <= rung_count; r++)
        printf "  %-10s is as fast as dense at a density of %s [%s, %s]\n", rungs[r], \
            density_text(place, crossing(place, rungs[r], "value")), \
            density_text(place, crossing(place, rungs[r], "low")), \
            density_text(place, crossing(place, rungs[r], "high"))
    print ""
}

function write_plot(    p, i, r, d, place, across, down, line) {
    across = place_count < 3 ? place_count : 3
    down = int((place_count + across - 1) / across)
    print "set terminal svg size " 400 * across "," 380 * down " font 'sans-serif,13' background '#ffffff'" > plot
    print "set logscale xy\nset grid linecolor '#dddddd'\nset xlabel 'entries that are not zero (%)'" > plot
    print "set xrange [0.3:100]\nset ylabel 'time (ms)'\nset key bottom right" > plot
    print "set multiplot layout " down "," across > plot
    print "colour(i) = word('#d55e00 #009e73 #0072b2 #cc79a7 #e69f00', i)" > plot
    for (p = 1; p <= place_count; p++) {
        place = place_at[p]
        print "$data << END" > plot
        for (i = 1; i <= count[place]; i++) {
            d = density_at[place, i]
            line = d " " number(place, "dense", d)
            for (r = 1; r <= rung_count; r++)
                line = line " " number(place, rungs[r], d)
            print line > plot
        }
        print "END\nset title '" place "'\nplot $data using 1:2 with lines linewidth 2 linecolor '#333333' title 'dense', \\" > plot
        print "  for [r=1:" rung_count "] $data using 1:r+2 with linespoints linewidth 2 pointtype 7 pointsize 0.5 " \
            "linecolor rgb colour(r) title word('" names() "', r)" > plot
    }
}

function number(place, rung, density) {
    return (place, rung, density) in seconds ? 1e3 * seconds[place, rung, density] : "NaN"
}

function names(    r, text) {
    for (r = 1; r <= rung_count; r++)
        text = text (r > 1 ? " " : "") rungs[r]
    return text
}

END {
    for (p = 1; p <= place_count; p++) {
        sort_densities(place_at[p])
        print_place(place_at[p])
    }
    if (plot != "" && place_count > 0)
        write_plot()
    exit wrong
}
