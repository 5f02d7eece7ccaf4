/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "agent/record/record_beside.h"
#include "agent/record/recording.h"
#include "lib/console/console.h"
#include "lib/platform.h"
#include "lib/print.h"
#include "pmu/clock/clock.h"

#define LINE_NS    (10 * NSEC_PER_SEC)
#define LINE_WIDTH 79U /* a terminal's width, so that the text does not wrap */

/* Load a count that another CPU may be increasing. */
static uint64_t progress_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void progress_compose(struct recording *r, uint64_t now)
{
	struct recording_progress *p = &r->progress;
	uint64_t written = 0, lost = 0, trace = 0, seconds = (now - p->began) / NSEC_PER_SEC;
	size_t length;

	for (unsigned c = 0; c < r->nr_cpus; c++) {
		trace += progress_load(&r->cpus[c].aux.head);
		for (unsigned i = 0; i < r->nr_events; i++) {
			written += progress_load(&r->cpus[c].events[i].account.written);
			lost += progress_load(&r->cpus[c].events[i].account.lost);
		}
	}
	if (r->command->verb == COMMAND_STAT)
		length = print_text(p->text, sizeof(p->text), "counting: %lu s", seconds);
	else if (r->aux_pages)
		length = print_text(p->text, sizeof(p->text),
		                    "recording: %lu s, %lu KiB of trace, %lu records, %lu lost",
		                    seconds, trace >> 10, written, lost);
	else
		length = print_text(p->text, sizeof(p->text),
		                    "recording: %lu s, %lu samples, %lu lost", seconds, written,
		                    lost);
	p->length = length < LINE_WIDTH ? (unsigned)length : LINE_WIDTH;
	p->drawn = p->sent = 0;
}

/* Draw the next character that differs from the screen's, and no more, because a tick must be
 * short. Blanks follow the text. */
static void progress_draw(struct recording_progress *p)
{
	while (p->drawn < LINE_WIDTH) {
		unsigned at = p->drawn++;

		if (framebuffer_status_put(at, at < p->length ? p->text[at] : ' '))
			return;
	}
}

/* Send as many characters as the serial line takes now: a carriage return, then the text. */
static void progress_send(struct recording_progress *p)
{
	if (p->sent == 0)
		p->sent = console_drip("\r", 1);
	else if (p->sent <= p->length)
		p->sent += console_drip(p->text + p->sent - 1, p->length - p->sent + 1);
}

void recording_progress_begin(struct recording *r)
{
	struct recording_progress *p = &r->progress;

	/* resident, the channel has no lines: the firmware uses them */
	*p = (struct recording_progress){ .resident = !r->channel->lines, .began = clock_steady() };
	p->next = p->began;
	p->next_line = p->began + LINE_NS;
	p->drawn = LINE_WIDTH;
	p->sent = 1; /* nothing to send: there is no text yet */
	framebuffer_status_open();
}

void recording_progress_tick(struct recording *r, uint64_t now)
{
	struct recording_progress *p = &r->progress;

	if (r->found == TR_READER_READY)
		return;
	if (now >= p->next || now >= p->next_line) {
		p->next = now + NSEC_PER_SEC;
		progress_compose(r, now);
	}
	progress_draw(p);
	if (p->resident) {
		progress_send(p);
	} else if (now >= p->next_line) {
		p->next_line = now + LINE_NS;
		console_printf("%s\n", p->text);
	}
}

/* Blank the line for the text that follows. */
void recording_progress_end(struct recording *r)
{
	struct recording_progress *p = &r->progress;
	static const char blank = ' ';

	framebuffer_status_close();
	if (!p->resident || p->length == 0)
		return;
	for (unsigned polls = 0, at = 0; at < p->length + 2 && polls < 1000000; polls++)
		at += console_drip(at == 0 || at > p->length ? "\r" : &blank, 1);
}
