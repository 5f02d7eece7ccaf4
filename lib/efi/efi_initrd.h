/* SPDX-License-Identifier: MIT */
/*
 * The way in which boot loaders pass Linux's initrd: EFI_LOAD_FILE2_PROTOCOL on a handle with a
 * vendor media path (UEFI 2.10, 10.3.5.3 and 13.2) of LINUX_EFI_INITRD_MEDIA_GUID.
 */
#ifndef LIB_EFI_EFI_INITRD_H
#define LIB_EFI_EFI_INITRD_H

#include <efi.h>

#include <stdint.h>

/* LoadFile2's function is the same as LoadFile's, which is the only one that GNU-EFI declares. */
#define LOAD_FILE2_GUID                                                \
	{                                                              \
		0x4006c0c1, 0xfcb3, 0x403e,                            \
		{                                                      \
			0x99, 0x6d, 0x4a, 0x6c, 0x87, 0x24, 0xe0, 0x6d \
		}                                                      \
	}

/* That path with its end node. */
struct __attribute__((packed)) efi_initrd_path {
	uint8_t type, subtype, length[2];
	EFI_GUID guid;
	uint8_t end_type, end_subtype, end_length[2];
};

#define EFI_INITRD_PATH                                                         \
	{                                                                       \
		.type = 4, .subtype = 3, .length = { 20, 0 },                   \
		.guid = { 0x5568e427,                                           \
			  0x68fc,                                               \
			  0x4f3d,                                               \
			  { 0xac, 0x74, 0xca, 0x55, 0x52, 0x31, 0xcc, 0x68 } }, \
		.end_type = 0x7f, .end_subtype = 0xff, .end_length = { 4, 0 },  \
	}

#endif
