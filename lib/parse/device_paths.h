/* SPDX-License-Identifier: MIT */
/* Device paths as firmware keeps them in variables: UEFI 2.10, 10.2, 10.3.1. Pure. */
#ifndef LIB_PARSE_DEVICE_PATHS_H
#define LIB_PARSE_DEVICE_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether one of the paths (multi-instance), size untrusted bytes, equals path or begins with it;
 * path has length bytes, without its end node. */
bool device_paths_lead_to(const uint8_t *paths, size_t size, const uint8_t *path, size_t length);

#endif
