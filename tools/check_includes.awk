# Who may include whom. Reads sources, prints one line for each #include that looks upwards, and exits with 1 if there is one.
#
#     cli > mpi/parallel > nn, mpi/collectives, cpu/backend, gpu/backend > kernels > ladder, data > core
#
# A layer may include itself, what is named for it below, and core.
# SPDX-License-Identifier: MIT

BEGIN {
    allow("core", "")
    allow("ladder", "")
    allow("data", "")
    allow("lecture", "")                        # src/perceptron.c, src/mlp.c, src/autodiff.c, src/lenet.c: readable on their own
    allow("device", "emulator")                 # cpu/chunks.h: what kernels of one device share; gpu/library.h
    allow("emulator", "device")                 # gpu/emulator/: a device library, with what it found and counted
    allow("kernel", "device ladder/ladder.h")   # cpu/gemv/01_naive.c: its own folder's header, which declares the table
    allow("table", "kernel device ladder")      # cpu/gemv/ladder.c: the rungs as a table; cpu/ladders.c: all tables
    allow("measured", "table device emulator ladder") # gpu/compare.c, gpu/emulated.c: what is done with whole ladders
    allow("nn", "data")                         # never a kernel: nn/backend.h is all it knows
    allow("backend", "kernel device nn/backend.h") # cpu/backend.c fills in nn/backend.h
    allow("step", "nn backend ladder")          # cpu/step.c: a training step as an operation of the driver
    allow("blas", "kernel device")              # cpu/blas/: the drop-in BLAS chooses kernels as a backend does
    allow("comm", "")                           # mpi/comm.h, mpi/point.h: ranks and messages
    allow("costs", "comm")                      # mpi/model/: what a collective should take
    allow("collectives", "comm costs ladder")
    allow("parallel", "nn data ladder backend collectives comm costs mpi/watch/watch.h") # the queue says when a rank only waits
    allow("mpi", "ladder comm costs collectives") # mpi/watch/, mpi/dropin/
    allow("cli", "*")
    allow("test", "*")
    # Operations that are made of others: a convolution is a matrix product. They may know what stands in the other's folder for
    # all of its rungs, never a rung's own header (NN_idea.h).
    made_of["cpu/conv/"] = "cpu/gemm/"
    made_of["gpu/conv/"] = "gpu/gemm/"
    made_of["cpu/gemm_bf16/"] = made_of["cpu/gemm_int8/"] = "cpu/gemm/" # five_loops.h
    made_of["cpu/conv_input_gradient/"] = made_of["cpu/conv_weight_gradient/"] = "cpu/conv/ cpu/gemm/"
}

function allow(layer, others,    words, n, i)
{
    n = split(layer " core " others, words, " ")
    for (i = 1; i <= n; i++)
        allowed[layer, words[i]] = 1
}

# The layer of a path: of a file, or of what an #include names ("nn/net.h", "cpu/gemv/gemv.h").
function layer_of(path)
{
    sub(/^src\//, "", path)
    if (path ~ /^tests\//) return "test"
    if (path ~ /^(core|ladder|data|nn|cli)\//) { sub(/\/.*/, "", path); return path }
    if (path ~ /^(cpu|gpu)\/backend[.]/) return "backend"
    if (path ~ /^(cpu|gpu)\/blas\//) return "blas"
    if (path ~ /^(cpu|gpu)\/([^\/]*\/ladder|ladders)[.]/) return "table"
    if (path ~ /^cpu\/step[.]/) return "step"
    if (path ~ /^gpu\/(compare|emulated)[.]/) return "measured"
    if (path ~ /^gpu\/emulator\//) return "emulator"
    if (path ~ /^(cpu|gpu)\/[^\/]*$/) return "device"
    if (path ~ /^(cpu|gpu)\//) return "kernel"
    if (path ~ /^mpi\/[^\/]*$/) return "comm"
    if (path ~ /^mpi\/model\//) return "costs"
    if (path ~ /^mpi\/(collectives|practice)\//) return "collectives"
    if (path ~ /^mpi\/parallel\//) return "parallel"
    if (path ~ /^mpi\//) return "mpi"
    return "lecture"
}

function complain(text)
{
    printf "%s:%d: %s\n", FILENAME, FNR, text
    wrong++
}

FNR == 1 {
    layer = layer_of(FILENAME)
    folder = FILENAME
    sub(/[^\/]*$/, "", folder)
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, parts, "\"")
    target = parts[2]
    if (target !~ /\//)
        target = folder target              # "gemv.h" stands in the includer's own folder
    to = layer_of(target)
    if (!((layer, "*") in allowed) && !((layer, to) in allowed) && !((layer, target) in allowed))
        complain("includes \"" parts[2] "\": " layer " may not know " to)
    else if (to == "kernel" && layer == "kernel" && folder_of(target) != folder_of(FILENAME) && !may_be_made_of(folder, target))
        complain("includes \"" parts[2] "\": one operation's kernels may not know another's")
}

function may_be_made_of(folder, target)
{
    return index(" " made_of[folder] " ", " " folder_of(target) " ") && target !~ /\/[0-9][0-9]_[^\/]*$/
}

function folder_of(path)
{
    sub(/^src\//, "", path)
    sub(/[^\/]*$/, "", path)
    return path
}

# Communication stands in files of its own, apart from the mathematics.
/^[ \t]*#[ \t]*include[ \t]*<mpi(-ext)?\.h>/ {
    if (layer != "core" && layer != "comm" && layer != "costs" && layer != "collectives" && layer != "parallel" && layer != "mpi" && layer != "test" && layer != "cli")
        complain("includes <mpi.h>: " layer " may not communicate")
}
/^[ \t]*#[ \t]*include[ \t]*<check\.h>/ {
    if (layer != "test")
        complain("includes <check.h>, which only tests may need")
}

END { exit wrong > 0 }
