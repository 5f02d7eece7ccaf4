/* SPDX-License-Identifier: MIT */
/*
 * A UEFI application or driver as a workload: a file on a volume, or the payload, which the
 * firmware loads and starts while its boot services go on and are recorded with it.
 */
#ifndef AGENT_PAYLOAD_UEFI_IMAGE_H
#define AGENT_PAYLOAD_UEFI_IMAGE_H

#include "command/command.h"

/* Whether that is what the command runs, or the firmware itself (--boot): the firmware then goes on
 * (lib/hosted.h). Boot services, the first time that a command names the payload. Thread. */
bool uefi_image_is_meant(const struct command *command);

/* Whether these bytes, a file's, are one. Pure. */
bool uefi_image_is(const void *bytes, uint64_t size);

/* Have the firmware load and start it from these bytes, with these words as its load options,
 * argv[0] first: its exit status. As a workload's run_program(). */
int uefi_image_run_bytes(const void *bytes, uint64_t size, int argc, char **argv);

#endif
