#!/bin/sh
# The tests of lab 03: an empty skeleton has no points and the solution all; each mistake that students make costs the points of the
# right exercise, and the message leads to it; a crash costs its own. A mistake is made in the reference by one sed command.
# SPDX-License-Identifier: MIT
# Thorough: one compilation for each of many wrong answers.
set -u
cd "$(dirname "$0")/../.." || exit 1
name=lab_03
# shellcheck source=tests/labs/labs.sh
. tests/labs/labs.sh
m=matrices.c p=01_naive.c
wrong_answers cpu/conv/$m cpu/pool/$p

grade() { grade_student 03; }
mistake_03() { mistake_in_lab 03 "$@"; }

student && cp exercises/03-convolution/$m exercises/03-convolution/$p "$work/student"
! grade && total 0 && says 'exercise 03.6 is not solved yet'
verdict $? "the skeleton has no points"
student && grade && total 100
verdict $? "the solution has all"
cp exercises/03-convolution/$m "$work/student"
! grade && total 15 && says 'exercise 03.1 is not solved yet'
verdict $? "one exercise of six"

# 03.1, with the two tests of a batch that stand on it
mistake_03 $m '/BEGIN SOLUTION 03.1/,/END/ s/window_begin(v, i)/i/' 76 'padding 1x1' "im2col without stride and padding"
mistake_03 $m '/BEGIN SOLUTION 03.1/,/END/ s/ \* v.dilation/ * 1/' 83 'dilation 2x3' "im2col without holes"
mistake_03 $m '/memset(P, 0, bytes);/ s/.*/;/' 81 'not written' "im2col leaves out the zeros"
mistake_03 $m '/BEGIN SOLUTION 03.1/,/END/ s/conv_out_height(s)/s->height/' 70 'P\|before or behind' "as many patches as pixels of the image"
mistake_03 $m '/BEGIN SOLUTION 03.1/,/END/ { s/v.kernel/@/; s/u.kernel/v.kernel/; s/@/u.kernel/; }' 70 'kernel 3x2' "height and width of the kernel exchanged"

mistake_03 $m '/BEGIN SOLUTION 03.2/,/END/ s/1.0f, y, N/0.0f, y, N/' 85 'with bias 100' "the bias is overwritten"
mistake_03 $m '/BEGIN SOLUTION 03.2/,/END/ s/m < M/m < 1/' 85 'computed from a number never written' "the bias in the first row alone"
mistake_03 $m 's/gemm_expert(false, false, M, N, K, 1.0f, P, K, w, N/gemm_expert(false, true, M, N, K, 1.0f, P, K, w, K/' 90 'y' "w transposed"

mistake_03 $m '/BEGIN SOLUTION 03.3/,/END/ s/1.0f, dw/0.0f, dw/' 90 'which was 7 before' "dw overwritten"
mistake_03 $m 's/db\[o\] += dy/db[o] = dy/' 86 'db, which was 0 before' "db is that of the last pixel"
mistake_03 $m 's/gemm_expert(true, false, K, N, M, 1.0f, P, K/gemm_expert(false, false, K, N, M, 1.0f, P, M/' 84 'dw' "P not transposed"

mistake_03 $m '/BEGIN SOLUTION 03.4/,/END/ s/0.0f, dP/1.0f, dP/' 80 'computed from a number never written' "added to what was in dP"
mistake_03 $m 's/gemm_expert(false, true, M, K, N, 1.0f, dy, N, w, N/gemm_expert(false, false, M, K, N, 1.0f, dy, N, w, K/' 80 'dP' "w not transposed"

mistake_03 $m 's/dx\[at + k\] += dP/dx[at + k] = dP/' 84 'dx' "overlapping windows overwrite"
mistake_03 $m 's/at >= 0 && k < s->channels/at >= 0 \&\& k < 1/' 80 'dx' "the first channel alone"
mistake_03 $m '/BEGIN SOLUTION 03.5/,/END/ s/window_begin(u, j)/j * u.stride/' 90 'padding' "col2im without padding"

mistake_03 $p 's/dx\[pool_image(s, b) + (size_t)winner\[n\] \* C + c\] +=/dx[pool_image(s, b) + (size_t)winner[n] * C + c] =/' 90 'dx' "windows with one winner overwrite"
mistake_03 $p 's/dx\[pool_image(s, b) + /dx[/' 95 'images' "all gradients go to the first image"
mistake_03 $p 's/if (winner\[n\] >= 0)/if (n + 1 > 0)/' 95 'signal\|before or behind\|sanitizer\|dx' "a window without a winner"

mistake_03 $m '/BEGIN SOLUTION 03.3/ s/.*/*(volatile int *)8 = M;/' 80 'signal 11\|a sanitizer stopped it' "a crash costs its exercise"
mistake_03 $p '/BEGIN SOLUTION 03.6/ s/.*/exit(0);/; s/#include <string.h>/&\n#include <stdlib.h>/' 85 'was ended' "exit(0) is no way out"
finish
