/* SPDX-License-Identifier: MIT */
/* An empty list of names, for an image that is linked without its own. It is in a file of its own,
 * so that the compiler cannot assume the count. */
#include "agent/report/functions.h"

__attribute__((weak)) const struct image_symbols image_symbols = { .count = 0 };
