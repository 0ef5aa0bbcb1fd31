/* The plain library: no observer. SPDX-License-Identifier: MIT */
#include "gpu/emulator/observe.h"

const Observer emulator_observer = {};
