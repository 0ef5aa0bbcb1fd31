/* Numbers for people: 1.23 ms, 45.6 GFLOP/s, 7.89 MiB.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_UNITS_H
#define CORE_UNITS_H

#include <stdint.h>

enum { UNITS_SIZE = 48 };

/* Three significant digits and an SI prefix, quecto (1e-30) .. quetta (1e30): units_format(t, 4.56e10, "FLOP/s") is
 * "45.6 GFLOP/s". Rounding carries over: 999.9e3 is "1.00 M". NaN, infinities and zero are spelled out. Returns text. */
const char *units_format(char text[UNITS_SIZE], double value, const char *unit);

/* Binary prefixes: 8273264 is "7.89 MiB"; below 1024 "512 B". */
const char *units_bytes(char text[UNITS_SIZE], double bytes);

/* "23,454,912". */
const char *units_grouped(char text[UNITS_SIZE], uint64_t number);

/* A duration as people say it: "0.43 s", "12 s", "3 min 20 s", "2 h 05 min", "3 d 04 h". */
const char *units_duration(char text[UNITS_SIZE], double seconds);

#endif
