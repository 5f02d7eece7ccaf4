/* SPDX-License-Identifier: MIT */
/*
 * A UEFI application or driver as a workload: a file on a volume, or the payload. The firmware
 * loads and starts it, keeps running, and is recorded as well.
 */
#ifndef AGENT_PAYLOAD_UEFI_IMAGE_H
#define AGENT_PAYLOAD_UEFI_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether a file's bytes are a UEFI application or driver. Pure. */
bool uefi_image_is(const void *bytes, uint64_t size);

/* Let the firmware load and start an image from these bytes, with argv as its load options, argv[0]
 * first. Returns the exit status. As a workload's run_program(). */
int uefi_image_run_bytes(const void *bytes, uint64_t size, int argc, char **argv);

#endif
