/* SPDX-License-Identifier: MIT */
/*
 * A new file on the volume that we were booted from, written from its beginning to its end.
 *
 * Under another name until it is whole, so that a reset in between leaves nothing that is taken for
 * a recording:
 *
 *	NNNN.tmp ──▶ NNNN.part ═══ written ═══▶ NNNN.data
 *
 * The first step asks the firmware whether it renames at all. One that does not (U-Boot) has the
 * file under its name from the start; that it was cut off is then to be told by what is in it.
 * Boot services only. Thread, one at a time.
 */
#ifndef AGENT_VOLUME_VOLUME_FILE_H
#define AGENT_VOLUME_VOLUME_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/util/error.h"

#define VOLUME_PATH_MAX 128U /* bytes of a path, its NUL included */

struct volume_file;

/* A path's name with another ending in place of its own. */
void volume_with_ending(char to[VOLUME_PATH_MAX], const char *path, const char *ending);

/* The volume's room. */
struct volume_space {
	uint64_t free; /* bytes; UINT64_MAX: the firmware does not say */
	bool read_only;
};

/* 0; -ENODEV: we come from no volume (network, -kernel), or it was pulled out. */
int volume_space(struct volume_space *space, struct error *error);

/* The next number that no file in \bareperf begins with, from 1. As above. */
int volume_next_number(unsigned *number, struct error *error);

/* Whether a file may be called so: 0; -EEXIST: there is one. As above. */
int volume_is_free(const char *path, struct error *error);

/* Create path, an absolute one ('\' between directories, which are created if they lack). -EEXIST:
 * it is there. */
int volume_file_create(struct volume_file **file, const char *path, struct error *error);

/* Behind what was written. 0, or -ENOSPC, -EROFS, -ENODEV, -EIO; the same again ever after. */
int volume_file_append(struct volume_file *file, const void *bytes, size_t size,
                       struct error *error);

/* On the medium, and under its name. As above. The file is closed either way. */
int volume_file_finish(struct volume_file *file, struct error *error);

/* Delete it. NULL: nothing to do. */
void volume_file_abandon(struct volume_file *file);

#endif
