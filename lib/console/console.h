/* SPDX-License-Identifier: MIT */
/*
 * The console: one stream of text, copied to every sink that exists at the time (the firmware's
 * ConOut until boot services end, then UART and framebuffer, which are held during a recording),
 * and to the trace region.
 */
#ifndef LIB_CONSOLE_CONSOLE_H
#define LIB_CONSOLE_CONSOLE_H

#include <stddef.h>

#include "abi/trace_region.h"

/* Writes length bytes with '\n' line ends; must not fail and must not wait without bound.
 * Any context: a panic in an NMI writes too. */
typedef void (*console_sink_fn)(const char *text, size_t length);

#define CONSOLE_MAX_SINKS 4

/* From now on send the text to sink as well; a sink that is already added is not added twice.
 * Returns 0, or -ENOSPC beyond CONSOLE_MAX_SINKS. Thread. */
int console_add_sink(console_sink_fn sink);

/*
 * Keep the text in the trace region: size bytes (a power of two) at console->text. Earlier text is
 * copied, at least its last CONSOLE_EARLY bytes. Head and size are kept privately, because the host
 * may overwrite the region's copies. NULL ends this. Thread.
 */
#define CONSOLE_EARLY 8192U
void console_set_region(struct tr_console *console, uint32_t size);

/* From now on hold the sinks: text goes to the trace region at once, and to the sinks only later,
 * because drawing it would be a large part of a recording. Thread. */
void console_hold(void);

/* Undo one console_hold(). After the last one the sinks get the text that they have missed, at most
 * its last CONSOLE_EARLY bytes. No effect if nothing is held. Any context. */
void console_release(void);

/* Undo all console_hold() calls. Any context: a panic does it first. */
void console_release_all(void);

/*
 * Read the same text at the caller's own pace: as much as fits `to`, from byte *at of the stream
 * on. Returns the length and adds it to *at. Text older than CONSOLE_EARLY bytes is skipped without
 * a message; the trace region has more. size 0: skip all of it. Any context.
 */
unsigned console_read(uint64_t *at, char *to, unsigned size);

/* Write to all sinks. Any context; text from a nested context may cut into a line. */
void console_write(const char *text, size_t length);

/* Write only to the sinks, for text that reaches the region in another way: the traced program's
 * output. Thread, one CPU at a time. */
void console_write_aside(const char *text, size_t length);

/* print.h's formats. Any context. */
void console_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
