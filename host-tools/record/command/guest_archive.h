/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_ARCHIVE_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_ARCHIVE_H

#include <stdbool.h>

#include "host-tools/record/command/guest.h"
#include "writer/util/error.h"

/* Whether the program has files. It is then passed in an archive (lib/cpio.h). */
bool guest_has_files(const struct guest *guest);

/* That archive: the program as payload.elf, its standard input as dev/stdin, its files under the
 * names that the user gave. Returns an open memory file, or a negative errno; error names the file
 * that failed. */
int guest_archive(const struct guest *guest, struct error *error);

#endif
