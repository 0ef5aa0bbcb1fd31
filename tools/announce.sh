#!/bin/sh
# SPDX-License-Identifier: MIT
# What the Makefile found, and what that turns on:  sh tools/announce.sh CC MARCH OMP MPI CUDA BLAS [VARIANTS]
set -u
cc=$1 march=$2 omp=$3 mpi=$4 cuda=$5 blas=$6 variants=${7:-}
say() {
    printf '  %-10s %s\n' "$1" "$2"
}

version=$($cc -dumpfullversion -dumpversion 2>/dev/null || echo "of unknown version")
case $($cc --version 2>/dev/null | head -n 1) in
*clang*) say compiler "$cc (clang $($cc -dumpversion 2>/dev/null))" ;;
*) say compiler "$cc $version" ;;
esac

cores=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo "an unknown number of")
model=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
say processor "${model:-$(uname -m)}, $cores cores"

code="MARCH=$march"
# A variant's MARCH has further flags.
# shellcheck disable=SC2086
if ! macros=$($cc -march=$march -dM -E -x c /dev/null 2>/dev/null); then
    macros=$($cc -dM -E -x c /dev/null 2>/dev/null)
    code="MARCH=$march is unknown to $cc, so code for any $(uname -m)"
fi
case $macros in
*__AVX512F__*) vectors="AVX-512: 16 floats at once" ;;
*__AVX2__*) vectors="AVX2: 8 floats at once" ;;
*__AVX__*) vectors="AVX: 8 floats at once" ;;
*__SSE2__*) vectors="SSE: 4 floats at once" ;;
*__ARM_NEON*) vectors="NEON: 4 floats at once" ;;
*) vectors="4 floats at once, or none" ;;
esac
[ -z "$variants" ] || vectors="chosen as programs start" code="FAT=1: variants $variants"
say vectors "$vectors ($code)"

if [ "$omp" = 1 ]; then
    say OpenMP "found: kernels use all cores"
else
    say OpenMP "not used: one thread (OMP=0 was given, or $cc lacks -fopenmp: install libgomp or libomp)"
fi
if [ "$mpi" = 1 ]; then
    say MPI "found: $(${MPIRUN:-mpirun} --version 2>/dev/null | head -n 1 || echo 'but no mpirun'); several processes"
else
    say MPI "not used: one process (MPI=0 was given, or install Open MPI: ./setup.sh, or name it: make MPICC=/path/mpicc)"
fi
if [ "$cuda" = 1 ]; then
    say CUDA "found: $(${NVCC:-nvcc} --version 2>/dev/null | sed -n 's/.*\(release [0-9.]*\).*/\1/p')"
else
    say CUDA "not found: no GPU kernels (install the CUDA Toolkit, or name it: make NVCC=/path/nvcc)"
fi
if [ "$blas" = 1 ]; then
    say peers "looked for when benchmarks run: OpenBLAS, BLIS, oneDNN (make doctor says which are here)"
else
    say peers "none: nothing to measure against (BLAS=0 or SANITIZE=1 was given, or this system has no dlopen)"
fi
