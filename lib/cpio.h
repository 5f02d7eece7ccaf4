/* SPDX-License-Identifier: MIT */
/*
 * Files in a row, as Linux's initrd has them: cpio's "newc" format (`cpio -o -H newc`; Linux,
 * Documentation/driver-api/early-userspace/buffer-format.rst). Of each
 *
 *	"070701"	6 characters
 *	13 numbers	8 hexadecimal digits each: inode, mode, uid, gid, links, mtime, size of the
 *			file, 4 of devices, size of the name with its NUL, checksum (of 070702)
 *	name		and bytes of 0 up to a multiple of 4, from the header's start
 *	file		the same
 *
 * and last an entry called TRAILER!!!. A file with several names (links > 1, one inode and device)
 * has its bytes at the last one only. Pure; for the firmware, and for payloads, who link it.
 */
#ifndef LIB_CPIO_H
#define LIB_CPIO_H

#include <stdbool.h>
#include <stdint.h>

struct cpio_entry {
	const char *name; /* NUL-terminated, in the archive; without "./" in front */
	uint32_t mode;    /* st_mode */
	uint32_t mtime;   /* s since 1970 */
	bool linked;      /* a file that has another name, and bytes, which are the same here */
	const uint8_t *bytes;
	uint64_t size;
};

/* Whether size bytes begin like an archive. */
bool cpio_is_archive(const void *archive, uint64_t size);

/* The entry at byte *at, which moves on to the next one; *at is 0 at first. 1; 0: there are no
 * more; -EINVAL: what is there is none, or not whole, as a damaged archive's. size bytes of any
 * content. Of a file with several names the bytes are looked for in all of the archive. */
int cpio_next(const void *archive, uint64_t size, uint64_t *at, struct cpio_entry *entry);

#endif
