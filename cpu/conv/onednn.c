/* conv, peer: the convolution primitive of oneDNN. SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "cpu/conv/peers.h"
#include "cpu/onednn_conv.h"
#include <string.h>

/* The last one is kept, as a framework keeps those of its layers. Not for several threads at once. */
static ConvShape made_for; /* int alone: no gaps, so that memcmp compares */
static OnednnConv *conv;

static OnednnConv *
keep(const ConvShape *shape, Error *error)
{
    if (conv != NULL && memcmp(&made_for, shape, sizeof made_for) == 0)
        return conv;
    onednn_conv_free(conv);
    made_for = *shape;
    return conv = onednn_conv_create(ONEDNN_CONV, shape, error);
}

bool
conv_onednn_accepts(const ConvShape *shape, Error *reason)
{
    return keep(shape, reason) != NULL;
}

void
conv_onednn_prepare(const ConvShape *shape, const float *x, const float *w)
{
    Error error = {""};
    CHECK_THAT(keep(shape, &error) != NULL, "%s", error.text);
    onednn_conv_set(conv, x, w);
}

void
conv_onednn_run(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    (void)s, (void)x, (void)w, (void)epilogue, (void)y;
    CHECK_THAT(conv != NULL, "nothing is prepared");
    onednn_conv_run(conv);
}

void
conv_onednn_fetch(float *y)
{
    onednn_conv_get(conv, y);
}

const char *
conv_onednn_name(void)
{
    return conv != NULL ? onednn_conv_name(conv) : "nothing";
}
