/* SPDX-License-Identifier: MIT */
/*
 * EFI_HII_FONT_PROTOCOL, which GNU-EFI 3.0.15 does not declare. UEFI 2.10, 34.3 ("Font Protocol").
 * Unused members are placeholders.
 */
#ifndef LIB_CONSOLE_HII_FONT_H
#define LIB_CONSOLE_HII_FONT_H

#include <efi.h>

#define EFI_HII_FONT_PROTOCOL_GUID                                     \
	{                                                              \
		0xe9ca4775, 0x8657, 0x47fc,                            \
		{                                                      \
			0x97, 0xe7, 0x7e, 0xd6, 0x5a, 0x08, 0x43, 0x24 \
		}                                                      \
	}

typedef struct {
	UINT16 Width;
	UINT16 Height;
	EFI_GRAPHICS_OUTPUT_BLT_PIXEL *Bitmap; /* Image.Bitmap: Width * Height pixels */
} EFI_IMAGE_OUTPUT;

typedef struct _EFI_HII_FONT_PROTOCOL EFI_HII_FONT_PROTOCOL;

/* The function allocates the image; the caller frees it. StringInfo NULL: the system's font and
 * colours. */
typedef EFI_STATUS(EFIAPI *EFI_HII_GET_GLYPH)(const EFI_HII_FONT_PROTOCOL *This, CHAR16 Char,
                                              const VOID *StringInfo, EFI_IMAGE_OUTPUT **Blt,
                                              UINTN *Baseline);

struct _EFI_HII_FONT_PROTOCOL {
	VOID *StringToImage;
	VOID *StringIdToImage;
	EFI_HII_GET_GLYPH GetGlyph;
	VOID *GetFontInfo;
};

#endif
