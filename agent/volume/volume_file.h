/* SPDX-License-Identifier: MIT */
/*
 * A new file on the boot volume, written from its begin to its end.
 *
 * Until it is complete it has another name, so that after a reset an incomplete file is not
 * mistaken for a recording:
 *
 *	NNNN.tmp ──▶ NNNN.part ═══ written ═══▶ NNNN.data
 *
 * The first step checks that the firmware can rename files. If it cannot (U-Boot), the file has its
 * final name from the start; then only its content shows that it is incomplete. Boot services only.
 * Thread, one at a time.
 */
#ifndef AGENT_VOLUME_VOLUME_FILE_H
#define AGENT_VOLUME_VOLUME_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/util/error.h"

#define VOLUME_PATH_MAX 128U /* bytes of a path, with its NUL */

struct volume_file;

/* Write path to `to` with another ending in place of its own. */
void volume_with_ending(char to[VOLUME_PATH_MAX], const char *path, const char *ending);

/* The free space of the volume. */
struct volume_space {
	uint64_t free; /* bytes; UINT64_MAX: the firmware does not report it */
	bool read_only;
};

/* Returns 0, or -ENODEV: the image comes from no volume (network, -kernel), or the volume was
 * pulled out. */
int volume_space(struct volume_space *space, struct error *error);

/* Find the next number, from 1, with which no file name in \bareperf begins. Returns as
 * volume_space(). */
int volume_next_number(unsigned *number, struct error *error);

/* Returns 0 if no file has this path; -EEXIST if one has; else as volume_space(). */
int volume_is_free(const char *path, struct error *error);

/* Create the file path, an absolute path ('\' between directories, which are created if missing).
 * Returns -EEXIST if it already exists; else as volume_file_append(). */
int volume_file_create(struct volume_file **file, const char *path, struct error *error);

/* Append bytes. Returns 0, or -ENOSPC, -EROFS, -ENODEV, -EIO. After an error each further call
 * returns it again. */
int volume_file_append(struct volume_file *file, const void *bytes, size_t size,
                       struct error *error);

/* Write the rest to the medium, rename the file to path, and close it. Returns as
 * volume_file_append(); the file is closed in each case. */
int volume_file_finish(struct volume_file *file, struct error *error);

/* Delete the file. NULL is allowed. */
void volume_file_abandon(struct volume_file *file);

#endif
