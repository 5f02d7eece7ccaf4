/* SPDX-License-Identifier: MIT */
#include "lib/console/framebuffer.h"

#include <errno.h>
#include <string.h>

#include "lib/console/console.h"
#include "lib/console/hii_font.h"
#include "lib/efi/efi.h"
#include "lib/memory/address.h"
#include "lib/memory/memory.h"

#define FIRST_CHAR 0x20U /* the blank */
#define LAST_CHAR  0x7eU
#define MAX_WIDTH  16U /* pixels of a glyph's width: a row is one uint16_t */
#define MAX_HEIGHT 32U
#define MAX_CELLS  65536U

/* The smallest number of columns and rows for which letters are enlarged */
#define LEAST_COLUMNS 100U
#define LEAST_ROWS    30U

static struct {
	EFI_GRAPHICS_OUTPUT_PROTOCOL *gop;
	uint32_t *pixels;
	unsigned width, height, stride; /* pixels */
	uint32_t white;
	unsigned scale; /* screen pixels for the width of one glyph pixel */
} screen;

/* Bit x of a row is the pixel in column x. All glyphs are drawn in cells of the same size. */
static struct {
	uint16_t rows[LAST_CHAR - FIRST_CHAR + 1][MAX_HEIGHT];
	unsigned width, height;
	EFI_GRAPHICS_OUTPUT_BLT_PIXEL background; /* in the firmware's glyph images */
} font;

/* The text on the screen, so that scrolling need not read the framebuffer, which is slow. */
static struct {
	char cells[MAX_CELLS];
	unsigned columns, rows;
	unsigned column, row; /* the cursor */
} text;

/* The screen's last row, below the text. */
static struct {
	char cells[FRAMEBUFFER_STATUS];
	EFI_GRAPHICS_OUTPUT_BLT_PIXEL *below; /* the firmware's pixels there; NULL: not saved */
	bool is_firmwares;                    /* not saved: nothing is drawn there */
} status;

static int framebuffer_find_screen(void)
{
	EFI_GRAPHICS_OUTPUT_PROTOCOL *gop = efi_locate((EFI_GUID)EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID);
	const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info;
	const char *why;

	if (!gop || !gop->Mode || !gop->Mode->Info)
		return -ENODEV;
	info = gop->Mode->Info;
	screen.white = 0x00ffffff; /* the value is the same for RGB and BGR */
	if (info->PixelFormat == PixelBitMask) {
		screen.white = info->PixelInformation.RedMask | info->PixelInformation.GreenMask |
		               info->PixelInformation.BlueMask;
		if ((screen.white | info->PixelInformation.ReservedMask) >> 24 == 0)
			return -ENODEV; /* other formats have fewer than 32 bits per pixel */
	} else if (info->PixelFormat != PixelRedGreenBlueReserved8BitPerColor &&
	           info->PixelFormat != PixelBlueGreenRedReserved8BitPerColor) {
		return -ENODEV;
	}
	why = address_refusal(gop->Mode->FrameBufferBase, gop->Mode->FrameBufferSize, ADDRESS_ANY);
	if (why && gop->Mode->FrameBufferBase != 0)
		console_printf("screen: framebuffer at 0x%lx, 0x%lx bytes: %s\n",
		               (uint64_t)gop->Mode->FrameBufferBase,
		               (uint64_t)gop->Mode->FrameBufferSize, why);
	if (why || gop->Mode->FrameBufferBase == 0 ||
	    info->PixelsPerScanLine < info->HorizontalResolution ||
	    gop->Mode->FrameBufferSize / 4 / info->PixelsPerScanLine < info->VerticalResolution)
		return -ENODEV;
	screen.gop = gop;
	screen.pixels = (uint32_t *)gop->Mode->FrameBufferBase;
	screen.width = info->HorizontalResolution;
	screen.height = info->VerticalResolution;
	screen.stride = info->PixelsPerScanLine;
	return memory_add_mapping(gop->Mode->FrameBufferBase, gop->Mode->FrameBufferSize,
	                          ARCH_MAP_FRAMEBUFFER);
}

static bool framebuffer_differs(EFI_GRAPHICS_OUTPUT_BLT_PIXEL a, EFI_GRAPHICS_OUTPUT_BLT_PIXEL b)
{
	return a.Red != b.Red || a.Green != b.Green || a.Blue != b.Blue;
}

/* Keep a glyph, cut to the largest cell size; returns false if the firmware gave no image. The
 * first glyph is the blank, whose pixels show the background colour. */
static bool framebuffer_keep_glyph(unsigned c, const EFI_IMAGE_OUTPUT *image)
{
	unsigned width = image->Width < MAX_WIDTH ? image->Width : MAX_WIDTH;
	unsigned height = image->Height < MAX_HEIGHT ? image->Height : MAX_HEIGHT;

	if (!image->Bitmap || width == 0 || height == 0)
		return false;
	if (c == ' ')
		font.background = image->Bitmap[0];
	for (unsigned y = 0; y < height; y++)
		for (unsigned x = 0; x < width; x++)
			if (framebuffer_differs(image->Bitmap[y * image->Width + x],
			                        font.background))
				font.rows[c - FIRST_CHAR][y] |= (uint16_t)(1U << x);
	font.width = width > font.width ? width : font.width;
	font.height = height > font.height ? height : font.height;
	return true;
}

static int framebuffer_fetch_font(void)
{
	const EFI_HII_FONT_PROTOCOL *hii = efi_locate((EFI_GUID)EFI_HII_FONT_PROTOCOL_GUID);

	if (!hii)
		return -ENODEV;
	for (unsigned c = FIRST_CHAR; c <= LAST_CHAR; c++) {
		EFI_IMAGE_OUTPUT *image = NULL;
		bool kept;

		if (EFI_ERROR(hii->GetGlyph(hii, (CHAR16)c, NULL, &image, NULL)) || !image)
			return -ENODEV;
		kept = framebuffer_keep_glyph(c, image);
		if (image->Bitmap)
			efi_system->BootServices->FreePool(image->Bitmap);
		efi_system->BootServices->FreePool(image);
		if (!kept)
			return -ENODEV;
	}
	return 0;
}

/* The largest scale that leaves LEAST_COLUMNS and LEAST_ROWS of cells on the screen. */
static unsigned framebuffer_scale(void)
{
	unsigned across = screen.width / (font.width * LEAST_COLUMNS);
	unsigned down = screen.height / (font.height * LEAST_ROWS);
	unsigned scale = across < down ? across : down;

	return scale ? scale : 1;
}

int framebuffer_init(void)
{
	unsigned rows;

	if (framebuffer_find_screen() != 0) {
		console_printf(efi_locate((EFI_GUID)EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID)
		                   ? "the screen has no linear framebuffer of 32 bits: no text of "
		                     "ours on it\n"
		                   : "no screen\n");
		return -ENODEV;
	}
	if (framebuffer_fetch_font() != 0) {
		console_printf("the firmware has no font: no text on the screen\n");
		return -ENODEV;
	}
	screen.scale = framebuffer_scale();
	text.columns = screen.width / (font.width * screen.scale);
	rows = screen.height / (font.height * screen.scale);
	if (text.columns == 0 || text.columns > MAX_CELLS || rows < 2)
		return -ENODEV;
	text.rows = rows - 1 < MAX_CELLS / text.columns ? rows - 1 : MAX_CELLS / text.columns;
	return 0;
}

struct framebuffer_size framebuffer_size(void)
{
	return (struct framebuffer_size){ screen.width, screen.height,
		                          text.rows ? screen.scale : 0 };
}

static void framebuffer_draw(unsigned column, unsigned row, char character)
{
	unsigned c = (unsigned char)character, scale = screen.scale;
	uint32_t *line = screen.pixels + (size_t)row * font.height * scale * screen.stride +
	                 column * font.width * scale;

	if (c < FIRST_CHAR || c > LAST_CHAR)
		c = c == 0 ? ' ' : '?';
	for (unsigned y = 0; y < font.height * scale; y++, line += screen.stride) {
		unsigned bits = font.rows[c - FIRST_CHAR][y / scale], x = 0;

		for (unsigned bit = 0; bit < font.width; bit++)
			for (unsigned end = x + scale; x < end; x++)
				line[x] = bits >> bit & 1 ? screen.white : 0;
	}
}

static void framebuffer_draw_cell(unsigned column, unsigned row)
{
	framebuffer_draw(column, row, text.cells[row * text.columns + column]);
}

static void framebuffer_set_cell(unsigned column, unsigned row, char c)
{
	char *cell = &text.cells[row * text.columns + column];

	if (*cell != c) {
		*cell = c;
		framebuffer_draw_cell(column, row);
	}
}

/* Clear rows of text, or the status row, with as few stores as possible: cell by cell, a screen of
 * a million pixels would take twelve million instructions. */
static void framebuffer_clear(unsigned row, unsigned rows)
{
	unsigned height = font.height * screen.scale;
	uint32_t *line = screen.pixels + (size_t)row * height * screen.stride;

	for (unsigned y = 0; y < rows * height; y++, line += screen.stride)
		memset(line, 0, (size_t)text.columns * font.width * screen.scale * sizeof(*line));
}

/* Move every row up by one; only cells that differ are drawn. */
static void framebuffer_scroll(void)
{
	for (unsigned row = 0; row + 1 < text.rows; row++)
		for (unsigned column = 0; column < text.columns; column++)
			framebuffer_set_cell(column, row,
			                     text.cells[(row + 1) * text.columns + column]);
	for (unsigned column = 0; column < text.columns; column++)
		framebuffer_set_cell(column, text.rows - 1, ' ');
}

static void framebuffer_new_line(void)
{
	text.column = 0;
	if (text.row + 1 < text.rows)
		text.row++;
	else
		framebuffer_scroll();
}

static void framebuffer_write_screen(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '\n') {
			framebuffer_new_line();
			continue;
		}
		if (bytes[i] == '\b') {
			text.column -= text.column > 0;
			continue;
		}
		if (text.column == text.columns)
			framebuffer_new_line();
		framebuffer_set_cell(text.column++, text.row, bytes[i]);
	}
}

void framebuffer_fill(unsigned left, unsigned top, unsigned width, unsigned height, bool white)
{
	EFI_GRAPHICS_OUTPUT_BLT_PIXEL colour = { 0 };

	if (white)
		colour.Red = colour.Green = colour.Blue = 0xff;
	if (efi_boot_services) {
		screen.gop->Blt(screen.gop, &colour, EfiBltVideoFill, 0, 0, left, top, width,
		                height, 0);
		return;
	}
	for (unsigned y = top; y < top + height; y++)
		for (unsigned x = left; x < left + width; x++)
			screen.pixels[(size_t)y * screen.stride + x] = white ? screen.white : 0;
}

void framebuffer_start(void)
{
	if (text.rows == 0)
		return;
	text.column = text.row = 0;
	framebuffer_clear(0, text.rows);
	memset(text.cells, ' ', (size_t)text.columns * text.rows);
	framebuffer_status_open();
	console_add_sink(framebuffer_write_screen);
}

/* ---- The status row ---- */

static void framebuffer_status_clear(void)
{
	framebuffer_clear(text.rows, 1);
	memset(status.cells, ' ', sizeof(status.cells));
}

unsigned framebuffer_status_width(void)
{
	if (text.rows == 0 || status.is_firmwares)
		return 0;
	return text.columns < FRAMEBUFFER_STATUS ? text.columns : FRAMEBUFFER_STATUS;
}

void framebuffer_status_open(void)
{
	if (framebuffer_status_width() != 0)
		framebuffer_status_clear();
}

bool framebuffer_status_put(unsigned column, char c)
{
	if (column >= framebuffer_status_width() || status.cells[column] == c)
		return false;
	status.cells[column] = c;
	framebuffer_draw(column, text.rows, c);
	return true;
}

void framebuffer_status_close(void)
{
	framebuffer_status_open();
}

static EFI_STATUS framebuffer_status_blt(EFI_GRAPHICS_OUTPUT_BLT_OPERATION operation)
{
	unsigned height = font.height * screen.scale, at = text.rows * height;
	bool keep = operation == EfiBltVideoToBltBuffer;

	return screen.gop->Blt(screen.gop, status.below, operation, 0, keep ? at : 0, 0,
	                       keep ? 0 : at, screen.width, height, 0);
}

void framebuffer_status_keep(void)
{
	uint64_t size = (uint64_t)screen.width * font.height * screen.scale * sizeof(*status.below);
	void *below = NULL;

	if (framebuffer_status_width() == 0)
		return;
	if (!EFI_ERROR(efi_system->BootServices->AllocatePool(EfiLoaderData, size, &below))) {
		status.below = below;
		if (!EFI_ERROR(framebuffer_status_blt(EfiBltVideoToBltBuffer)))
			return;
		efi_system->BootServices->FreePool(below);
		status.below = NULL;
	}
	status.is_firmwares = true;
}

void framebuffer_status_return(void)
{
	if (!status.below)
		return;
	framebuffer_status_blt(EfiBltBufferToVideo);
	efi_system->BootServices->FreePool(status.below);
	status.below = NULL;
}
