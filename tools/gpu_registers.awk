# What `nvcc -Xptxas -v` said of each kernel, as a table: registers, shared memory, spills. SPDX-License-Identifier: MIT
BEGIN { printf "%-7s %9s %12s %13s %12s  %s\n", "device", "registers", "shared bytes", "spilled bytes", "local bytes", "kernel" }

/Compiling entry function/ {
    split($0, quoted, "'")
    kernel = quoted[2]
    device = quoted[4]
}
# N bytes stack frame, N bytes spill stores, N bytes spill loads
/bytes stack frame/ { stack = $1; spills = $5 + $9 }
/Used [0-9]+ registers/ {
    registers = shared = 0
    for (i = 1; i < NF; i++) {
        if ($(i + 1) ~ /^registers/) registers = $i
        if ($i == "bytes" && $(i + 1) ~ /^smem/) shared = $(i - 1)
    }
    printf "%-7s %9d %12d %13d %12d  %s\n", device, registers, shared, spills, stack, kernel
    if (spills > 0)
        spilling++
    kernels++
}

END { printf "%d kernels, %d of them spill registers\n", kernels, spilling }
