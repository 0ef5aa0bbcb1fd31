/* LeNet-5 from the first line to a test accuracy, in one file: read images, draw weights, forward, backward, step, report. It takes
 * nothing from this project, of which it is the readable counterpart: `rungs train lenet` trains the same network, fast.
 *
 *     gcc -O3 src/lenet.c -lm -o lenet && ./lenet               (make builds it, too: build/lenet)
 *
 *     x --conv1--> a1 --pool--> p1 --conv2--> a2 --pool--> p2 --fc1--> a3 --fc2--> a4 --fc3--> z --softmax--> loss
 *     28x28x1      28x28x6      14x14x6       10x10x16     5x5x16      120         84          10
 * with a ReLU after conv1, conv2, fc1 and fc2. Lectures 2 and 3 have the formulas. L is the mean loss of a batch of B images. dL/dy
 * is written dy, and each layer is two functions (begin with these; random numbers and reading of files can wait):
 *
 *     forward     x, w, b  -->  y                    backward     dy, x, w  -->  dx, dw, db
 *
 * Images are [B][height][width][channels]; weights of a convolution [KH][KW][IC][OC], of a dense layer [out][in]. Innermost loops
 * run along contiguous numbers and are independent: the compiler vectorises them (-march=native: by this processor's longest).
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <err.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Zeros. The caller frees. (err and errx print a sentence, the first with what the system says, and end the program.) */
static void *
allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL && count > 0)
        err(1, "no memory for %zu times %zu bytes", count, size);
    return memory;
}

/* ---- random numbers ---------------------------------------------------------------------------------------------------
 * Philox4x32-10 (Salmon et al. 2011): a number is a function of seed, stream and its index, there is no state. Streams and
 * indices are those of `rungs`, so that the same seed means the same first weights and the same batches. */

static const uint64_t WEIGHT_STREAM = 0x4e45540000000000, SHUFFLE_STREAM = 0x4241544300000000,
                      SPLIT_STREAM = 0x53504c5400000000; /* "NET" + tensor, "BATC" + epoch, "SPLT" */

/* Word 0 .. 3 of the block of 128 bits that (block, stream) is encrypted to; the seed is the key. */
static uint32_t
random_bits(uint64_t seed, uint64_t stream, uint64_t block, int word)
{
    uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)};
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int round = 0; round < 10; round++, key[0] += 0x9E3779B9, key[1] += 0xBB67AE85) {
        const uint64_t p0 = UINT64_C(0xD2511F53) * c[0], p1 = UINT64_C(0xCD9E8D57) * c[2];
        c[0] = (uint32_t)(p1 >> 32) ^ c[1] ^ key[0];
        c[1] = (uint32_t)p1;
        c[2] = (uint32_t)(p0 >> 32) ^ c[3] ^ key[1];
        c[3] = (uint32_t)p0;
    }
    return c[word];
}

/* Number i of a stream with mean 0 and variance 1 (Box and Muller 1958): two uniform numbers are the radius and the angle of two
 * normal ones. Their blocks begin at 2^62, so that they share no bits with the uniform numbers of the stream. */
static double
random_normal(uint64_t seed, uint64_t stream, uint64_t i)
{
    const uint64_t block = (UINT64_C(1) << 62) + i / 4;
    const int pair = (int)(i % 4 / 2) * 2;
    const double radius = sqrt(-2 * log((random_bits(seed, stream, block, pair) + 1.0) * 0x1p-32));
    const double angle = 2 * M_PI * (random_bits(seed, stream, block, pair + 1) * 0x1p-32);
    return radius * (i % 2 == 0 ? cos(angle) : sin(angle));
}

/* Shuffles order[n] (Fisher and Yates). 64 bits modulo i favour small remainders by less than i / 2^64: nobody will notice. */
static void
random_shuffle(uint64_t seed, uint64_t stream, size_t *order, size_t n)
{
    for (size_t i = n, drawn = 0; i > 1; i--, drawn += 2) {
        const uint64_t high = random_bits(seed, stream, drawn / 4, (int)(drawn % 4));
        const uint64_t low = random_bits(seed, stream, drawn / 4, (int)(drawn % 4) + 1);
        const size_t j = (size_t)((high << 32 | low) % i), last = order[i - 1];
        order[i - 1] = order[j];
        order[j] = last;
    }
}

/* ---- layers: forward and backward. Backward functions add to dw and db, and write dx. Images have S x S pixels. ---------- */

/* sum of x[i] y[i]; n is a multiple of 4. Floating-point sums depend on their order, which the compiler must keep: a sum for each
 * of 4 lanes is one that it can vectorise. */
static float
dot(int n, const float *x, const float *y)
{
    float lane[4] = {0};
    for (int i = 0; i < n; i += 4)
        for (int l = 0; l < 4; l++)
            lane[l] += x[i + l] * y[i + l];
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

/* y[b][i][j][o] = bias[o] + sum over a, c, k of x[b][i - P + a][j - P + c][k] w[a][c][k][o], with zeros around the image.
 * x [B][S][S][IC], w [K][K][IC][OC], y [B][OS][OS][OC], OS = S + 2P - K + 1. */
static void
conv_forward(int B, int S, int IC, int OC, int K, int P, const float *x, const float *w, const float *bias, float *y)
{
    const int OS = S + 2 * P - K + 1;
    for (int b = 0; b < B; b++)
        for (int i = 0; i < OS; i++)
            for (int j = 0; j < OS; j++) {
                float *restrict out = &y[((b * OS + i) * OS + j) * OC];
                memcpy(out, bias, (size_t)OC * sizeof(float));
                for (int a = 0; a < K; a++)
                    for (int c = 0; c < K; c++) {
                        const int row = i - P + a, column = j - P + c;
                        if (row < 0 || row >= S || column < 0 || column >= S)
                            continue;
                        const float *pixel = &x[((b * S + row) * S + column) * IC], *tap = &w[(a * K + c) * IC * OC];
                        for (int k = 0; k < IC; k++)
                            for (int o = 0; o < OC; o++)
                                out[o] += pixel[k] * tap[k * OC + o];
                    }
            }
}

/* Each product x w of the forward pass gives dw += x dy and dx += w dy. dx NULL: nobody needs it (the image's). */
static void
conv_backward(int B, int S, int IC, int OC, int K, int P, const float *x, const float *w, const float *dy, float *dx,
              float *restrict dw, float *restrict db)
{
    const int OS = S + 2 * P - K + 1;
    if (dx != NULL)
        memset(dx, 0, (size_t)(B * S * S * IC) * sizeof(float));
    for (int b = 0; b < B; b++)
        for (int i = 0; i < OS; i++)
            for (int j = 0; j < OS; j++) {
                const float *delta = &dy[((b * OS + i) * OS + j) * OC];
                for (int o = 0; o < OC; o++)
                    db[o] += delta[o];
                for (int a = 0; a < K; a++)
                    for (int c = 0; c < K; c++) {
                        const int row = i - P + a, column = j - P + c;
                        if (row < 0 || row >= S || column < 0 || column >= S)
                            continue;
                        const int pixel = ((b * S + row) * S + column) * IC, tap = (a * K + c) * IC * OC;
                        for (int k = 0; k < IC; k++)
                            for (int o = 0; o < OC; o++)
                                dw[tap + k * OC + o] += x[pixel + k] * delta[o];
                        for (int k = 0; dx != NULL && k < IC; k++)
                            for (int o = 0; o < OC; o++)
                                dx[pixel + k] += w[tap + k * OC + o] * delta[o];
                    }
            }
}

/* y = the largest of 2 x 2 pixels, channel by channel; argmax: the index of that number in x, the first among equals.
 * x [B][S][S][C], y and argmax [B][S/2][S/2][C]; an odd last row or column is not read. */
static void
maxpool_forward(int B, int S, int C, const float *x, float *y, int *argmax)
{
    for (int b = 0, n = 0; b < B; b++)
        for (int i = 0; i < S / 2; i++)
            for (int j = 0; j < S / 2; j++)
                for (int c = 0; c < C; c++, n++) {
                    const int first = ((b * S + 2 * i) * S + 2 * j) * C + c;
                    const int window[4] = {first, first + C, first + S * C, first + S * C + C};
                    argmax[n] = first;
                    for (int v = 1; v < 4; v++)
                        if (x[window[v]] > x[argmax[n]])
                            argmax[n] = window[v];
                    y[n] = x[argmax[n]];
                }
}

/* The whole gradient goes to the argmax. */
static void
maxpool_backward(int B, int S, int C, const float *dy, const int *argmax, float *dx)
{
    memset(dx, 0, (size_t)(B * S * S * C) * sizeof(float));
    for (int n = 0; n < B * (S / 2) * (S / 2) * C; n++)
        dx[argmax[n]] += dy[n];
}

/* a = max(z, 0), in place. */
static void
relu_forward(int n, float *a)
{
    for (int i = 0; i < n; i++)
        a[i] = a[i] < 0 ? 0 : a[i];
}

/* dz = da where z > 0, which is where a > 0; in place. */
static void
relu_backward(int n, const float *restrict a, float *restrict da)
{
    for (int i = 0; i < n; i++)
        da[i] = a[i] > 0 ? da[i] : 0;
}

/* y[b][o] = bias[o] + sum over i of w[o][i] x[b][i]. x [B][in], w [out][in], y [B][out]. */
static void
dense_forward(int B, int in, int out, const float *x, const float *w, const float *bias, float *y)
{
    for (int o = 0; o < out; o++)
        for (int b = 0; b < B; b++)
            y[b * out + o] = bias[o] + dot(in, &w[o * in], &x[b * in]);
}

/* dw[o][i] += dy[b][o] x[b][i], dx[b][i] = sum over o of dy[b][o] w[o][i], db[o] += dy[b][o]. */
static void
dense_backward(int B, int in, int out, const float *x, const float *w, const float *dy, float *restrict dx,
               float *restrict dw, float *restrict db)
{
    memset(dx, 0, (size_t)(B * in) * sizeof(float));
    for (int o = 0; o < out; o++)
        for (int b = 0; b < B; b++) {
            const float delta = dy[b * out + o];
            db[o] += delta;
            for (int i = 0; i < in; i++) {
                dw[o * in + i] += delta * x[b * in + i];
                dx[b * in + i] += delta * w[o * in + i];
            }
        }
}

/* The class with the largest logit: the answer of the network. */
static int
largest(int classes, const float *z)
{
    int best = 0;
    for (int c = 1; c < classes; c++)
        if (z[c] > z[best])
            best = c;
    return best;
}

/* p_c = e^{z_c} / sum of e^z, loss = -log p_label, dz_c = (p_c - [c is the label]) / B. Returns the mean of the losses. The largest
 * z is subtracted first: p stays the same, and no exponential overflows. z, dz [B][classes]. */
static double
softmax_loss(int B, int classes, const float *z, const int *label, float *dz)
{
    double loss = 0;
    for (int b = 0; b < B; b++, z += classes, dz += classes) {
        const float top = z[largest(classes, z)];
        float sum = 0;
        for (int c = 0; c < classes; c++)
            sum += dz[c] = expf(z[c] - top);
        for (int c = 0; c < classes; c++)
            dz[c] = (dz[c] / sum - (float)(c == label[b])) / (float)B;
        loss += logf(sum) - (z[label[b]] - top);
    }
    return loss / B;
}

/* ---- the network ------------------------------------------------------------------------------------------------------ */

/* Channels, neurons; conv1's kernel and padding. Then the parameters, and the values as in the drawing at the top. */
enum { C1 = 6, C2 = 16, F1 = 120, F2 = 84, CLASSES = 10, K1 = 5, PAD1 = 2, BATCH_MAX = 1024 };
enum { CONV1_W, CONV1_B, CONV2_W, CONV2_B, FC1_W, FC1_B, FC2_W, FC2_B, FC3_W, FC3_B, TENSORS };
enum { X, A1, P1, A2, P2, A3, A4, Z, VALUES };

typedef struct LeNet {
    int S, S1, S2, S3; /* pixels of a side of x and a1, of p1, of a2, of p2 */
    int K2, PAD2, F0;  /* conv2's kernel and padding; inputs of fc1 */
    int parameters;
    float *w[TENSORS], *dw[TENSORS], *u[TENSORS]; /* weights, gradients, velocities; w[0], .. is all of them */
    float *v[VALUES], *d[VALUES];                 /* of a batch: values, and their gradients */
    int *argmax1, *argmax2;                       /* of the pools, shaped as p1 and p2 */
} LeNet;

/* Points part[i] to count[i] * times zeros, one after the other in one new array, part[0]; returns its length. */
static int
allocate_parts(int parts, const int *count, int times, float **part)
{
    int sum = 0, begin = 0;
    for (int i = 0; i < parts; i++)
        sum += count[i] * times;
    part[0] = allocate((size_t)sum, sizeof(float));
    for (int i = 0; i < parts; begin += count[i++] * times)
        part[i] = part[0] + begin;
    return sum;
}

/* For batches of up to B images of S x S pixels; the arrays are never freed. Biases are 0. Weights are normal with variance 2 / in
 * before a ReLU (He), uniform in +-sqrt(6 / (in + out)) before the softmax (Xavier): activations keep their variance. */
static LeNet
lenet_create(int B, int S, uint64_t seed)
{
    /* Two kernels of 5 x 5 would leave nothing of digits of 8 x 8 pixels: 8 -> 4 -> 4 -> 2. */
    LeNet n = {.S = S, .S1 = S / 2, .K2 = S < 16 ? 3 : 5, .PAD2 = S < 16 ? 1 : 0};
    n.S2 = n.S1 + 2 * n.PAD2 - n.K2 + 1;
    n.S3 = n.S2 / 2;
    n.F0 = n.S3 * n.S3 * C2;
    const int in[TENSORS] = {K1 * K1, 0, n.K2 * n.K2 * C1, 0, n.F0, 0, F1, 0, F2}, out[] = {C1, C2, F1, F2, CLASSES};
    const int values[VALUES] = {S * S, S * S * C1, n.S1 * n.S1 * C1, n.S2 * n.S2 * C2, n.F0, F1, F2, CLASSES};
    int count[TENSORS];
    for (int t = 0; t < TENSORS; t++)
        count[t] = t % 2 == 0 ? in[t] * out[t / 2] : out[t / 2];
    n.parameters = allocate_parts(TENSORS, count, 1, n.w);
    allocate_parts(TENSORS, count, 1, n.dw);
    allocate_parts(TENSORS, count, 1, n.u);
    allocate_parts(VALUES, values, B, n.v);
    allocate_parts(VALUES, values, B, n.d);
    n.argmax1 = allocate((size_t)(values[P1] * B), sizeof(int));
    n.argmax2 = allocate((size_t)(values[P2] * B), sizeof(int));
    for (int t = 0; t < TENSORS; t += 2)
        for (int i = 0; i < count[t]; i++) {
            const uint64_t stream = WEIGHT_STREAM + (uint64_t)t, at = (uint64_t)i;
            const double uniform = random_bits(seed, stream, at / 4, i % 4) * 0x1p-32; /* in [0, 1) */
            n.w[t][i] = (float)(t < FC3_W ? sqrt(2.0 / in[t]) * random_normal(seed, stream, at)
                                          : sqrt(6.0 / (F2 + CLASSES)) * (2 * uniform - 1));
        }
    return n;
}

/* From the first B images in n->v[X] to the logits n->v[Z]. */
static void
lenet_forward(LeNet *n, int B)
{
    float *const *v = n->v, *const *w = n->w;
    conv_forward(B, n->S, 1, C1, K1, PAD1, v[X], w[CONV1_W], w[CONV1_B], v[A1]);
    relu_forward(B * n->S * n->S * C1, v[A1]);
    maxpool_forward(B, n->S, C1, v[A1], v[P1], n->argmax1);
    conv_forward(B, n->S1, C1, C2, n->K2, n->PAD2, v[P1], w[CONV2_W], w[CONV2_B], v[A2]);
    relu_forward(B * n->S2 * n->S2 * C2, v[A2]);
    maxpool_forward(B, n->S2, C2, v[A2], v[P2], n->argmax2);
    dense_forward(B, n->F0, F1, v[P2], w[FC1_W], w[FC1_B], v[A3]);
    relu_forward(B * F1, v[A3]);
    dense_forward(B, F1, F2, v[A3], w[FC2_W], w[FC2_B], v[A4]);
    relu_forward(B * F2, v[A4]);
    dense_forward(B, F2, CLASSES, v[A4], w[FC3_W], w[FC3_B], v[Z]);
}

/* After lenet_forward on the same B images: returns their mean loss, and leaves its gradients in n->dw. */
static double
lenet_backward(LeNet *n, int B, const int *label)
{
    float *const *v = n->v, *const *d = n->d, *const *w = n->w, *const *dw = n->dw;
    memset(dw[0], 0, (size_t)n->parameters * sizeof(float));
    const double loss = softmax_loss(B, CLASSES, v[Z], label, d[Z]);
    dense_backward(B, F2, CLASSES, v[A4], w[FC3_W], d[Z], d[A4], dw[FC3_W], dw[FC3_B]);
    relu_backward(B * F2, v[A4], d[A4]);
    dense_backward(B, F1, F2, v[A3], w[FC2_W], d[A4], d[A3], dw[FC2_W], dw[FC2_B]);
    relu_backward(B * F1, v[A3], d[A3]);
    dense_backward(B, n->F0, F1, v[P2], w[FC1_W], d[A3], d[P2], dw[FC1_W], dw[FC1_B]);
    maxpool_backward(B, n->S2, C2, d[P2], n->argmax2, d[A2]);
    relu_backward(B * n->S2 * n->S2 * C2, v[A2], d[A2]);
    conv_backward(B, n->S1, C1, C2, n->K2, n->PAD2, v[P1], w[CONV2_W], d[A2], d[P1], dw[CONV2_W], dw[CONV2_B]);
    maxpool_backward(B, n->S, C1, d[P1], n->argmax1, d[A1]);
    relu_backward(B * n->S * n->S * C1, v[A1], d[A1]);
    conv_backward(B, n->S, 1, C1, K1, PAD1, v[X], w[CONV1_W], d[A1], NULL, dw[CONV1_W], dw[CONV1_B]);
    return loss;
}

/* SGD with momentum: u <- momentum u + dw, w <- w - rate u. */
static void
lenet_step(LeNet *n, float rate, float momentum)
{
    float *restrict w = n->w[0], *restrict u = n->u[0], *restrict dw = n->dw[0];
    for (int i = 0; i < n->parameters; i++) {
        u[i] = momentum * u[i] + dw[i];
        w[i] -= rate * u[i];
    }
}

/* ---- data ------------------------------------------------------------------------------------------------------------- */

typedef struct Images {
    size_t count;
    int S;
    float *x;       /* images of S x S pixels, 0 .. 1 */
    int *label;     /* 0 .. 9 */
    size_t *sample; /* [count]: their numbers, in the order in which they are used */
} Images;

static Images
images_create(size_t count, int S)
{
    Images images = {count, S, allocate(count * (size_t)(S * S), sizeof(float)), allocate(count, sizeof(int)),
                     allocate(count, sizeof(size_t))};
    for (size_t i = 0; i < count; i++)
        images.sample[i] = i;
    return images;
}

/* All bytes of a file, unpacked if it is compressed, and a 0 behind them. The caller frees. The shell gets the name as a value of
 * its environment, so that nothing in it can be a command. */
static unsigned char *
read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fclose(file) != 0)
        err(1, "%s", path);
    if (setenv("LENET_FILE", path, 1) != 0 || !(file = popen("exec gzip -dcf <\"$LENET_FILE\" 2>/dev/null", "r")))
        err(1, "%s: gzip cannot be started", path);
    unsigned char *bytes = NULL;
    size_t room = 0, got = 1;
    for (*size = 0; got > 0; *size += got) {
        unsigned char *more = *size + 1 < room ? bytes : realloc(bytes, room = 2 * room + 65536);
        if ((bytes = more) == NULL)
            err(1, "%s", path);
        got = fread(bytes + *size, 1, room - *size - 1, file);
    }
    bytes[*size] = 0;
    if (pclose(file) != 0)
        errx(1, "%s: gzip cannot read it: it is damaged, fetch it again", path);
    return bytes;
}

/* The digits of data/: a line of names, then lines of 8 x 8 pixels 0 .. 16 and the digit. */
static Images
read_digits(const char *path)
{
    enum { PIXELS = 64 };
    size_t size, lines = 0;
    char *text = (char *)read_file(path, &size), *at = strchr(text, '\n');
    for (const char *end = at; end != NULL && end[1] != '\0'; end = strchr(end + 1, '\n'))
        lines++;
    if (lines == 0 || strlen(text) != size)
        errx(1, "%s: has no lines of digits; is this another kind of file?", path);
    const Images images = images_create(lines, 8);
    for (size_t i = 0; i < lines; i++)
        for (size_t p = 0; p <= PIXELS; p++) {
            char *begin = at + 1;
            const long number = strtol(begin, &at, 10);
            const bool pixel = p < PIXELS, ends = pixel ? *at == ',' : *at == '\n' || *at == '\0';
            if (!isdigit((unsigned char)*begin) || !ends || number > (pixel ? 16 : CLASSES - 1))
                errx(1, "%s: line %zu, number %zu: expected 64 pixels 0 .. 16 and a digit", path, i + 2, p + 1);
            if (pixel)
                images.x[i * PIXELS + p] = (float)number * (1.0F / 16);
            else
                images.label[i] = (int)number;
        }
    free(text);
    return images;
}

/* An IDX file, the format of MNIST: bytes 0, 0, 8 (of unsigned bytes), the number of dimensions; each dimension in 4 bytes, the
 * most significant first; the elements. Returns all bytes; the elements begin at 4 + 4 dimensions. The caller frees. */
static unsigned char *
read_idx(const char *path, size_t dimensions, size_t shape[])
{
    size_t size, wanted = 4 + 4 * dimensions;
    unsigned char *bytes = read_file(path, &size);
    if (size < wanted || bytes[0] != 0 || bytes[1] != 0 || bytes[2] != 8 || bytes[3] != dimensions)
        errx(1, "%s: is no IDX file of bytes in %zu dimensions; are images and labels swapped?", path, dimensions);
    size_t elements = 1;
    for (size_t d = 0; d < dimensions; d++) {
        const unsigned char *n = &bytes[4 + 4 * d];
        shape[d] = (size_t)n[0] << 24 | (size_t)n[1] << 16 | (size_t)n[2] << 8 | n[3];
        if (shape[d] == 0 || (d > 0 && (shape[d] < 8 || shape[d] > 256 || shape[d] != shape[1])))
            errx(1, "%s: expected 1 image or more, square, of 8 to 256 pixels a side", path);
        elements *= shape[d];
    }
    if (size != wanted + elements)
        errx(1, "%s: has %zu bytes, but its header says %zu: it is damaged, fetch it again", path, size,
             wanted + elements);
    return bytes;
}

static Images
read_images(const char *image_path, const char *label_path)
{
    size_t shape[3], labels;
    unsigned char *pixel = read_idx(image_path, 3, shape), *label = read_idx(label_path, 1, &labels);
    if (labels != shape[0])
        errx(1, "%s has %zu images, but %s has %zu labels", image_path, shape[0], label_path, labels);
    const Images images = images_create(shape[0], (int)shape[1]);
    for (size_t i = 0; i < shape[0] * shape[1] * shape[2]; i++)
        images.x[i] = pixel[16 + i] * (1.0F / 255);
    for (size_t i = 0; i < labels; i++)
        if ((images.label[i] = label[8 + i]) >= CLASSES)
            errx(1, "%s: label %zu is %d, expected 0 .. %d", label_path, i, images.label[i], CLASSES - 1);
    free(pixel);
    free(label);
    return images;
}

/* ---- training --------------------------------------------------------------------------------------------------------- */

static double epochs = 20, batch = 32, rate = 0.01, momentum = 0.9, seed = 1; /* the options */

/* Takes all samples in this order, in batches of which the last may be smaller, and learns from each if told to. Returns how many
 * were classified as labelled when they came; *loss is the mean of their losses, if it learns. */
static size_t
run_epoch(LeNet *n, const Images *images, const size_t *sample, bool learn, double *loss)
{
    const size_t pixels = (size_t)(n->S * n->S);
    int label[BATCH_MAX];
    size_t correct = 0;
    *loss = 0;
    for (size_t first = 0; first < images->count; first += (size_t)batch) {
        const int B = (int)fmin(batch, (double)(images->count - first));
        for (int b = 0; b < B; b++) {
            const size_t i = sample[first + (size_t)b];
            memcpy(&n->v[X][(size_t)b * pixels], &images->x[i * pixels], pixels * sizeof(float));
            label[b] = images->label[i];
        }
        lenet_forward(n, B);
        for (int b = 0; b < B; b++)
            correct += largest(CLASSES, &n->v[Z][b * CLASSES]) == label[b];
        if (learn) {
            *loss += lenet_backward(n, B, label) * B / (double)images->count;
            lenet_step(n, (float)rate, (float)momentum);
        }
    }
    return correct;
}

/* Trains for all epochs, each in an order of its own, then tests once. */
static void
train(LeNet *n, const Images *training, const Images *test)
{
    size_t *order = allocate(training->count, sizeof(size_t)), correct;
    double loss;
    for (int epoch = 0; epoch < epochs; epoch++) {
        const clock_t start = clock();
        memcpy(order, training->sample, training->count * sizeof(size_t));
        random_shuffle((uint64_t)seed, SHUFFLE_STREAM + (uint64_t)epoch, order, training->count);
        correct = run_epoch(n, training, order, true, &loss);
        printf("epoch %3d/%.0f  loss %.4f  training accuracy %.4f  %.3f s\n", epoch + 1, epochs, loss,
               (double)correct / (double)training->count, (double)(clock() - start) / CLOCKS_PER_SEC);
        if (!isfinite(loss))
            errx(1, "the loss is not finite any more: take a smaller --lr than %g", rate);
    }
    correct = run_epoch(n, test, test->sample, false, &loss);
    printf("test accuracy %.4f (%zu/%zu)\n", (double)correct / (double)test->count, correct, test->count);
    free(order);
}

static const char usage[] = "usage: lenet [options] [DIGITS.csv | IMAGES LABELS [TEST_IMAGES TEST_LABELS]]\n"
                            "train LeNet-5 by SGD with momentum; files may be compressed by gzip\n\n"
                            "  DIGITS.csv      digits of 8 x 8 pixels (default data/digits.csv.gz)\n"
                            "  IMAGES LABELS   IDX files, as MNIST's; without two more a fifth is drawn for the test\n"
                            "  --epochs N      passes over the training samples (default 20)\n"
                            "  --batch N       samples in a step (default 32)\n"
                            "  --lr X          learning rate (default 0.01)\n"
                            "  --momentum X    0 to below 1 (default 0.9)\n"
                            "  --seed N        decides split, first weights and order of the samples (default 1)\n";

/* The number argv[i + 1] of option argv[i]. */
static double
number(int argc, char **argv, int i, double least, double most, bool whole)
{
    char *end = NULL;
    const double x = i + 1 < argc ? strtod(argv[i + 1], &end) : NAN;
    if (!(x >= least && x <= most) || *end != '\0' || (whole && x != floor(x)))
        errx(2, "%s: expected a %snumber from %g to %g behind it", argv[i], whole ? "whole " : "", least, most);
    return x;
}

/* Sets the options and file[4]; returns how many files are named. */
static int
parse(int argc, char **argv, const char *file[4])
{
    int files = 0;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' && files < 4)
            file[files++] = argv[i];
        else if (strcmp(argv[i], "--epochs") == 0)
            epochs = number(argc, argv, i++, 1, 1e6, true);
        else if (strcmp(argv[i], "--batch") == 0)
            batch = number(argc, argv, i++, 1, BATCH_MAX, true);
        else if (strcmp(argv[i], "--lr") == 0)
            rate = number(argc, argv, i++, 1e-30, 1e30, false);
        else if (strcmp(argv[i], "--momentum") == 0)
            momentum = number(argc, argv, i++, 0, 0.999999, false);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = number(argc, argv, i++, 0, 0x1p53, true);
        else if (strcmp(argv[i], "--help") == 0)
            exit(fputs(usage, stdout) < 0);
        else
            errx(2, "%s: is no option, or one file too many; lenet --help lists what there is", argv[i]);
    }
    if (files == 3)
        errx(2, "%s: the labels to it are missing; lenet --help lists what there is", file[2]);
    return files;
}

int
main(int argc, char **argv)
{
    const char *file[4] = {"data/digits.csv.gz"};
    static Images training, test; /* never freed */
    static LeNet net;
    const int files = parse(argc, argv, file);
    training = files < 2 ? read_digits(file[0]) : read_images(file[0], file[1]);
    if (files == 4) {
        test = read_images(file[2], file[3]);
        if (test.S != training.S)
            errx(1, "%s: has images of %d pixels a side, but %s has %d", file[2], test.S, file[0], training.S);
    } else { /* a fifth of the samples, drawn at random */
        random_shuffle((uint64_t)seed, SPLIT_STREAM, training.sample, training.count);
        test = training;
        test.count = training.count / 5;
        training.count -= test.count;
        test.sample += training.count;
    }
    net = lenet_create((int)batch, training.S, (uint64_t)seed);
    printf("LeNet for %d x %d pixels: %d parameters; %zu samples to train, %zu to test; batch %.0f\n", net.S, net.S,
           net.parameters, training.count, test.count, batch);
    train(&net, &training, &test);
    return 0;
}
