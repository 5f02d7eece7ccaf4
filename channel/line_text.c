/* SPDX-License-Identifier: MIT */
/* A line in text mode: the console's output to a terminal, and typed commands. */
#include "channel/line.h"

#define BACKSPACE 0x08
#define DELETE    0x7f
#define KILL_LINE 0x15 /* Ctrl-U */
#define BELL      0x07

/* Drops echo that does not fit. */
static void line_echo(struct line *line, const char *text)
{
	for (; *text && line->echo_head - line->echo_tail < LINE_ECHO; text++)
		line->echo[line->echo_head++ % LINE_ECHO] = *text;
}

static void line_erase(struct line *line)
{
	if (!line->typed_size)
		return;
	line->typed_size--;
	line_echo(line, "\b \b");
}

static void line_enter(struct line *line)
{
	line_echo(line, "\r\n");
	if (!line->typed_size)
		return;
	line->typed[line->typed_size] = '\0';
	__atomic_store_n(&line->typed_whole, true, __ATOMIC_RELEASE);
}

static void line_append(struct line *line, uint8_t byte)
{
	const char echo[2] = { (char)byte, '\0' };

	if (line->typed_size == LINE_COMMAND_MAX) {
		line_echo(line, (const char[]){ BELL, '\0' });
		return;
	}
	line->typed[line->typed_size++] = (char)byte;
	line_echo(line, echo);
}

void line_listen(struct line *line, bool listens)
{
	line->listens = listens;
	line->stop_key = (struct stop_key){ .last = line->now };
	__atomic_store_n(&line->pressed, false, __ATOMIC_RELAXED);
}

bool line_is_pressed(const struct line *line)
{
	return __atomic_load_n(&line->pressed, __ATOMIC_ACQUIRE);
}

/* A key that ends the recording was also stored as the first letter of a command: removes that
 * letter. */
void line_look_for_key(struct line *line)
{
	if (!line->listens || !stop_key_is_pressed(&line->stop_key, line->now))
		return;
	if (!__atomic_load_n(&line->typed_whole, __ATOMIC_ACQUIRE))
		line->typed_size = 0;
	__atomic_store_n(&line->pressed, true, __ATOMIC_RELEASE);
}

/* While a typed command waits, further input is dropped and rings the bell. CR LF is one line end.
 */
void line_type(struct line *line, uint8_t byte)
{
	bool second = byte == '\n' && line->last_was_cr;

	/* within a command the key is a normal letter */
	stop_key_feed(&line->stop_key, line->typed_size && byte >= ' ' ? ' ' : byte, line->now);
	line->last_was_cr = byte == '\r';
	if (second)
		return;
	if (__atomic_load_n(&line->typed_whole, __ATOMIC_ACQUIRE)) {
		line_echo(line, (const char[]){ BELL, '\0' });
		return;
	}
	if (byte == '\r' || byte == '\n')
		line_enter(line);
	else if (byte == BACKSPACE || byte == DELETE)
		line_erase(line);
	else if (byte == KILL_LINE)
		while (line->typed_size && line->echo_head - line->echo_tail <= LINE_ECHO - 3)
			line_erase(line);
	else if (byte >= ' ' && byte <= '~')
		line_append(line, byte);
}

bool line_has_typed(const struct line *line, const char *text)
{
	uint32_t i = 0;

	if (!__atomic_load_n(&line->typed_whole, __ATOMIC_ACQUIRE))
		return false;
	while (text[i] && line->typed[i] == text[i])
		i++;
	return line->typed[i] == text[i];
}

bool line_take_typed(struct line *line, char *text)
{
	if (!__atomic_load_n(&line->typed_whole, __ATOMIC_ACQUIRE))
		return false;
	for (uint32_t i = 0; i <= line->typed_size; i++)
		text[i] = line->typed[i];
	line->typed_size = 0;
	__atomic_store_n(&line->typed_whole, false, __ATOMIC_RELEASE);
	return true;
}

/* '\n' is two bytes on a line. */
unsigned line_send_text(struct line *line, uint8_t *bytes, unsigned size)
{
	unsigned sent = 0;

	while (sent < size && line->echo_tail != line->echo_head)
		bytes[sent++] = (uint8_t)line->echo[line->echo_tail++ % LINE_ECHO];
	while (sent < size) {
		uint64_t at = line->text_at;
		char byte;

		if (!line->text(&at, &byte, 1))
			break;
		if (byte == '\n' && !line->cr_sent) {
			line->cr_sent = true;
			bytes[sent++] = '\r';
			continue;
		}
		line->cr_sent = false;
		line->text_at = at;
		bytes[sent++] = (uint8_t)byte;
	}
	return sent;
}
