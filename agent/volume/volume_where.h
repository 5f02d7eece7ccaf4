/* SPDX-License-Identifier: MIT */
/* Which volume is written to. Boot services only. Thread. */
#ifndef AGENT_VOLUME_VOLUME_WHERE_H
#define AGENT_VOLUME_VOLUME_WHERE_H

#include <stddef.h>

#include "lib/efi/efi.h"
#include "writer/util/error.h"

/* From now on the one that the shell has under this name of so many bytes ("fs1"); length 0: the
 * one that we were booted from. 0, or -EINVAL: there is no such volume, or no shell that knows. */
int volume_choose(const char *name, size_t length, struct error *error);

/* Its handle; NULL: we come from none. */
EFI_HANDLE volume_handle(void);

/* Its root directory, open; NULL, with the reason: it is gone, or we come from no volume. */
EFI_FILE *volume_root(struct error *error);

#endif
