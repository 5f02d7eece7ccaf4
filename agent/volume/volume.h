/* SPDX-License-Identifier: MIT */
/*
 * Writes a recording to a file on the boot volume (docs/stick.md): the same perf.data, byte for
 * byte, that the host tool writes for the same region, because the same code writes it. Boot
 * services only. Thread.
 */
#ifndef AGENT_VOLUME_VOLUME_H
#define AGENT_VOLUME_VOLUME_H

#include <stdint.h>

#include "agent/volume/volume_file.h"
#include "lib/print.h"
#include "writer/util/error.h"

/*
 * Names, as for record's -o:
 *
 *	NULL or ""	\bareperf\NNNN.data, with the next free number
 *	x.data		\bareperf\x.data
 *	\a\x.data	this path
 *	fs1:...		each of these, on the volume that the shell calls fs1
 */

/* Prepare memory for the writer if there was no recording. Returns 0 or -ENOMEM. */
int volume_prepare(void);

/* Returns the largest size in bytes of a region whose file fits on name's volume; UINT64_MAX:
 * unknown, or there is no volume. */
uint64_t volume_room(const char *name);

/* Check before a recording that there is a volume with room for the file of a region of so many
 * bytes. Returns 0; -EEXIST: the file already exists; -ENAMETOOLONG; -EINVAL: the shell has no such
 * volume; -ENODEV: the image comes from no volume; -EROFS; -ENOSPC; -EFBIG: larger than a FAT file
 * can be; -EIO. */
int volume_check(uint64_t region_size, const char *name, struct error *error);

/* Write the region of size bytes to a file, without changing the region, so that it can be tried
 * again. Prints the file's name; path: the written file. Returns as volume_check(), or -EPROTO: no
 * region, or one of its rings is corrupt. */
int volume_save(const void *region, uint64_t size, const char *name, char path[VOLUME_PATH_MAX],
                struct error *error);

/* Write a text beside the file that volume_save() has just written, under its name with another
 * ending (".txt"). print() writes the text with put. Returns as volume_check(). */
int volume_write_text(const char *path, const char *ending,
                      void (*print)(void *context, print_put_fn put, void *put_context),
                      void *context, struct error *error);

/* Write a file of size bytes in the directory beside path that has path's name without its ending.
 * name: '/' separates directories, which are created. to: the written file. Returns as
 * volume_check(), or -EINVAL: name leads out of that directory. */
int volume_write_beside(const char *path, const char *name, const void *bytes, uint64_t size,
                        char to[VOLUME_PATH_MAX], struct error *error);

#endif
