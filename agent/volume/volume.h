/* SPDX-License-Identifier: MIT */
/*
 * A recording as a file on the volume that we were booted from (docs/stick.md): the perf.data that
 * the host tool writes of the same region, byte for byte, since it is the same code that does it.
 * Boot services only. Thread.
 */
#ifndef AGENT_VOLUME_VOLUME_H
#define AGENT_VOLUME_VOLUME_H

#include <stdint.h>

#include "agent/volume/volume_file.h"
#include "lib/print.h"
#include "writer/util/error.h"

/*
 * A name is as record's -o has it:
 *
 *	NULL or ""	\bareperf\NNNN.data, with the next free number
 *	x.data		\bareperf\x.data
 *	\a\x.data	that
 *	fs1:...		any of these, on the volume that the shell calls fs1
 */

/* Memory for the writer, where no recording has brought any. 0; -ENOMEM. */
int volume_prepare(void);

/* How large a region may be whose file that name's volume takes, bytes; UINT64_MAX: it cannot be
 * said, or there is no volume. */
uint64_t volume_room(const char *name);

/* Before a recording: whether there is a volume that takes the file of a region of so many bytes.
 * 0; -EEXIST: there is a file of this name; -ENAMETOOLONG; -EINVAL: the shell has no such volume;
 * -ENODEV: we come from none; -EROFS; -ENOSPC; -EFBIG: more than a FAT file holds; -EIO. */
int volume_check(uint64_t region_size, const char *name, struct error *error);

/* Write the region of size bytes, of which none is changed, so that a failure costs only
 * time. The console gets the file's name; path: the written file. 0, or as above;
 * -EPROTO: no region, or a ring in it makes no sense. */
int volume_save(const void *region, uint64_t size, const char *name, char path[VOLUME_PATH_MAX],
                struct error *error);

/* Beside the file that volume_save() has just written, under its name with another ending (".txt"):
 * what tell puts. 0, or as above. */
int volume_write_text(const char *path, const char *ending,
                      void (*tell)(void *context, print_put_fn put, void *put_context),
                      void *context, struct error *error);

/* Beside it as well: a file of so many bytes, in the directory that has its name without the
 * ending. name: of the file, '/' between directories, which are created; to: where it is. 0, or as
 * above; -EINVAL: it leads out of that directory. */
int volume_write_beside(const char *path, const char *name, const void *bytes, uint64_t size,
                        char to[VOLUME_PATH_MAX], struct error *error);

#endif
