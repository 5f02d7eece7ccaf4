/* SPDX-License-Identifier: MIT */
#include "lib/console/console.h"

#include <errno.h>

#include "arch/arch.h"
#include "lib/print.h"

static console_sink_fn sinks[CONSOLE_MAX_SINKS];

/* The stream since boot. Its end is kept here, for a later trace region and for sinks that are
 * held. */
static struct {
	char early[CONSOLE_EARLY];
	uint64_t head;  /* bytes since boot */
	uint64_t whole; /* bytes that are completely written; console_read() reads up to here */
	struct tr_console *region;
	uint32_t region_size;
	uint64_t region_head; /* the head without text that was written aside */
	unsigned held;        /* number of console_hold() calls without a release */
	uint64_t shown;       /* head at the time of the hold */
} stream;

int console_add_sink(console_sink_fn sink)
{
	int free = -1;

	for (int i = 0; i < CONSOLE_MAX_SINKS; i++) {
		if (sinks[i] == sink)
			return 0;
		if (!sinks[i] && free < 0)
			free = i;
	}
	if (free < 0)
		return -ENOSPC;
	sinks[free] = sink;
	return 0;
}

void console_set_region(struct tr_console *console, uint32_t size)
{
	uint64_t at = stream.head > CONSOLE_EARLY ? stream.head - CONSOLE_EARLY : 0;

	stream.region = NULL;
	if (!console)
		return;
	stream.region_size = size;
	stream.region_head = stream.head;
	for (; at < stream.head; at++)
		console->text[at & (stream.region_size - 1)] =
		    stream.early[at & (CONSOLE_EARLY - 1)];
	__atomic_store_n(&console->head, stream.head, __ATOMIC_RELEASE);
	stream.region = console;
}

/* Space is claimed before it is written, so the text of a nested writer goes behind and not over
 * it. */
static void console_put(char *ring, uint32_t size, uint64_t *head, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		uint64_t at = *head;

		arch_add_local(head, 1);
		ring[at & (size - 1)] = text[i];
	}
}

static void console_keep(const char *text, size_t length)
{
	console_put(stream.early, CONSOLE_EARLY, &stream.head, text, length);
	__atomic_store_n(&stream.whole, stream.head, __ATOMIC_RELEASE);
}

static void console_keep_in_region(const char *text, size_t length)
{
	if (!stream.region)
		return;
	console_put(stream.region->text, stream.region_size, &stream.region_head, text, length);
	/* release: the host reads only text below head */
	__atomic_store_n(&stream.region->head, stream.region_head, __ATOMIC_RELEASE);
}

static void console_show(const char *text, size_t length)
{
	for (int i = 0; i < CONSOLE_MAX_SINKS; i++)
		if (sinks[i])
			sinks[i](text, length);
}

void console_write_aside(const char *text, size_t length)
{
	console_keep(text, length);
	if (!stream.held)
		console_show(text, length);
}

void console_write(const char *text, size_t length)
{
	console_keep_in_region(text, length);
	console_write_aside(text, length);
}

unsigned console_read(uint64_t *at, char *to, unsigned size)
{
	uint64_t head = __atomic_load_n(&stream.whole, __ATOMIC_ACQUIRE);
	unsigned count = 0;

	if (!size)
		*at = head;
	if (head - *at > CONSOLE_EARLY)
		*at = head - CONSOLE_EARLY;
	for (; count < size && *at < head; count++)
		to[count] = stream.early[(*at)++ & (CONSOLE_EARLY - 1)];
	return count;
}

void console_hold(void)
{
	if (!stream.held++)
		stream.shown = stream.head;
}

void console_release(void)
{
	static const char cut[] = "[earlier text is in the trace region]\n";

	if (!stream.held || --stream.held)
		return;
	if (stream.head - stream.shown > CONSOLE_EARLY) {
		stream.shown = stream.head - CONSOLE_EARLY;
		console_show(cut, sizeof(cut) - 1);
	}
	for (uint64_t head = stream.head; stream.shown < head; stream.shown++)
		console_show(&stream.early[stream.shown & (CONSOLE_EARLY - 1)], 1);
}

void console_release_all(void)
{
	stream.held = !!stream.held;
	console_release();
}

static void console_put_console(void *context, const char *text, size_t length)
{
	(void)context;
	console_write(text, length);
}

void console_printf(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_format(console_put_console, NULL, format, arguments);
	va_end(arguments);
}
