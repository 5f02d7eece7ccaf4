/* SPDX-License-Identifier: MIT */
/*
 * Text on the screen: UEFI's Graphics Output Protocol gives a linear framebuffer, and the
 * firmware's own font its glyphs, so that a PC without a serial port shows what happens. On a
 * screen of many pixels a glyph's are drawn as squares of 2, 3, ... of them: as many as leave 100
 * columns and 30 rows.
 *
 * The last row is not the text's: what changes in place stands there.
 */
#ifndef LIB_CONSOLE_FRAMEBUFFER_H
#define LIB_CONSOLE_FRAMEBUFFER_H

#include <stdbool.h>
#include <stdint.h>

/* Find the framebuffer (32 bits a pixel, linear), fetch the glyphs of printable ASCII, and have the
 * framebuffer mapped. 0; -ENODEV without a usable screen or font, said on the console once.
 * Boot services only. Thread. */
int framebuffer_init(void);

/* Its pixels, and how many of them across are one of a glyph's; scale 0: no screen. Any time after
 * framebuffer_init(). */
struct framebuffer_size {
	unsigned width, height, scale;
};
struct framebuffer_size framebuffer_size(void);

/* Make it a console sink, and clear it; nothing happens if framebuffer_init() failed. After
 * arch_take_over(). Thread. */
void framebuffer_start(void);

/*
 * The last row, while the machine is ours. open() and close() clear it; put() draws a character,
 * if it is not the one that stands there already: false, and nothing was to be drawn. Its cost is
 * one cell's pixels. No effect, and no width, without a screen. open(), close(): thread; put(): any
 * context, one CPU at a time.
 */
#define FRAMEBUFFER_STATUS 160U /* columns, at most */
unsigned framebuffer_status_width(void);
void framebuffer_status_open(void);
bool framebuffer_status_put(unsigned column, char c);
void framebuffer_status_close(void);

/* Resident, the row is the firmware's: note what it has there, at last before it stands still; if
 * that cannot be, the row has no width for us. And put it back. Boot services only. Thread. */
void framebuffer_status_keep(void);
void framebuffer_status_return(void);

#endif
