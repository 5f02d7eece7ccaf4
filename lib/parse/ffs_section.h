/* SPDX-License-Identifier: MIT */
/*
 * Sections of a file in a firmware volume; one kind has the file's name. The firmware finds them by
 * EFI_FIRMWARE_VOLUME2_PROTOCOL.ReadSection(). Untrusted bytes. Pure. Thread, or any handler.
 *
 * Source: Platform Initialization Specification 1.7, volume 3, 2.2.4 and 3.2.5.
 */
#ifndef LIB_PARSE_FFS_SECTION_H
#define LIB_PARSE_FFS_SECTION_H

#include <stdint.h>

enum ffs_section_type {
	FFS_SECTION_PE32 = 0x10,
	FFS_SECTION_USER_INTERFACE = 0x15,
};

/* Convert the text of a USER_INTERFACE section, UCS-2, from
 * EFI_FIRMWARE_VOLUME2_PROTOCOL.ReadSection(): a module's name. Terminated, cut to to_size - 1
 * characters; a character that is not printable ASCII, or is a quote, becomes '?'. Returns its
 * length; 0: there is no text. to_size > 0. */
uint32_t ffs_ui_text(const void *text, uint64_t size, char *to, uint32_t to_size);

#endif
