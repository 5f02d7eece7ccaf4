/* SPDX-License-Identifier: MIT */
/*
 * The output file of a recording. An older one of the same name is kept as NAME.old; where NAME is
 * a symbolic link, beside what it points to, and the link stays. While a recording is written its
 * file is locked (flock(2)), so that two at the same time do not destroy each other's files: the
 * second is refused.
 */
#ifndef HOST_TOOLS_UTIL_OUTPUT_H
#define HOST_TOOLS_UTIL_OUTPUT_H

#include "writer/util/error.h"

/* Open path for reading and writing, empty and locked until the descriptor is closed everywhere. A
 * device or pipe is opened as it is. *place: the file's own name, links resolved, for the caller to
 * free; *old: what an older one is called now, the same, or NULL. Returns the descriptor; -EBUSY:
 * another recording is being written there. */
int output_open(const char *path, char **place, char **old, struct error *error);

/* Open and lock an existing file, to continue it. -EBUSY as above; -EINVAL: it
 * is no regular file. */
int output_reopen(const char *path, char **place, struct error *error);

/* Open path for a trace region that is to be kept there, empty and locked likewise: to cut off
 * the file of a running machine would kill it and us with SIGBUS. An older one is not kept. The
 * descriptor, or a negative errno. */
int output_open_region(const char *path, struct error *error);

#endif
