/* The CPU's kernel tables. SPDX-License-Identifier: MIT */
#ifndef CPU_BACKEND_H
#define CPU_BACKEND_H

#include "core/error.h"
#include "nn/backend.h"

/* "naive": the bottom rung of every ladder; "best": the top rung; the name of another rung of gemm: best, but with that rung.
 * NULL with a sentence for another name. The table is static. */
const Backend *cpu_backend(const char *name, Error *error);

/* All those names, "naive|best|reordered|..": for an OPTION_CHOICE (core/options.h). Static. */
const char *cpu_backend_names(void);

#endif
