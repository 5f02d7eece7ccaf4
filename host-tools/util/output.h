/* SPDX-License-Identifier: MIT */
/*
 * The output file of a recording. An older file with the same name is kept as NAME.old; if NAME is
 * a symbolic link, NAME.old is beside the link's target, and the link stays. While a recording is
 * written its file is locked (flock(2)), so that two at the same time do not destroy each other's
 * files: the second is refused.
 */
#ifndef HOST_TOOLS_UTIL_OUTPUT_H
#define HOST_TOOLS_UTIL_OUTPUT_H

#include "writer/util/error.h"

/* Open path for reading and writing, empty, and locked until the descriptor is closed in all
 * processes. A device or pipe is opened unchanged. *place: the file's name after resolving links,
 * which the caller frees; *old: the new name of an older file, likewise, or NULL. Returns the
 * descriptor; -EBUSY: another recording is being written there. */
int output_open(const char *path, char **place, char **old, struct error *error);

/* Open and lock an existing file, to continue it. -EBUSY as above; -EINVAL: it
 * is no regular file. */
int output_reopen(const char *path, char **place, struct error *error);

/* Open path for a trace region that is to be kept there, empty and locked likewise: truncating the
 * file of a running machine would kill it and us with SIGBUS. An older file is not kept. The
 * descriptor, or a negative errno. */
int output_open_region(const char *path, struct error *error);

#endif
