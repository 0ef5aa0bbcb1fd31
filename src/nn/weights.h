/* The weights of a network in a safetensors file, named and laid out as PyTorch's load_state_dict expects them (nn/torch_layout.h;
 * net_name gives other names). Running averages belong to them. A checkpoint (nn/checkpoint.h) has more, and is read as well.
 * SPDX-License-Identifier: MIT */
#ifndef NN_WEIGHTS_H
#define NN_WEIGHTS_H

#include "core/error.h"
#include "nn/net.h"

/* The net must be built. Writes the complete file or nothing. */
bool weights_save(Net *net, const char *path, Error *error);

/* Takes what the network has from the file; what else is in it is ignored. Checksums (nn/checksum.h) are checked where there are
 * any. After a refusal, with a sentence, the weights may be a mixture of old and new. */
bool weights_load(Net *net, const char *path, Error *error);

#endif
