/* The plain library: nobody watches. SPDX-License-Identifier: MIT */
#include "gpu/emulator/observe.h"

const Observer emulator_observer = {};
