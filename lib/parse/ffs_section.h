/* SPDX-License-Identifier: MIT */
/*
 * A file of a firmware volume: sections in a row, of which one may say what the file is called.
 * Foreign bytes. Pure; for firmware and host. Thread, or any handler.
 *
 * Source: Platform Initialization Specification 1.7, volume 3, 2.2.4 and 3.2.5.
 */
#ifndef LIB_PARSE_FFS_SECTION_H
#define LIB_PARSE_FFS_SECTION_H

#include <stdbool.h>
#include <stdint.h>

enum ffs_section_type {
	FFS_SECTION_COMPRESSION = 0x01,
	FFS_SECTION_GUID_DEFINED = 0x02,
	FFS_SECTION_PE32 = 0x10,
	FFS_SECTION_TE = 0x12,
	FFS_SECTION_USER_INTERFACE = 0x15,
};

struct ffs_section {
	uint8_t type; /* enum ffs_section_type, or another */
	const uint8_t *bytes;
	uint64_t size; /* without its header; what it encloses is not looked into */
};

/* The section at byte *at of a file's size bytes (its header not among them), which moves on to
 * the next one; *at is 0 at first. 1; 0: there are no more; -EINVAL: what is there is none, or not
 * whole. */
int ffs_section_next(const void *file, uint64_t size, uint64_t *at, struct ffs_section *section);

/* The text of a USER_INTERFACE section, UCS-2, as EFI_FIRMWARE_VOLUME2_PROTOCOL.ReadSection()
 * gives it: a module's name. Terminated, cut to to_size - 1 characters; what is not printable
 * ASCII, or a quote, becomes '?'. Returns its length; 0: there is none. to_size > 0. */
uint32_t ffs_ui_text(const void *text, uint64_t size, char *to, uint32_t to_size);

/* The same of the first USER_INTERFACE section of a file. */
uint32_t ffs_ui_name(const void *file, uint64_t size, char *to, uint32_t to_size);

#endif
