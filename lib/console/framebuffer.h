/* SPDX-License-Identifier: MIT */
/*
 * Text on the screen, so that a PC without a serial port shows messages: UEFI's Graphics Output
 * Protocol gives a linear framebuffer, and the firmware's own font the glyphs. On a large screen
 * each glyph pixel is drawn as a square of 2, 3, ... pixels, as long as 100 columns and 30 rows
 * remain.
 *
 * The last row is a status row, for text that changes in place.
 */
#ifndef LIB_CONSOLE_FRAMEBUFFER_H
#define LIB_CONSOLE_FRAMEBUFFER_H

#include <stdbool.h>
#include <stdint.h>

/* Find the framebuffer (32 bits per pixel, linear), fetch the glyphs of printable ASCII, and
 * request the framebuffer's mapping. Returns 0; -ENODEV without a usable screen or font; the
 * console reports that once. Boot services only. Thread. */
int framebuffer_init(void);

/* The screen's size in pixels, and how many of them one glyph pixel is wide; scale 0: no screen.
 * Any time after framebuffer_init(). */
struct framebuffer_size {
	unsigned width, height, scale;
};
struct framebuffer_size framebuffer_size(void);

/* Fill a rectangle, which lies on the screen, with white or black; over the text, which does not
 * move it. By the firmware if its services are there. Not without a screen. Thread. */
void framebuffer_fill(unsigned left, unsigned top, unsigned width, unsigned height, bool white);

/* Make the screen a console sink, and clear it; no effect if framebuffer_init() failed. After
 * arch_take_over(). Thread. */
void framebuffer_start(void);

/*
 * The status row, while the machine is taken over. open() and close() clear it. put() draws a
 * character; returns false if it was there already, so that nothing was drawn. It costs one cell's
 * pixels. Without a screen the width is 0 and the others have no effect. open(), close(): thread;
 * put(): any context, one CPU at a time.
 */
#define FRAMEBUFFER_STATUS 160U /* columns, at most */
unsigned framebuffer_status_width(void);
void framebuffer_status_open(void);
bool framebuffer_status_put(unsigned column, char c);
void framebuffer_status_close(void);

/* For resident mode, where the screen is the firmware's. keep: save the firmware's pixels of the
 * status row, right before the firmware stalls; if that fails, the row has width 0. restore: put
 * them back. Boot services only. Thread. */
void framebuffer_status_keep(void);
void framebuffer_status_return(void);

#endif
