# SPDX-License-Identifier: MIT
# To be sourced. launcher_is_deaf: whether tools/mpirun.sh keeps signals from its launcher here, a cluster and a batch system aside.
# shellcheck shell=sh
launcher_is_deaf() {
    "${MPIRUN:-mpirun}" --version 2>/dev/null | grep -Eq 'Open MPI|OpenRTE|PRRTE|prte' && env --block-signal=TERM true 2>/dev/null &&
        ps -A -o pid= -o ppid= >/dev/null 2>&1
}
