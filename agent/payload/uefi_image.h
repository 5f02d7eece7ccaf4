/* SPDX-License-Identifier: MIT */
/*
 * A UEFI application or driver as a workload: a file on a volume, or the payload, which the
 * firmware loads and starts while its boot services go on and are recorded with it.
 */
#ifndef AGENT_PAYLOAD_UEFI_IMAGE_H
#define AGENT_PAYLOAD_UEFI_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether these bytes, a file's, are one. Pure. */
bool uefi_image_is(const void *bytes, uint64_t size);

/* Have the firmware load and start it from these bytes, with these words as its load options,
 * argv[0] first: its exit status. As a workload's run_program(). */
int uefi_image_run_bytes(const void *bytes, uint64_t size, int argc, char **argv);

#endif
