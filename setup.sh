#!/bin/sh
# Installs what rungs needs to build, and nothing that is here already. It asks no questions and can be run again at any time.
# It changes nothing but the packages of the system: not your shell, not this folder.
# SPDX-License-Identifier: MIT
set -u

usage() {
    cat <<'TEXT'
usage: ./setup.sh [--dev] [--dry-run]

Installs what rungs needs: a C compiler, make, pkg-config, Open MPI, Check, zlib, cJSON, gnuplot, curl, iproute2; and the libraries
that benchmarks compare with: OpenBLAS, BLIS, oneDNN.
Works on Debian and Ubuntu (apt-get), Fedora (dnf) and macOS (brew, untried). It uses sudo when it is not run by root.
CUDA is not installed: rungs uses the CUDA Toolkit if nvcc is in PATH, and is complete without.

  --dev       also what a developer of rungs uses: clang, clang-format, cppcheck, shellcheck, valgrind, qemu-user, pandoc
  --dry-run   say what is missing and what would be run, change nothing
  --help      this text
TEXT
}

dev=0
dry_run=0
for argument in "$@"; do
    case $argument in
    --dev) dev=1 ;;
    --dry-run) dry_run=1 ;;
    --help | -h) usage; exit 0 ;;
    *) echo "setup.sh: there is no option '$argument'; ./setup.sh --help lists them" >&2; exit 2 ;;
    esac
done

say() { printf '%s\n' "$*"; }
fail() { printf 'setup.sh: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# ---- which system --------------------------------------------------------------------------------
if have apt-get; then
    manager=apt
elif have dnf; then
    manager=dnf
elif [ "$(uname -s)" = Darwin ]; then
    manager=brew
else
    manager=none
fi
system=$(uname -sr)
# shellcheck source=/dev/null
[ -r /etc/os-release ] && system=$(. /etc/os-release && printf '%s' "${PRETTY_NAME:-$system}")

# Fedora keeps Open MPI out of PATH until `module load mpi`; the Makefile looks there too.
[ -d /usr/lib64/openmpi/bin ] && PATH=$PATH:/usr/lib64/openmpi/bin

# ---- what is needed ------------------------------------------------------------------------------
# One line for each need: its name | how to see that it is here | the packages of apt, dnf and brew | what it is for.
# `header FILE PACKAGE` compiles a line that includes FILE with the flags of pkg-config's PACKAGE. A hand-built library or
# one from `module load` counts as much as a package.
needs() {
    cat <<'TABLE'
C compiler|c_compiler|gcc|gcc|gcc|everything: rungs is written in C
C library headers|header stdio.h|libc6-dev|glibc-devel|-|everything
make|have make|make|make|make|everything
pkg-config|have pkg-config|pkg-config|pkgconf-pkg-config|pkg-config|finding libraries in unusual places
zlib|header zlib.h zlib|zlib1g-dev|zlib-devel|zlib|everything: data sets are compressed
cJSON|header cjson/cJSON.h libcjson|libcjson-dev|cjson-devel|cjson|everything: results are written as JSON
Check|header check.h check|check|check-devel|check|make test
Open MPI compiler|have mpicc|libopenmpi-dev|openmpi-devel|open-mpi|all that runs on several processes
Open MPI launcher|have mpirun|openmpi-bin|openmpi|open-mpi|all that runs on several processes
OpenBLAS|library openblas openblasp openblaso|libopenblas0-pthread|openblas-threads|openblas|the library's rows in the benchmark tables
BLIS|library blis bliso|libblis4-openmp|blis-openmp|blis|the library's row in the benchmark tables
oneDNN|library dnnl|libdnnl3 libdnnl2|onednn|onednn|the library's rows in the benchmark tables
C++ compiler|have g++|g++|gcc-c++|-|the emulator, which runs the kernels for a GPU where there is none
binutils|have addr2line|binutils|binutils|-|the lines and operations that the emulator names
gnuplot|have gnuplot|gnuplot-nox|gnuplot|gnuplot|figures
curl|have curl|curl ca-certificates|curl ca-certificates|curl|downloading the larger data sets
iproute2|networks|iproute2|iproute iproute-tc|-|make cluster: several hosts on one machine
TABLE
    [ "$dev" = 1 ] || return 0
    cat <<'TABLE'
clang|have clang|clang|clang|llvm|the build with a second compiler
OpenMP for clang|openmp clang|libomp-dev|libomp-devel|libomp|threads in the build with clang
sanitizers for clang|sanitizer clang|libclang-rt-dev|compiler-rt|-|make fuzz
sanitizers for gcc|sanitizer "$(compiler)"|gcc|libasan libubsan|-|make sanitize
clang-format|have clang-format|clang-format|clang-tools-extra|clang-format|make format
cppcheck|have cppcheck|cppcheck|cppcheck|cppcheck|a part of make lint
qemu-user|emulator_of_x86|qemu-user|qemu-user|-|programs on other processors of the same kind
valgrind|have valgrind|valgrind|valgrind|-|memory checking of programs that are not rebuilt
shellcheck|have shellcheck|shellcheck|ShellCheck|shellcheck|a part of make lint
pandoc|have pandoc|pandoc|pandoc|pandoc|the lectures as HTML
BLAS test programs|blas_tests|libblas3 libblas-test|-|-|make blas-test
NumPy on the system's BLAS|python_has numpy|python3-numpy|-|-|a test of the drop-in BLAS
mpi4py|python_has mpi4py|python3-mpi4py|-|-|make mpi-test
TABLE
}

# On macOS `gcc` is Apple's clang; Homebrew's own is called gcc-14 or so.
brew_gcc() { for file in "$(brew --prefix 2>/dev/null)"/bin/gcc-[0-9]*; do [ -x "$file" ] && echo "${file##*/}"; done | sort -t- -k2n | tail -n 1; }
c_compiler() { if [ "$manager" = brew ]; then [ -n "$(brew_gcc)" ]; else have gcc; fi; }
compiler() { if have gcc; then echo gcc; else echo cc; fi; }
flags() { pkg-config "$1" "$2" 2>/dev/null; }
header() {
    # The flags of pkg-config are several words on purpose.
    # shellcheck disable=SC2046
    printf '#include <%s>\n' "$1" | "$(compiler)" $([ -z "${2:-}" ] || flags --cflags "$2") -E -x c - >/dev/null 2>&1
}
# Only Linux has it, and only programs for x86-64 choose between variants.
emulator_of_x86() { [ "$manager" = brew ] || [ "$(uname -m)" != x86_64 ] || have qemu-x86_64; }
# `library NAME..`: programs find one of lib NAME .so.* while they run.
library() {
    for soname in "$@"; do
        PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -q "lib$soname\\.so\\." && return
        for place in $(printf '%s' "${LD_LIBRARY_PATH:-}" | tr : ' ') "$(brew --prefix 2>/dev/null)/lib"; do
            for file in "$place/lib$soname".so.* "$place/lib$soname".*dylib; do [ -e "$file" ] && return; done
        done
    done
    return 1
}
# Linux alone makes networks; these tools are often outside a user's PATH.
networks() { [ "$manager" = brew ] || { PATH=$PATH:/sbin:/usr/sbin && have ip && have tc; }; }
# Only Debian and Ubuntu package these: elsewhere their tests are skipped.
blas_tests() {
    [ "$manager" != apt ] || { ls /usr/lib/*/blas/xscblat3 && ls /usr/lib/*/blas/libblas.so.3; } >/dev/null 2>&1
}
python_has() { [ "$manager" != apt ] || /usr/bin/python3 -c "import $1" 2>/dev/null; }
links() { printf 'int main(void) { return 0; }\n' | "$@" -x c - -o /dev/null >/dev/null 2>&1; }
openmp() { printf '#include <omp.h>\nint main(void) { return 0; }\n' | "$1" -fopenmp -x c - -o /dev/null >/dev/null 2>&1; }
sanitizer() { links "$1" -fsanitize=address,undefined; }
present() { eval "$1"; }

# Sets missing_names, missing_packages, found_names.
look() {
    missing_names='' missing_packages='' found_names=''
    while IFS='|' read -r name probe apt dnf brew lost; do
        case $manager in apt) packages=$apt ;; dnf) packages=$dnf ;; brew) packages=$brew ;; *) packages=- ;; esac
        if present "$probe" </dev/null; then
            found_names="$found_names${found_names:+, }$name"
        else
            missing_names="$missing_names  $name, for $lost
"
            [ "$packages" = - ] || missing_packages="$missing_packages $packages"
        fi
    done <<NEEDS
$(needs)
NEEDS
}

# ---- installing ----------------------------------------------------------------------------------
as_root() {
    if [ "$(id -u)" = 0 ]; then
        run "$@"
    elif have sudo; then
        # Without a terminal no password can be typed: -n makes sudo fail with a sentence instead of waiting.
        if [ -t 0 ]; then run sudo "$@"; else run sudo -n "$@"; fi
    else
        say "There is no sudo here. Ask whoever administers this machine to run:  $*"
        return 1
    fi
}

run() {
    say "+ $*"
    [ "$dry_run" = 1 ] || "$@"
}

install_packages() {
    # Package names are words without blanks.
    # shellcheck disable=SC2086
    case $manager in
    apt)
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 update </dev/null || return 1
        # Releases name some packages differently: one that this release does not know must not stop the others.
        known=''
        for package in "$@"; do
            if [ "$dry_run" = 1 ] || apt-cache show "$package" >/dev/null 2>&1; then
                known="$known $package"
            else
                say "This release has no package $package."
            fi
        done
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 \
            -o Dpkg::Options::=--force-confold install -y --no-install-recommends $known </dev/null
        ;;
    dnf) as_root dnf install -y --setopt=install_weak_deps=False "$@" </dev/null ;;
    brew)
        have brew || fail "Homebrew is needed on macOS: install it from https://brew.sh and run this again"
        run env HOMEBREW_NO_INSTALL_UPGRADE=1 brew install "$@" </dev/null
        ;;
    none) fail "this system has neither apt-get, dnf nor brew; install by its own means what is listed above" ;;
    esac
}

next_steps() {
    say
    say "Next:"
    if [ "$manager" = brew ]; then
        # Apple's make is from 2006.
        say "  gmake CC=$(brew_gcc) demo     train a network on handwritten digits (rungs is untried on macOS)"
        say "  gmake CC=$(brew_gcc) test     run the tests"
    else
        say "  make demo     train a network on handwritten digits"
        say "  make test     run the tests"
    fi
    say "  make doctor   say what this machine has"
}

# ---- the work ------------------------------------------------------------------------------------
say "rungs setup on $system"
look
[ -z "$found_names" ] || say "Here already: $found_names."
if [ -z "$missing_names" ]; then
    say "Nothing is missing."
    next_steps
    exit 0
fi
say "Missing:"
printf '%s' "$missing_names"

# shellcheck disable=SC2086
if [ -n "$missing_packages" ]; then
    install_packages $missing_packages || fail "the installation failed; the reason stands above"
fi
if [ "$dry_run" = 1 ]; then
    say "(--dry-run: nothing was changed)"
    exit 0
fi

hash -r
[ -d /usr/lib64/openmpi/bin ] && PATH=$PATH:/usr/lib64/openmpi/bin
look
if [ -n "$missing_names" ]; then
    say "Still missing:"
    printf '%s' "$missing_names"
    fail "not everything could be installed; rungs may still build without: try make"
fi
say "Installed; everything is here now: $found_names."
next_steps
