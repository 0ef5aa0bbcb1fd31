#!/bin/sh
# The tests of labs 01 and 02 must be able to fail: each mistake that students make costs points, and the message leads to it. A mistake is
# made in the reference by one sed command. SPDX-License-Identifier: MIT
# Thorough: one compilation for each of many wrong answers.
set -u
cd "$(dirname "$0")/../.." || exit 1
name=wrong_answers
# shellcheck source=tests/labs/labs.sh
. tests/labs/labs.sh
wrong_answers src/perceptron.c src/mlp.c cpu/softmax/softmax_gradient.c

p=perceptron.c
mistake_in_lab 01 $p 's/double z = w\[0\]/double z = 0/' 0 'x = (0, 0): got 1, want -1' "no bias"
mistake_in_lab 01 $p 's/z += w\[j\] \* x\[j - 1\]/z += w[j - 1] * x[j - 1]/' 0 'got' "weights and inputs shifted"
mistake_in_lab 01 $p 's/size_t j = 1; j <= n; j++)$/size_t j = 1; j < n; j++)/' 10 'got' "the last input forgotten"
mistake_in_lab 01 $p 's/double z = w\[0\]/int z = w[0]/' 80 'the bias alone' "z is an int"
mistake_in_lab 01 $p 's/return perceptron_sign(z)/return z > 0 ? 1 : -1/' 20 'sgn(0) is +1' "sgn(0) is -1"
mistake_in_lab 01 $p 's/r \* (y - yhat) \*/r * (y - perceptron_predict(w, x, n)) */' 40 'Is yhat computed once' "yhat computed inside the loop"
mistake_in_lab 01 $p '/w\[0\] += r/d' 40 'steps of w_j' "the bias does not move"
mistake_in_lab 01 $p 's/r \* (y - yhat)/r * y/' 40 'got' "y in the place of y - yhat"
mistake_in_lab 01 $p 's/r \* (y - yhat)/r * (yhat - y)/' 40 'got' "the wrong way"
mistake_in_lab 01 $p 's/return true/return false/' 40 'got false, want true' "update always says false"
mistake_in_lab 01 $p '/if (yhat == y)/,+1d' 50 'got true, want false' "update always says true"
mistake_in_lab 01 $p 's/result.mistakes = 0;/;/' 60 'converged is false' "mistakes are not begun anew"
mistake_in_lab 01 $p 's/i < count/i + 1 < count/' 60 'got' "the last sample is left out"
mistake_in_lab 01 $p 's/result.epochs++;/result.epochs += result.mistakes > 0;/' 60 'the clean one counts' "the clean epoch does not count"

m=mlp.c
mistake_in_lab 02 $m 's/double z = mlp->b\[l\]\[j\]/double z = 0/' 75 'z^2' "forward without bias"
mistake_in_lab 02 $m 's/mlp->a\[l\]\[j\] = mlp_sigma(z)/mlp->a[l][j] = z/' 75 'a^2' "forward without sigma"
mistake_in_lab 02 $m 's/mlp->w\[l\]\[j \* in + k\] \* mlp->a/mlp->w[l][k * out + j] * mlp->a/' 75 'z^2' "forward with w transposed"
mistake_in_lab 02 $m '/mlp->z\[l\]\[j\] = z;/d' 75 'not written' "z not kept"
mistake_in_lab 02 $m 's/(mlp->a\[L\]\[j\] - y\[j\])/(y[j] - mlp->a[L][j])/' 80 'delta^3' "the sign of the output error"
mistake_in_lab 02 $m 's/ \* mlp_sigma_prime(mlp->z\[L\]\[j\])//' 80 'delta^3' "the output error without sigma'"
mistake_in_lab 02 $m 's/sum \* mlp_sigma_prime(mlp->z\[l\]\[k\])/sum/' 80 'delta^2' "errors without sigma'"
mistake_in_lab 02 $m 's/w\[l + 1\]\[j \* in + k\]/w[l + 1][k * out + j]/' 80 'delta^2' "w not transposed on the way back"
mistake_in_lab 02 $m 's/int l = mlp->L - 1; l >= 2/int l = mlp->L - 1; l >= 3/' 80 'delta^2' "the first hidden layer left out"
mistake_in_lab 02 $m 's/mlp->dw\[l\]\[j \* in + k\] +=/mlp->dw[l][j * in + k] =/' 90 'added to dw' "gradients replaced, not added"
mistake_in_lab 02 $m '/mlp->db\[l\]\[j\] += mlp->delta/d' 85 'db^2' "no gradient of the biases"
mistake_in_lab 02 $m 's|eta / (double)m|eta|' 85 'eta' "the sum, not the mean"
mistake_in_lab 02 $m 's|-= eta / (double)m|+= eta / (double)m|' 85 'eta' "uphill"
mistake_in_lab 02 $m '/mlp->b\[l\]\[j\] -= /s/.*/;/' 85 'b^2' "biases do not move"

g=softmax_gradient.c
mistake_in_lab 02 $g 's/(p\[r \* classes + labels\[r\]\] - 1)/p[r * classes + labels[r]] - 1/' 80 'scale' "the 1 outside of the scale"
mistake_in_lab 02 $g '/- 1);/d' 80 'dz' "no 1 taken away"
mistake_in_lab 02 $g 's/dz\[r \* classes + c\] = /dz[r * classes + c] += /' 80 'computed from a number never written' "added to what was there"
mistake_in_lab 02 $g 's/r < (size_t)rows/r + 1 < (size_t)rows/' 80 'not written' "the last row left out"
finish
