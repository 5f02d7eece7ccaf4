/* SPDX-License-Identifier: MIT */
/*
 * An archive of files, as in Linux's initrd: cpio's "newc" format (`cpio -o -H newc`; Linux,
 * Documentation/driver-api/early-userspace/buffer-format.rst). Each file is
 *
 *	"070701"	6 characters
 *	13 numbers	8 hexadecimal digits each: inode, mode, uid, gid, links, mtime, size of the
 *			file, 4 of devices, size of the name with its NUL, checksum (of 070702)
 *	name		and bytes of 0 up to a multiple of 4, from the header's start
 *	file		the same
 *
 * and an entry called TRAILER!!! is the last. If a file has several names (links > 1, same inode
 * and device), only the last of its entries has its bytes. Pure; linked into the firmware and into
 * payloads.
 */
#ifndef LIB_CPIO_H
#define LIB_CPIO_H

#include <stdbool.h>
#include <stdint.h>

struct cpio_entry {
	const char *name; /* NUL-terminated, in the archive; a leading "./" is left out */
	uint32_t mode;    /* st_mode */
	uint32_t mtime;   /* s since 1970 */
	bool linked;      /* the file has another name, with the same bytes */
	const uint8_t *bytes;
	uint64_t size;
};

/* Whether size bytes begin like an archive. */
bool cpio_is_archive(const void *archive, uint64_t size);

/* Get the entry at byte *at and advance *at to the next one; begin with *at = 0. Returns 1; 0:
 * there are no more; -EINVAL: the bytes there are no whole entry, as in a damaged archive. The size
 * bytes may have any content. For a file with several names the whole archive is searched for its
 * bytes. */
int cpio_next(const void *archive, uint64_t size, uint64_t *at, struct cpio_entry *entry);

#endif
