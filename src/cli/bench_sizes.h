/* Lists of sizes in bytes, as nccl-tests takes them. SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_SIZES_H
#define CLI_BENCH_SIZES_H

#include "core/error.h"
#include <stddef.h>

enum { BENCH_SIZES_MAX = 64 };

/* "4,1K,64K", "4..256M": numbers of bytes with K, M or G behind them (2^10, 2^20, 2^30); a range goes up by factors of 4
 * and has its end too if it meets it. Returns how many there are, or 0 with a sentence. */
int bench_sizes_parse(const char *text, size_t bytes[BENCH_SIZES_MAX], Error *error);

#endif
