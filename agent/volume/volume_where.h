/* SPDX-License-Identifier: MIT */
/* The volume that files are written to. Boot services only. Thread. */
#ifndef AGENT_VOLUME_VOLUME_WHERE_H
#define AGENT_VOLUME_VOLUME_WHERE_H

#include <stddef.h>

#include "lib/efi/efi.h"
#include "writer/util/error.h"

/* Choose the volume that the shell calls by this name of length bytes ("fs1"); length 0: the boot
 * volume. Returns 0, or -EINVAL: there is no such volume, or no shell. */
int volume_choose(const char *name, size_t length, struct error *error);

/* Returns the chosen volume's handle, or NULL if the image comes from no volume. */
EFI_HANDLE volume_handle(void);

/* Open and return the chosen volume's root directory; NULL, with the reason in error, if the volume
 * is gone or the image comes from none. */
EFI_FILE *volume_root(struct error *error);

#endif
