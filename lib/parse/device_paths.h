/* SPDX-License-Identifier: MIT */
/* Device paths as firmware keeps them in variables: UEFI 2.10, 10.2, 10.3.1. Pure. */
#ifndef LIB_PARSE_DEVICE_PATHS_H
#define LIB_PARSE_DEVICE_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether any of several (multi-instance), size bytes of any values, is path, or begins with it:
 * length bytes, without its end. */
bool device_paths_lead_to(const uint8_t *paths, size_t size, const uint8_t *path, size_t length);

#endif
