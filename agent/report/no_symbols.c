/* SPDX-License-Identifier: MIT */
/* The names of an image that is linked without them; a file of its own, so that no compiler takes
 * their number for known. */
#include "agent/report/functions.h"

__attribute__((weak)) const struct image_symbols image_symbols = { .count = 0 };
