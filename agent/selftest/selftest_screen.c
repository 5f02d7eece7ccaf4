/* SPDX-License-Identifier: MIT */
/* The survey as a QR code on the screen. */
#include "agent/selftest/selftest_survey.h"
#include "lib/console/console.h"
#include "lib/console/framebuffer.h"
#include "lib/survey/qr.h"
#include "lib/survey/survey_pack.h"

#define MODULE 3U /* pixels: a camera reads smaller modules badly */
#define MOST   8U

static unsigned screen_least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* The pixels of a module: as many as leave the left half of the screen to the text, up to MOST, but
 * MODULE if the screen is large enough. 0: it is too small. */
static unsigned screen_module(struct framebuffer_size screen, unsigned modules)
{
	unsigned half = screen_least(screen.width / 2, screen.height) / modules;
	unsigned whole = screen_least(screen.width, screen.height) / modules;

	return half >= MODULE ? screen_least(half, MOST) : screen_least(whole, MODULE);
}

/* In the lower right corner: later lines move the firmware's screen up. */
static void screen_draw(const struct qr *qr, struct framebuffer_size screen, unsigned pixels)
{
	unsigned side = (qr->size + 2 * QR_QUIET) * pixels;
	unsigned left = screen.width - side, top = screen.height - side;

	framebuffer_fill(left, top, side, side, true);
	for (unsigned row = 0; row < qr->size; row++) {
		for (unsigned column = 0, run; column < qr->size; column += run) {
			for (run = 1;
			     column + run < qr->size &&
			     qr_is_dark(qr, row, column) == qr_is_dark(qr, row, column + run);)
				run++;
			if (qr_is_dark(qr, row, column))
				framebuffer_fill(left + (column + QR_QUIET) * pixels,
				                 top + (row + QR_QUIET) * pixels, run * pixels,
				                 pixels, false);
		}
	}
}

void selftest_show_code(const struct survey *s)
{
	static char text[QR_BYTES_MAX + 1];
	static struct qr qr;
	struct framebuffer_size screen = framebuffer_size();
	size_t length = screen.scale ? survey_pack(s, text, sizeof(text)) : 0;
	unsigned pixels;

	if (!length || !qr_encode(&qr, text, length))
		return;
	pixels = screen_module(screen, qr.size + 2 * QR_QUIET);
	if (!pixels) {
		console_printf("the screen is too small for the QR code\n");
		return;
	}
	console_printf("QR code: photograph it; `bareperf selftest --read TEXT' shows it again\n");
	screen_draw(&qr, screen, pixels);
}
