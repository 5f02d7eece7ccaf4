/* SPDX-License-Identifier: MIT */
/*
 * The console: one stream of text, copied to every sink that there is at the time: the
 * firmware's ConOut until boot services end, then UART and framebuffer, which wait while something
 * is recorded; and to the trace region.
 */
#ifndef LIB_CONSOLE_CONSOLE_H
#define LIB_CONSOLE_CONSOLE_H

#include <stddef.h>

#include "abi/trace_region.h"

/* Writes length bytes with '\n' line ends; must not fail and must not wait without bound.
 * Any context: a panic in an NMI writes too. */
typedef void (*console_sink_fn)(const char *text, size_t length);

#define CONSOLE_MAX_SINKS 4

/* Send what is written from now on to sink as well; a sink already there is not added twice.
 * 0, or -ENOSPC beyond CONSOLE_MAX_SINKS. Thread. */
int console_add_sink(console_sink_fn sink);

/*
 * Keep the text in the trace region: size bytes (a power of two) at console->text. Earlier text
 * is copied, at least its last CONSOLE_EARLY bytes. Head and size are kept privately: the
 * host may scribble over the region's copies. NULL ends it. Thread.
 */
#define CONSOLE_EARLY 8192U
void console_set_region(struct tr_console *console, uint32_t size);

/* From now on text is kept, and in the trace region for the host at once, but sinks wait: drawing
 * it would be a good part of what is recorded meanwhile. Thread. */
void console_hold(void);

/* The opposite. By the last of as many as there were console_hold(): send the sinks what they have
 * missed, its last CONSOLE_EARLY bytes at most, and no longer wait. No effect if nothing is held.
 * Any context. */
void console_release(void);

/* However often it was held. Any context: a panic does it first. */
void console_release_all(void);

/*
 * The same text for a caller at its own pace: as much of it as fits `to`, from byte *at of the
 * stream on. Returns the length and adds it to *at. Text older than CONSOLE_EARLY bytes is skipped
 * without a message: the trace region has more. size 0: skip all of it. Any context.
 */
unsigned console_read(uint64_t *at, char *to, unsigned size);

/* Write to all sinks. Any context; text from a nested context may cut into a line. */
void console_write(const char *text, size_t length);

/* Write to the sinks, and not to the region, where it is by another way: what the traced program
 * prints. Thread, one CPU at a time. */
void console_write_aside(const char *text, size_t length);

/* print.h's formats. Any context. */
void console_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
